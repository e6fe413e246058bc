import type { A2aExecutor } from "../../../domain/agent.ts";
import { A2A_READ_TIMEOUT_MS } from "../../../domain/limits.ts";
import type { Task } from "../../../domain/task.ts";
import type { TurnWork } from "../contract.ts";
import { heldOf } from "./held.ts";
import { authorisationOf } from "./secret.ts";

/** Work that nobody wants any more; `work` is what the agent's turns have left. */
type AbandonedWork = Pick<TurnWork<A2aExecutor>, "executor" | "secret" | "egress" | "signal"> &
  Pick<Task, "work">;

/**
 * Cancels the task elsewhere, if there is one. "again": the agent could not be reached, or is not
 * well; "done": it has cancelled, has ended before, knows of nothing, or will not have it.
 */
export async function cancelUpstream({
  work,
  executor,
  secret,
  egress,
  signal,
}: AbandonedWork): Promise<"done" | "again"> {
  const { endpoint = null, taskId = null } = heldOf(work) ?? {};
  if (endpoint === null || taskId === null) return "done";
  const [{ Line }, { clientOf }] = await Promise.all([import("./line.ts"), import("./client.ts")]);
  const line = new Line(egress, executor.cardUrl, authorisationOf(secret));
  line.timeoutMs = A2A_READ_TIMEOUT_MS;
  const client = await clientOf(endpoint, line);
  try {
    await client.cancelTask({ tenant: "", id: taskId, metadata: undefined }, { signal });
    return "done";
  } catch (error) {
    return line.faultOf(error).kind === "passing" ? "again" : "done";
  }
}
