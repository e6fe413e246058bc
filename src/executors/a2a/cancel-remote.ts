import { A2A_READ_TIMEOUT_MS } from "./limits.ts";
import type { A2aFailure } from "./failure.ts";
import type { A2aSession } from "./session.ts";
import type { A2aExecutorConfig } from "../../agents/model/agent.ts";
import type { Task } from "../../tasks/model/task.ts";
import type { TurnRequest } from "../contract.ts";
import { parseA2aCheckpoint } from "./checkpoint.ts";
import { toAgentAuthorization } from "../authorization.ts";
import { A2aTransport, createA2aClient } from "./transport.ts";
import { log } from "../../platform/log.ts";

/** An attempt that has ended; `work` contains the checkpoint of its turns. */
type RemoteCancellation = Pick<
  TurnRequest<A2aExecutorConfig>,
  "executor" | "secret" | "egress" | "signal"
> &
  Pick<Task, "work">;

/** Cancels the remote task, if there is one. "again": the agent is unreachable, or its failure is temporary. */
export async function cancelAbandonedTask({
  work,
  executor,
  secret,
  egress,
  signal,
}: RemoteCancellation): Promise<"done" | "again"> {
  const { endpoint = null, taskId = null } = parseA2aCheckpoint(work) ?? {};
  if (endpoint === null || taskId === null) return "done";
  const transport = new A2aTransport(egress, executor.cardUrl, toAgentAuthorization(secret));
  const client = await createA2aClient(endpoint, transport);
  const failure = await cancelRemoteTask({ client, transport }, taskId, signal);
  return failure?.kind === "transient" ? "again" : "done";
}

async function cancelRemoteTask(
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

/** Cancels a remote task that the log does not contain. A repeated turn or `cancelAbandonedTask` handles the others. */
export async function cancelUnrecordedTask(
  { client, transport, remoteTask, progressWriter }: A2aSession,
  ourTaskId: string,
): Promise<void> {
  const { taskId: id, mapping } = remoteTask;
  const isLive =
    mapping === null || mapping.kind === "working" || mapping.kind === "input_required";
  if (id === null || !isLive || progressWriter.isRecorded(id)) return;
  // The turn's own signal may have been aborted.
  const signal = AbortSignal.timeout(A2A_READ_TIMEOUT_MS);
  const failure = await cancelRemoteTask({ client, transport }, id, signal);
  if (failure === null || failure.kind === "terminal" || failure.kind === "not_found") return;
  log.warn("a2a_task_cancel_failed", { taskId: ourTaskId, error: failure.reason });
}
