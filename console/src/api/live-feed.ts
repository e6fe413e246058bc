import { useQueryClient, type Query, type QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { EVENT_TYPES } from "../events/filters.ts";
import type { Schemas } from "./client.ts";
import { refetchChanged } from "./refetch.ts";
import { identityQuery, useHasScope } from "../session/identity.ts";

export type FeedEvent = Schemas["FeedEvent"];
/** `interrupted`: the browser reconnects and then receives what it missed. */
export type Connection = "connecting" | "live" | "interrupted";

/** How often changed data is fetched again, however many events arrive. After a pause, an event has an immediate effect. */
const REFRESH_MS = 400;
/**
 * The service can write a task's row in the lists shortly after it sends the event, so lists are fetched once more when
 * no event has arrived for this long.
 */
const SETTLE_MS = 2_000;
/** How often lists whose fetch is expensive are fetched again. */
const SLOW_LIST_REFRESH_MS = 10_000;
/** A fetch of a list sends a request for each loaded page, so a list of more pages is fetched less often. */
const FAST_LIST_PAGES_MAX = 3;
/** How long to wait before a new connection if the service rejected the last one. Doubles with each rejection. */
const RECONNECT_MIN_MS = 5_000;
const RECONNECT_MAX_MS = 5 * 60_000;

let connection: Connection = "connecting";
const connectionListeners = new Set<() => void>();
const eventListeners = new Set<(event: FeedEvent) => void>();

/** The progress of running tasks, as of their last event. */
const progressByTask = new Map<string, number>();
const PROGRESS_TASKS_MAX = 1_000;

/** The progress of a running task as of its last event; undefined if none has arrived. */
export function useLiveProgress(taskId: string): number | undefined {
  return useSyncExternalStore(onFeedEvent, () => progressByTask.get(taskId));
}

function noteProgress(event: FeedEvent): void {
  if (!("taskId" in event) || event.taskId === undefined) return;
  progressByTask.delete(event.taskId);
  if (event.type !== "progressed") return;
  progressByTask.set(event.taskId, event.data.progress);
  const [oldest] = progressByTask.keys();
  if (progressByTask.size > PROGRESS_TASKS_MAX && oldest !== undefined)
    progressByTask.delete(oldest);
}

function setConnection(next: Connection): void {
  // Events may be missed.
  if (next !== "live") progressByTask.clear();
  connection = next;
  for (const notify of connectionListeners) notify();
}

/** Whether events arrive live. */
export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      connectionListeners.add(listener);
      return () => void connectionListeners.delete(listener);
    },
    () => connection,
  );
}

/** Calls `listener` for each event that arrives. Returns a function that stops it. */
export function onFeedEvent(listener: (event: FeedEvent) => void): () => void {
  eventListeners.add(listener);
  return () => void eventListeners.delete(listener);
}

/**
 * Follows the event feed while the component is shown, and fetches again what the events change. A key without the
 * scope for the feed gets no live updates.
 */
