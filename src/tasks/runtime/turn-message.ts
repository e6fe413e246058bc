import { withTimeout } from "../../platform/timeout.ts";
import { PROJECTION_TIMEOUT_MS } from "../limits.ts";
import type { TurnMessage } from "../model/turn.ts";

/** A queue that does not answer must not hold up an alarm, which is what looks after deadlines. */
export async function sendTurnMessage(
  turns: Env["TURNS"],
  message: TurnMessage,
  afterMs: number,
): Promise<void> {
  const delaySeconds = Math.ceil(afterMs / 1_000);
  await withTimeout(PROJECTION_TIMEOUT_MS, turns.send(message, { delaySeconds }));
}
