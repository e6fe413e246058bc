import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { onFeedEvent, type Connection } from "../../api/live-feed.ts";
import type { Schemas } from "../../api/client.ts";
import { refetchChanged } from "../../api/refetch.ts";
import { taskQuery, type Task } from "../queries.ts";
import { taskLogQuery } from "./queries.ts";
import { appendEvents, isEndedBy, lastSeqOf, type TaskEvent } from "./task-log.ts";

/** `ended`: the task has ended, so no events follow unless someone retries or rates it. */
export type StreamState = Connection | "ended";

/** How often what has arrived is shown, however many events arrive. */
const FLUSH_MS = 150;
/** How long to wait before a new connection if the service rejected the last one. */
const RECONNECT_MS = 5_000;

/** Follows a task while it is shown: keeps its log and its state in the cache up to date. */
export function useTaskStream(task: Task): StreamState {
  const { taskId } = task;
  const queryClient = useQueryClient();
  const [state, setState] = useState<StreamState>("connecting");
  const reopen = useRef<() => void>(null);

  useEffect(() => {
    const stream = openTaskStream(queryClient, taskId, setState);
    reopen.current = stream.reopen;
    const stop = onFeedEvent((event) => {
      if ("taskId" in event && event.taskId === taskId) stream.reopen();
    });
    return () => {
      stop();
      stream.close();
      reopen.current = null;
    };
  }, [queryClient, taskId]);

  // After a retry or feedback, an ended task has new events.
  const onChange = useEffectEvent(() => reopen.current?.());
  useEffect(() => onChange(), [task]);
  return state;
}

interface TaskStream {
  /** Connects again if the stream has ended. */
  readonly reopen: () => void;
  readonly close: () => void;
}

function openTaskStream(
  queryClient: QueryClient,
  taskId: string,
  setState: (state: StreamState) => void,
): TaskStream {
  const logKey = taskLogQuery(taskId).queryKey;
  const taskKey = taskQuery(taskId).queryKey;
  let source: EventSource | null = null;
  let received: TaskEvent[] = [];
  let flushTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  /** The last event that the snapshot includes. */
  let snapshotSeq = 0;

  function readLog(): readonly TaskEvent[] {
    return queryClient.getQueryData(logKey) ?? [];
  }

  function flush(): void {
    flushTimer = undefined;
    if (received.length === 0) return;
    const log = appendEvents(readLog(), received);
    received = [];
    queryClient.setQueryData(logKey, log);
    if (lastSeqOf(log) > snapshotSeq) {
      snapshotSeq = lastSeqOf(log);
      refetchChanged(queryClient, { queryKey: taskKey, exact: true });
    }
    if (isEndedBy(log) && lastSeqOf(log) >= snapshotSeq) end();
  }

  function end(): void {
    source?.close();
    source = null;
    setState("ended");
  }

  function connect(): void {
    clearTimeout(retryTimer);
    setState("connecting");
    const opened = new EventSource(`/agents/tasks/${taskId}/events?after=${lastSeqOf(readLog())}`);
    source = opened;
    opened.addEventListener("open", () => setState("live"));
    opened.addEventListener("snapshot", ({ data }: MessageEvent<string>) => {
      const { seq, ...task }: Schemas["TaskSnapshot"] = JSON.parse(data);
      snapshotSeq = seq;
      queryClient.setQueryData(taskKey, task);
      // Nothing is new, so the service ends the stream now.
      if (lastSeqOf(readLog()) >= seq && isEndedBy(readLog())) end();
    });
    opened.addEventListener("message", ({ data }: MessageEvent<string>) => {
      received.push(JSON.parse(data));
      flushTimer ??= setTimeout(flush, FLUSH_MS);
    });
    opened.addEventListener("error", () => {
      flush();
      if (isEndedBy(readLog())) end();
      if (source !== opened) return;
      setState("interrupted");
      if (opened.readyState !== EventSource.CLOSED) return;
      // The service rejected the connection, for example because the session ended.
      retryTimer = setTimeout(connect, RECONNECT_MS);
      void queryClient.invalidateQueries({ queryKey: taskKey, exact: true });
    });
  }

  connect();
  return {
    reopen: () => {
      if (source === null) connect();
    },
    close: () => {
      clearTimeout(flushTimer);
      clearTimeout(retryTimer);
      source?.close();
    },
  };
}
