import { withTimeout } from "../../platform/timeout.ts";
import { PROJECTION_TIMEOUT_MS } from "../limits.ts";
import type { ExecutorTurn } from "../model/turn.ts";
import type { AbandonedWork } from "./side-state.store.ts";

/** What lies in the queue of turns: a turn to be done, or work elsewhere that is to be stopped. */
export type TurnMessage =
  | { readonly kind: "turn"; readonly taskId: string; readonly turn: ExecutorTurn }
  | { readonly kind: "cancel"; readonly taskId: string; readonly abandoned: AbandonedWork };

/** A queue that does not answer must not hold up an alarm, which is what looks after deadlines. */
export async function sendTurnMessage(
  turns: Env["TURNS"],
  message: TurnMessage,
  afterMs: number,
): Promise<void> {
  const delaySeconds = Math.ceil(afterMs / 1_000);
  await withTimeout(PROJECTION_TIMEOUT_MS, turns.send(message, { delaySeconds }));
}
