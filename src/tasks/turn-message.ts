import { within } from "../clock/within.ts";
import { PROJECTION_WAIT_MS } from "../domain/limits.ts";
import type { Turn } from "../domain/turn.ts";
import type { Abandoned } from "./beside.ts";

/** What lies in the queue of turns: a turn to be done, or work elsewhere that is to be stopped. */
export type TurnMessage =
  | { readonly kind: "turn"; readonly taskId: string; readonly turn: Turn }
  | { readonly kind: "cancel"; readonly taskId: string; readonly abandoned: Abandoned };

/** A queue that does not answer must not hold up an alarm, which is what looks after deadlines. */
export async function sendMessage(
  turns: Env["TURNS"],
  message: TurnMessage,
  afterMs: number,
): Promise<void> {
  const delaySeconds = Math.ceil(afterMs / 1_000);
  await within(PROJECTION_WAIT_MS, turns.send(message, { delaySeconds }));
}
