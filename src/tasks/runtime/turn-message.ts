import { withTimeout } from "../../platform/timeout.ts";
import { PROJECTION_TIMEOUT_MS } from "../limits.ts";
import type { TurnMessage } from "../model/turn.ts";
import { currentRequestId } from "../../platform/request-id.ts";

/** A queue that does not answer must not hold up an alarm, which is what looks after deadlines. */
export async function sendTurnMessage(
  turns: Env["TURNS"],
  body: TurnMessage,
  afterMs: number,
): Promise<void> {
  const delaySeconds = Math.ceil(afterMs / 1_000);
  const requestId = currentRequestId();
  const message = requestId === null ? body : { ...body, requestId };
  await withTimeout(PROJECTION_TIMEOUT_MS, turns.send(message, { delaySeconds }));
}
