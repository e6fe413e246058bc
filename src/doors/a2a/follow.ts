import type { TaskEvent } from "../../domain/events.ts";
import { A2A_DOOR_WAIT_MS } from "../../domain/limits.ts";
import { followTask } from "../../tasks/follow.ts";
import type { Door } from "./door.ts";
import { lived, type Life } from "./lives.ts";
import { readLives, type Found } from "./log.ts";
import { isOver, isSettled, stateOf } from "./states.ts";

/** An event, and the life that it has led to. */
export interface Step {
  readonly event: TaskEvent;
  readonly life: Life;
}

/** What becomes of a life from where it was found; ends with it, or as `followTask` does. Null is a ping. */
export async function* followLife(
  { env, key, signal }: Door,
  { address, life: found, isLast }: Found,
): AsyncGenerator<Step | null, void, undefined> {
  if (!isLast || isOver(stateOf(found.task))) return;
  const following = await followTask(env, address.taskId, key, found.task.seq, signal);
  if (!following.ok) return;
  const readAt = async (seq: number): Promise<Life | null> => {
    const lives = await readLives(env, key, address.taskId, seq);
    return lives.ok ? (lives.value.find(({ number }) => number === address.life) ?? null) : null;
  };
  yield* stepsOf(found, following.value.events, readAt);
}

/**
 * The steps of a life through later events. If events in between are missing, `readAt` reads the life as of an
 * event. It returns null if the life is over or hidden at that event; then the steps end.
 */
export async function* stepsOf(
  found: Life,
  events: AsyncIterable<TaskEvent | null>,
  readAt: (seq: number) => Promise<Life | null>,
): AsyncGenerator<Step | null, void, undefined> {
  let life = found;
  for await (const event of events) {
    if (event === null) {
      yield null;
      continue;
    }
    const isNext = event.seq === life.task.seq + 1;
    const next = isNext ? lived(life, event) : await readAt(event.seq);
    if (next === null) return;
    life = next;
    yield { event, life };
    if (isOver(stateOf(life.task))) return;
  }
}

/** A life as soon as it has ended or asks for something, or as it is when that takes too long. */
export async function settled(door: Door, found: Found): Promise<Life> {
  if (isSettled(stateOf(found.life.task))) return found.life;
  const signal = AbortSignal.any([door.signal, AbortSignal.timeout(A2A_DOOR_WAIT_MS)]);
  let { life } = found;
  for await (const step of followLife({ ...door, signal }, found)) {
    if (step === null) continue;
    ({ life } = step);
    if (isSettled(stateOf(life.task))) break;
  }
  return life;
}
