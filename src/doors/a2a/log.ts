import type { Failure } from "../../domain/failure.ts";
import { firstVisibleSeq } from "../../domain/handover.ts";
import type { Viewer } from "../../domain/key.ts";
import { A2A_EVENTS_AT_ONCE_MAX } from "../../domain/limits.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { taskOf } from "../../tasks/port.ts";
import type { Door } from "./door.ts";
import { faultOfFailure, type Fault } from "./faults.ts";
import { addressOf, type Address } from "./ids.ts";
import { extend, type Life } from "./lives.ts";

/**
 * The lives of a task, oldest first, as of an event, or now; fails as reading the task would. Progress
 * that was overtaken is left out, so that a long log is one call as well; so are its costs, then.
 */
export async function readLives(
  env: Pick<Env, "TASKS">,
  viewer: Viewer,
  taskId: string,
  until = Infinity,
): Promise<Result<Life[], Failure>> {
  const port = taskOf(env.TASKS, taskId);
  if (!port.ok) return port;
  const lives: Life[] = [];
  for (let after = 0; ;) {
    const wanted = { after, limit: A2A_EVENTS_AT_ONCE_MAX, outlineUpTo: until };
    const page = await port.value.events(viewer, wanted);
    if (!page.ok) return page;
    const { events, more } = page.value;
    extend(lives, events);
    after = events.at(-1)?.seq ?? after;
    if (!more || events.length === 0) return ok(visibleLives(viewer, lives));
  }
}

/**
 * The lives that a key may see. For a key bound to an agent, other agents' lives do not exist; of a life that
 * another agent began, it sees that agent's part only as far as people wrote it.
 */
function visibleLives(viewer: Viewer, lives: readonly Life[]): Life[] {
  const last = lives.at(-1);
  const first = last === undefined ? 0 : firstVisibleSeq(viewer, last.task);
  return lives.filter(({ task }) => task.seq >= first).map((life) => since(life, first));
}

/** A life without its agent's messages from before an event. */
function since({ note, history, ...life }: Life, first: number): Life {
  return {
    ...life,
    note: note.seq < first ? { ...note, text: null } : note,
    history: history.filter(({ seq, by }) => by === "user" || seq >= first),
  };
}

/** A life that was found, and whether it is the last, which alone can go on. */
export interface Found {
  readonly address: Address;
  readonly life: Life;
  readonly isLast: boolean;
}

/** The task of an id of A2A, if the key may see it. */
export async function findTask({ env, key }: Door, id: string): Promise<Result<Found, Fault>> {
  const missing: Failure = { kind: "not_found", what: "task", id };
  const address = addressOf(id);
  if (address === null) return fail(faultOfFailure(missing));
  const lives = await readLives(env, key, address.taskId);
  if (!lives.ok) {
    return fail(faultOfFailure(lives.failure.kind === "not_found" ? missing : lives.failure));
  }
  const life = lives.value.find(({ number }) => number === address.life);
  if (life === undefined) return fail(faultOfFailure(missing));
  return ok({ address, life, isLast: life === lives.value.at(-1) });
}
