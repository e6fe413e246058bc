import { A2A_READ_TIMEOUT_MS } from "./limits.ts";
import type { A2aFailure } from "./failure.ts";
import type { A2aSession } from "./session.ts";
import type { A2aExecutorConfig } from "../../agents/model/agent.ts";
import type { Task } from "../../tasks/model/task.ts";
import type { TurnRequest } from "../contract.ts";
import { parseA2aCheckpoint } from "./checkpoint.ts";
import { toAgentAuthorization } from "../authorization.ts";

/** Work that nobody wants any more; `work` is what the agent's turns have left. */
type RemoteCancellation = Pick<
  TurnRequest<A2aExecutorConfig>,
  "executor" | "secret" | "egress" | "signal"
> &
  Pick<Task, "work">;

/**
 * Cancels the task elsewhere, if there is one. "again": the agent could not be reached, or is not
 * well; "done": it has cancelled, has ended before, knows of nothing, or will not have it.
 */
export async function cancelAbandonedTask({
  work,
  executor,
  secret,
  egress,
  signal,
}: RemoteCancellation): Promise<"done" | "again"> {
  const { endpoint = null, taskId = null } = parseA2aCheckpoint(work) ?? {};
  if (endpoint === null || taskId === null) return "done";
  const { A2aTransport, createA2aClient } = await import("./transport.ts");
  const transport = new A2aTransport(egress, executor.cardUrl, toAgentAuthorization(secret));
  const client = await createA2aClient(endpoint, transport);
  const failure = await cancelRemoteTask({ client, transport }, taskId, signal);
  return failure?.kind === "passing" ? "again" : "done";
}

/** Asks an agent to stop its work on a task; what went wrong, or null. */
export async function cancelRemoteTask(
  { client, transport }: Pick<A2aSession, "client" | "transport">,
  id: string,
  signal: AbortSignal,
): Promise<A2aFailure | null> {
  transport.timeoutMs = A2A_READ_TIMEOUT_MS;
  try {
    await client.cancelTask({ tenant: "", id, metadata: undefined }, { signal });
    return null;
  } catch (error) {
    return transport.classifyError(error);
  }
}

/**
 * Calls off what has begun elsewhere for a turn that nobody waits for any more. Only what the log does
 * not know of: a turn that was lost and is done again goes on with what is known, or others call it off.
 */
export async function cancelUnrecordedTask(
  {
    client,
    transport,
    remoteTask,
    progressWriter,
  }: Pick<A2aSession, "client" | "transport" | "remoteTask" | "progressWriter">,
  ourTaskId: string,
): Promise<void> {
  const { taskId: id, mapping } = remoteTask;
  const isLive = mapping === null || mapping.kind === "going" || mapping.kind === "asks";
  if (id === null || !isLive || progressWriter.isRecorded(id)) return;
  // The turn's own signal may be the reason why it is over.
  const failure = await cancelRemoteTask(
    { client, transport },
    id,
    AbortSignal.timeout(A2A_READ_TIMEOUT_MS),
  );
  if (failure === null || failure.kind === "ended" || failure.kind === "gone") return;
  console.warn({ event: "a2a_task_left_behind", taskId: ourTaskId, reason: failure.reason });
}
