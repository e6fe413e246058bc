import type { A2aExecutor } from "../../../domain/agent.ts";
import type { Task } from "../../../domain/task.ts";
import type { TurnWork } from "../contract.ts";
import { callOff } from "./call-off.ts";
import { heldOf } from "./held.ts";
import { authorisationOf } from "../authorisation.ts";

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
  const client = await clientOf(endpoint, line);
  const fault = await callOff({ client, line }, taskId, signal);
  return fault?.kind === "passing" ? "again" : "done";
}
