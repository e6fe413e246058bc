import type { Failure } from "../../kernel/failure.ts";
import { SECOND_MS } from "../../kernel/units.ts";
import { redactDatabaseError } from "../../platform/d1/client.ts";
import { log } from "../../platform/log.ts";
import { currentRequestId } from "../../platform/request-id.ts";
import type { Invocation } from "../../tools/model/invocation.ts";
import { recordEvents, type AuditEnv, type AuditEvent } from "./audited.ts";
import { DENIALS_PER_BATCH_MAX, DENIALS_QUEUED_MAX } from "./limits.ts";
import { serviceActor } from "../model/audit-entry.ts";
import { sha256Text } from "../../platform/crypto/hash.ts";

/** The denied calls of this isolate that are not yet recorded. */
const queue: AuditEvent[] = [];
/** How many denied calls did not fit into the queue. */
let dropped = 0;
/** A request that records the queue stops after this time, for example because its client disconnects. */
const RECORDING_MAX_MS = 30 * SECOND_MS;
let recordingUntil = 0;

type DeniedCall = Pick<
  Invocation,
  "toolId" | "capability" | "agentId" | "parameters" | "client"
> & {
  readonly taskId: string | null;
};

/**
 * Records a call that a policy denied, together with other calls that wait to be recorded. If the queue is full, the call
 * is only counted, and the next row contains the number. Does not fail.
 */
export function recordDenial(
  env: AuditEnv,
  call: DeniedCall,
  { policyId, reason, error }: Failure<"policy_denied">,
): Promise<void> {
  const { toolId, capability, agentId, taskId, client } = call;
  if (queue.length < DENIALS_QUEUED_MAX) {
    const parametersSha256 = sha256Text(JSON.stringify(call.parameters));
    const after = { policyId, reason, error, agentId, taskId, parametersSha256 };
    queue.push({
      actor: client?.actor ?? serviceActor(currentRequestId()),
      entry: { action: "call.denied", subjectId: `${toolId}/${capability}`, after },
    });
  } else {
    dropped += 1;
  }
  // If a request is recording the queue, it also records this call.
  return Date.now() < recordingUntil ? Promise.resolve() : recordQueue(env);
}

async function recordQueue(env: AuditEnv): Promise<void> {
  recordingUntil = Date.now() + RECORDING_MAX_MS;
  try {
    for (;;) {
      const [first, ...others] = queue.splice(0, DENIALS_PER_BATCH_MAX);
      if (first === undefined) return;
      const count = dropped;
      dropped = 0;
      try {
        await recordEvents(env, [addDropped(first, count), ...others]);
      } catch (error) {
        dropped += count + 1 + others.length;
        log.error("denials_not_recorded", { dropped, error: redactDatabaseError(error) });
      }
    }
  } finally {
    recordingUntil = 0;
  }
}

/** Adds the number of denied calls before this one that were not recorded. */
function addDropped({ actor, entry }: AuditEvent, unrecordedBefore: number): AuditEvent {
  if (unrecordedBefore === 0) return { actor, entry };
  return { actor, entry: { ...entry, after: { ...entry.after, unrecordedBefore } } };
}