export function useLiveFeed(): void {
  const queryClient = useQueryClient();
  const mayFollow = useHasScope("tasks:read");
  useEffect(() => {
    if (!mayFollow) return;
    const changed: Changes = {
      taskIds: new Set(),
      approvalIds: new Set(),
      areLists: false,
      areApprovals: false,
      areLimits: false,
      areSlowLists: false,
    };
    let rejections = 0;
    /** Whether the next connection starts without the events since the last one, so the shown data may be out of date. */
    let mayHaveMissed = false;
    let refreshedAt = 0;
    /** Whether calls that require approval have changed since the last pause. */
    let haveApprovalsChanged = false;
    let refreshTimer: ReturnType<typeof setTimeout> | undefined;
    let settleTimer: ReturnType<typeof setTimeout> | undefined;
    const slowTimer = setInterval(
      () => refreshSlowLists(queryClient, changed),
      SLOW_LIST_REFRESH_MS,
    );
    // A hidden page fetches nothing.
    document.addEventListener("visibilitychange", scheduleRefresh);
    let source = connect();
    let retryTimer: ReturnType<typeof setTimeout> | undefined;

    function scheduleRefresh(): void {
      const delayMs = Math.max(0, refreshedAt + REFRESH_MS - performance.now());
      refreshTimer ??= setTimeout(() => {
        refreshTimer = undefined;
        refreshedAt = performance.now();
        refresh(queryClient, changed);
      }, delayMs);
    }

    function note(event: FeedEvent): void {
      // Tasks that are not in the cache are not kept, because a page can be hidden for days.
      const taskId = "taskId" in event ? event.taskId : undefined;
      if (taskId !== undefined && queryClient.getQueryState(["task", taskId]) !== undefined)
        changed.taskIds.add(taskId);
      if ("approvalId" in event) {
        changed.approvalIds.add(event.approvalId);
        changed.areApprovals = haveApprovalsChanged = true;
      }
      if ("limitId" in event) changed.areLimits = true;
      scheduleRefresh();
      // Lists show the progress as of the last other change.
      if (event.type === "progressed") return;
      changed.areLists = changed.areSlowLists = true;
      clearTimeout(settleTimer);
      settleTimer = setTimeout(() => {
        changed.areLists = changed.areSlowLists = true;
        changed.areApprovals ||= haveApprovalsChanged;
        haveApprovalsChanged = false;
        scheduleRefresh();
      }, SETTLE_MS);
    }

    function connect(): EventSource {
      setConnection("connecting");
      /** Whether the browser has a position in the feed from which it resumes after an interruption. */
      let resumes = false;
      const opened = new EventSource("/agents/events?from=latest");
      opened.addEventListener("live", () => {
        resumes = true;
      });
      opened.addEventListener("open", () => {
        setConnection("live");
        void queryClient.invalidateQueries({
          predicate: ({ state }) => mayHaveMissed || state.status === "error",
        });
        mayHaveMissed = false;
        rejections = 0;
      });
      opened.addEventListener("error", () => {
        setConnection("interrupted");
        const isRejected = opened.readyState === EventSource.CLOSED;
        if (isRejected || !resumes) mayHaveMissed = true;
        if (!isRejected) return;
        // The service rejected the connection, for example because the session ended.
        void queryClient.invalidateQueries({ queryKey: identityQuery.queryKey });
        const delayMs = Math.min(RECONNECT_MIN_MS * 2 ** rejections, RECONNECT_MAX_MS);
        rejections += 1;
        retryTimer = setTimeout(() => {
          source = connect();
        }, delayMs);
      });
      for (const type of EVENT_TYPES) {
        opened.addEventListener(type, ({ data }: MessageEvent<string>) => {
          const event: FeedEvent = JSON.parse(data);
          note(event);
          noteProgress(event);
          for (const listener of eventListeners) listener(event);
        });
      }
      return opened;
    }

    return () => {
      document.removeEventListener("visibilitychange", scheduleRefresh);
      clearTimeout(refreshTimer);
      clearTimeout(settleTimer);
      clearInterval(slowTimer);
      clearTimeout(retryTimer);
      source.close();
    };
  }, [queryClient, mayFollow]);
}

/** What has changed since the last refresh. */
interface Changes {
  readonly taskIds: Set<string>;
  readonly approvalIds: Set<string>;
  areLists: boolean;
  areApprovals: boolean;
  areLimits: boolean;
  areSlowLists: boolean;
}

/** Fetches the lists and the changed tasks that are shown; others are fetched when they are shown next. */
function refresh(queryClient: QueryClient, changed: Changes): void {
  if (document.hidden) return;
  for (const id of changed.taskIds)
    refetchChanged(queryClient, { queryKey: ["task", id], exact: true });
  changed.taskIds.clear();
  for (const id of changed.approvalIds)
    refetchChanged(queryClient, { queryKey: ["approval", id], exact: true });
  changed.approvalIds.clear();
  if (changed.areApprovals) refetchChanged(queryClient, { queryKey: ["approvals"] });
  changed.areApprovals = false;
  if (changed.areLimits) refetchChanged(queryClient, { queryKey: ["limits"] });
  changed.areLimits = false;
  if (!changed.areLists) return;
  changed.areLists = false;
  for (const name of ["tasks", "agents"])
    refetchChanged(queryClient, { queryKey: [name], predicate: (query) => !isSlowList(query) });
}

function refreshSlowLists(queryClient: QueryClient, changed: Changes): void {
  if (document.hidden || !changed.areSlowLists) return;
  changed.areSlowLists = false;
  for (const name of ["tasks", "agents"])
    refetchChanged(queryClient, { queryKey: [name], predicate: isSlowList });
}

/**
 * Whether each fetch of a list is expensive: it has many loaded pages, or it lists tasks with a search or in another
 * order than newest first, so that the service reads all matching tasks.
 */
function isSlowList({ queryKey: [, filters], state }: Query): boolean {
  if (typeof filters === "object" && filters !== null && ("search" in filters || "sort" in filters))
    return true;
  const data: unknown = state.data;
  return (
    typeof data === "object" &&
    data !== null &&
    "pages" in data &&
    Array.isArray(data.pages) &&
    data.pages.length > FAST_LIST_PAGES_MAX
  );
}
