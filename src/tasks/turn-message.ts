import type { Turn } from "../domain/turn.ts";
import type { Abandoned } from "./beside.ts";

/** What lies in the queue of turns: a turn to be done, or work elsewhere that is to be stopped. */
export type TurnMessage =
  | { readonly kind: "turn"; readonly taskId: string; readonly turn: Turn }
  | { readonly kind: "cancel"; readonly taskId: string; readonly abandoned: Abandoned };

export async function sendMessage(
  turns: Env["TURNS"],
  message: TurnMessage,
  afterMs: number,
): Promise<void> {
  await turns.send(message, { delaySeconds: Math.ceil(afterMs / 1_000) });
}
