import type { TaskEvent } from "../model/events.ts";
import type { Failure } from "../../kernel/failure.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { PAGE_LIMIT_MAX, STREAM_LIFE_MS } from "../../kernel/limits.ts";
import { PING_INTERVAL_MS } from "../limits.ts";
import { ok, type Result } from "../../kernel/result.ts";
import { isTerminal, type Task } from "../model/task.ts";
import { KeyWatch, type WatchedKey } from "../../keys/key-watch.ts";
import { ChangeNotifications } from "./change-notifications.ts";
import { taskStub, watchTask, type TaskRpc } from "../task.rpc.ts";

/** The viewer of a followed task and the key that must stay valid. */
export type TaskFollower = Viewer & WatchedKey;

/** A task as it stands, and what becomes of it. */
export interface FollowedTask {
  /** The task now: at `task.seq`, so that `apply` of src/tasks/model/fold.ts brings it up to each later event. */
  readonly task: Task;
  /**
   * Live events after `after`, without gaps or repeats. Ends after a final event, when `signal` aborts,
   * when the key ends or may no longer see the task, and after a maximum time.
   * `null`: nothing has happened for a while (write a ping).
   */
  readonly events: AsyncIterable<TaskEvent | null>;
  /** Whether the events ended because the key ended. */
  readonly hasKeyEnded: () => boolean;
}

/**
 * Follows a task from the event behind `after` on, null for what comes after the task as it stands now;
 * fails as reading the task would.
 */
export async function followTask(
  env: Pick<Env, "TASKS" | "DB">,
  taskId: string,
  viewer: TaskFollower,
  after: number | null,
  signal: AbortSignal,
): Promise<Result<FollowedTask, Failure>> {
  const port = taskStub(env.TASKS, taskId);
  if (!port.ok) return port;
  const task = await port.value.read(viewer);
  if (!task.ok) return task;
  const { seq, status } = task.value;
  // Who has ended has nothing to say but what is written already.
  const watch = isTerminal(status) ? () => null : () => watchTask(env.TASKS, taskId);
  const key = new KeyWatch(env, viewer);
  const from = { key, port: port.value, viewer, after: after ?? seq, watch };
  const hasKeyEnded = (): boolean => key.signal.aborted;
  return ok({ task: task.value, events: live(from, signal), hasKeyEnded });
}

interface From {
  readonly key: KeyWatch;
  readonly port: TaskRpc;
  readonly viewer: Viewer;
  readonly after: number;
  readonly watch: () => Promise<WebSocket | null> | null;
}

/** Reads what there is, then waits for word of more; the word is never trusted to say what. */
async function* live(
  { key, port, viewer, after, watch }: From,
  signal: AbortSignal,
): AsyncGenerator<TaskEvent | null> {
  const endsAt = Date.now() + STREAM_LIFE_MS;
  // Before the first read, so that nothing happens in between unheard.
  const socket = await watch();
  key.start();
  const nudges = new ChangeNotifications(socket, AbortSignal.any([signal, key.signal]));
  try {
    for (let seq = after; Date.now() < endsAt;) {
      const page = await port.events(viewer, { after: seq, limit: PAGE_LIMIT_MAX });
      if (!page.ok || key.signal.aborted) return;
      yield* page.value.events;
      seq = page.value.events.at(-1)?.seq ?? seq;
      if (page.value.ended) return;
      if (page.value.more) continue;
      for (let word = await nudges.next(PING_INTERVAL_MS); word !== "nudge";) {
        if (word === "over" || Date.now() >= endsAt) return;
        yield null;
        word = await nudges.next(PING_INTERVAL_MS);
      }
    }
  } finally {
    key.stop();
    socket?.close();
  }
}
