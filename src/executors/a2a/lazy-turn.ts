import type { A2aExecutorConfig } from "../../agents/model/agent.ts";
import type { ExecutionContext, TurnOutcome, TurnRequest } from "../contract.ts";

/**
 * One turn of a task that an A2A agent works on: says what the agent must hear, if anything, then
 * follows its task for a while. Every fault of the other side is an outcome; only the service's own
 * stores throw. The SDK is loaded with the first turn.
 */
export async function loadAndRunA2aTurn(
  request: TurnRequest<A2aExecutorConfig>,
  context: ExecutionContext,
): Promise<TurnOutcome> {
  const { runA2aTurn } = await import("./turn.ts");
  return runA2aTurn(request, context);
}
