import type { A2aExecutor } from "../../../domain/agent.ts";
import type { TurnHands, TurnOutcome, TurnWork } from "../contract.ts";

/**
 * One turn of a task that an A2A agent works on: says what the agent must hear, if anything, then
 * follows its task for a while. Every fault of the other side is an outcome; only the service's own
 * stores throw. The SDK is loaded with the first turn.
 */
export async function a2aTurn(work: TurnWork<A2aExecutor>, hands: TurnHands): Promise<TurnOutcome> {
  const { takeTurn } = await import("./take-turn.ts");
  return takeTurn(work, hands);
}
