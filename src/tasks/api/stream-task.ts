import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { preview, fail, ok, type Result } from "../../kernel/result.ts";
import { isTerminal } from "../model/task.ts";
import type { SseMessage } from "../../http/streaming.ts";
import { eventView, taskView } from "./view.ts";
import { followTask, type TaskFollower, type FollowedTask } from "./follow-task.ts";

const LAST_EVENT_ID = /^(?:0|[1-9]\d{0,14})$/;

interface StreamedTask {
  readonly id: string;
  readonly origin: string;
  readonly viewer: TaskFollower;
}

/** Where a stream begins. A reconnecting client sends the id of the last event that it received. */
interface StreamStart {
  readonly after: number;
  readonly lastEventId: string | undefined;
}

/**
 * Streams a task: first `snapshot`, the task as GET returns it plus its `seq`, then each event after the start, with
 * its `seq` as id. Returns null if a reconnecting client has received all events of an ended task.
 */
export async function streamTask(
  env: Pick<Env, "TASKS" | "DB">,
  at: StreamedTask,
  start: StreamStart,
  signal: AbortSignal,
): Promise<Result<AsyncIterable<SseMessage | null> | null, Failure>> {
  const { lastEventId } = start;
  const isReconnect = lastEventId !== undefined && lastEventId !== "";
  const after = isReconnect ? Number(lastEventId) : start.after;
  const path = isReconnect ? "Last-Event-ID" : "after";
  if (isReconnect && !LAST_EVENT_ID.test(lastEventId)) {
    const rule = "must be the id of one of this task's events, a whole number";
    return fail(createFieldFailure(path, `${rule}, got ${preview(lastEventId)}`));
  }
  const following = await followTask(env, at.id, at.viewer, after, signal);
  if (!following.ok) return following;
  const { seq, status } = following.value.task;
  if (after > seq) {
    return fail(
      createFieldFailure(
        path,
        `must be at most ${seq}, the seq of the task's last event, got ${after}`,
      ),
    );
  }
  if (isReconnect && after === seq && isTerminal(status)) return ok(null);
  return ok(toMessages(at, following.value, after));
}

async function* toMessages(
  { id, origin, viewer }: StreamedTask,
  { task, events }: FollowedTask,
  after: number,
): AsyncGenerator<SseMessage | null> {
  const view = taskView(origin, id, task, { viewer, now: Date.now() });
  const data = JSON.stringify({ ...view, seq: task.seq });
  // With this id, a client that has not received any event reconnects at the position where it started.
  yield { event: "snapshot", id: String(after), data };
  for await (const event of events) {
    yield event === null
      ? null
      : { id: String(event.seq), data: JSON.stringify(eventView(event, viewer)) };
  }
}
