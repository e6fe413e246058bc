import { StreamResponse } from "@a2a-js/sdk";
import { fail, ok, type Result } from "../../domain/result.ts";
import { holdOpen } from "../../keys/key-limits.ts";
import type { Door } from "./door.ts";
import { faultOf, faultOfFailure, type Fault } from "./faults.ts";
import { followLife } from "./follow.ts";
import { findTask, type Found } from "./log.ts";
import { shown } from "./show.ts";
import { endsStream, isOver, noteOf, stateOf } from "./states.ts";
import { updatesOf } from "./updates.ts";

/** Messages of a stream as the protocol writes them; null is a ping. */
export type Frames = AsyncGenerator<unknown, void, undefined>;

/** A task that is not over, as a stream; one that waits for somebody is watched until it waits again. */
export async function subscribe(
  door: Door,
  { id }: { readonly id: string },
): Promise<Result<Frames, Fault>> {
  const found = await findTask(door, id);
  if (!found.ok) return found;
  const { life, isLast } = found.value;
  if (isLast && !isOver(stateOf(life.task))) {
    const held = holdOpen(door.key, door.signal);
    return held.ok ? ok(framesOf(door, found.value, null)) : fail(faultOfFailure(held.failure));
  }
  const message = `A task that is ${life.task.status} never changes any more; read it with GetTask.`;
  return fail(faultOf("unsupported_operation", message));
}

/** The task as it stands, then what becomes of it, until it is over or asks for something. */
export async function* framesOf(door: Door, found: Found, historyMax: number | null): Frames {
  const { address } = found;
  const task = await shown(door, address, found.life, historyMax);
  yield StreamResponse.toJSON({ payload: { $case: "task", value: task } });
  for await (const step of followLife(door, found)) {
    if (step === null) {
      yield null;
      continue;
    }
    for (const update of await updatesOf(door, address, step.life, step.event)) {
      yield StreamResponse.toJSON(update);
    }
    // A question that stays open through what is no news has not been asked again.
    if (noteOf(step.event) !== null && endsStream(stateOf(step.life.task))) return;
  }
}
