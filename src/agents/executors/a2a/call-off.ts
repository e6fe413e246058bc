import { A2A_READ_TIMEOUT_MS } from "../../../domain/limits.ts";
import type { Fault } from "./fault.ts";
import type { Talk } from "./follow.ts";

/** Asks an agent to stop its work on a task; what went wrong, or null. */
export async function callOff(
  { client, line }: Pick<Talk, "client" | "line">,
  id: string,
  signal: AbortSignal,
): Promise<Fault | null> {
  line.timeoutMs = A2A_READ_TIMEOUT_MS;
  try {
    await client.cancelTask({ tenant: "", id, metadata: undefined }, { signal });
    return null;
  } catch (error) {
    return line.faultOf(error);
  }
}

/**
 * Calls off what has begun elsewhere for a turn that nobody waits for any more. Only what the log does
 * not know of: a turn that was lost and is done again goes on with what is known, or others call it off.
 */
export async function callOffUnknown(
  { client, line, sight, log }: Pick<Talk, "client" | "line" | "sight" | "log">,
  ourTaskId: string,
): Promise<void> {
  const { taskId: id, meaning } = sight;
  const isLive = meaning === null || meaning.kind === "going" || meaning.kind === "asks";
  if (id === null || !isLive || log.knows(id)) return;
  // The turn's own signal may be the reason why it is over.
  const fault = await callOff({ client, line }, id, AbortSignal.timeout(A2A_READ_TIMEOUT_MS));
  if (fault === null || fault.kind === "ended" || fault.kind === "gone") return;
  console.warn({ event: "a2a_task_left_behind", taskId: ourTaskId, reason: fault.reason });
}
