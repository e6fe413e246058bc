import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { preview } from "../../kernel/problem.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { isTerminal } from "../model/task.ts";
import type { SseMessage } from "../../http/streaming.ts";
import { eventView } from "./event-view.ts";
import { followTask, type TaskFollower, type FollowedTask } from "./follow-task.ts";
import { taskView } from "./view.ts";

const LAST_EVENT_ID = /^(?:0|[1-9]\d{0,14})$/;

interface At {
  readonly id: string;
  readonly origin: string;
  readonly viewer: TaskFollower;
}

/** Where a stream begins: a client that comes back tells the id of what it heard last. */
interface Begin {
  readonly after: number;
  readonly lastEventId: string | undefined;
}

/**
 * A task as a stream: first `snapshot`, the task as GET answers with the `seq` it stands at, then each
 * event behind the beginning under its `seq` as id. Null: who comes back has heard all there will be.
 */
export async function streamTask(
  env: Pick<Env, "TASKS" | "DB">,
  at: At,
  begin: Begin,
  signal: AbortSignal,
): Promise<Result<AsyncIterable<SseMessage | null> | null, Failure>> {
  const { lastEventId } = begin;
  const isReturn = lastEventId !== undefined && lastEventId !== "";
  const after = isReturn ? Number(lastEventId) : begin.after;
  const path = isReturn ? "Last-Event-ID" : "after";
  if (isReturn && !LAST_EVENT_ID.test(lastEventId)) {
    const rule = "must be the id of an event of this task: a whole number";
    return fail(createFieldFailure(path, `${rule}, got ${preview(lastEventId)}`));
  }
  const following = await followTask(env, at.id, at.viewer, after, signal);
  if (!following.ok) return following;
  const { seq, status } = following.value.task;
  if (after > seq) {
    return fail(
      createFieldFailure(
        path,
        `must be the seq of an event of this task, 0 to ${seq}, got ${after}`,
      ),
    );
  }
  if (isReturn && after === seq && isTerminal(status)) return ok(null);
  return ok(framesOf(at, following.value, after));
}

async function* framesOf(
  { id, origin, viewer }: At,
  { task, events }: FollowedTask,
  after: number,
): AsyncGenerator<SseMessage | null> {
  const look = { viewer, now: Date.now() };
  const data = JSON.stringify({ ...taskView(origin, id, task, look), seq: task.seq });
  // Who hears no event comes back with where it began, and not as somebody new.
  yield { event: "snapshot", id: String(after), data };
  for await (const event of events) {
    yield event === null
      ? null
      : { id: String(event.seq), data: JSON.stringify(eventView(event, viewer)) };
  }
}
