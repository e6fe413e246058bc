import type { TaskEvent } from "../model/events.ts";
import type { Failure } from "../../kernel/failure.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { PAGE_LIMIT_MAX, STREAM_LIFE_MS } from "../../kernel/limits.ts";
import { PING_INTERVAL_MS } from "../limits.ts";
import { ok, type Result } from "../../kernel/result.ts";
import { isTerminal, type Task } from "../model/task.ts";
import { KeyWatch, type WatchedKey } from "../../keys/key-watch.ts";
import { ChangeNotifications } from "../../platform/change-notifications.ts";
import { taskStub, watchTask, type TaskRpc } from "../task.rpc.ts";

/** The viewer of a followed task and the key that must stay valid. */
export type TaskFollower = Viewer & WatchedKey;

export interface FollowedTask {
  /** The task at the start. `applyIfNext` applies later events to it. */
  readonly task: Task;
  /**
   * The events after the starting event, as they occur, without gaps or repeats. They end after the last event of an
   * ended task, when `signal` aborts, when the key is revoked, expires or may no longer see the task, or after a
   * maximum time. `null`: nothing has happened for a while (write a ping).
   */
  readonly events: AsyncIterable<TaskEvent | null>;
  /** Whether the events ended because the key was revoked or expired. */
  readonly hasKeyEnded: () => boolean;
}

/**
 * Follows a task. `after`: the `seq` of the event to start after; null: the task's last event. Fails under the same
 * conditions as reading the task.
 */
export async function followTask(
  env: Pick<Env, "TASKS" | "DB">,
  taskId: string,
  viewer: TaskFollower,
  after: number | null,
  signal: AbortSignal,
): Promise<Result<FollowedTask, Failure>> {
  const stub = taskStub(env.TASKS, taskId);
  if (!stub.ok) return stub;
  const task = await stub.value.read(viewer);
  if (!task.ok) return task;
  const { seq, status } = task.value;
  // The stream of an ended task ends with the last event in the log, so it needs no notifications.
  const watch = isTerminal(status) ? () => null : () => watchTask(env.TASKS, taskId);
  const key = new KeyWatch(env, viewer);
  const source = { key, stub: stub.value, viewer, after: after ?? seq, watch };
  const hasKeyEnded = (): boolean => key.signal.aborted;
  return ok({ task: task.value, events: readLiveEvents(source, signal), hasKeyEnded });
}

interface EventSource {
  readonly key: KeyWatch;
  readonly stub: TaskRpc;
  readonly viewer: Viewer;
  readonly after: number;
  readonly watch: () => Promise<WebSocket | null> | null;
}

/** Reads the events, waits for a notification (which has no content), and reads again. */
async function* readLiveEvents(
  { key, stub, viewer, after, watch }: EventSource,
  signal: AbortSignal,
): AsyncGenerator<TaskEvent | null> {
  const endsAt = Date.now() + STREAM_LIFE_MS;
  // Open the socket before the first read, so no change is missed in between.
  const socket = await watch();
  key.start();
  const notifications = new ChangeNotifications(socket, AbortSignal.any([signal, key.signal]));
  try {
    for (let seq = after; Date.now() < endsAt;) {
      const page = await stub.events(viewer, { after: seq, limit: PAGE_LIMIT_MAX });
      if (!page.ok || key.signal.aborted) return;
      yield* page.value.events;
      seq = page.value.events.at(-1)?.seq ?? seq;
      if (page.value.ended) return;
      if (page.value.more) continue;
      for (;;) {
        const next = await notifications.next(PING_INTERVAL_MS);
        if (next === "changed") break;
        if (next === "over" || Date.now() >= endsAt) return;
        yield null;
      }
    }
  } finally {
    key.stop();
    socket?.close();
  }
}
