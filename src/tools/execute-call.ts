import type { RequestAuthorization } from "./model/connector.ts";
import type { Failure } from "../kernel/failure.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { UpstreamHealth } from "./model/tool-meter.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { createEgress } from "../platform/egress/egress.ts";
import type { InvocationContext } from "./invocation-context.store.ts";
import {
  upstreamHealthOf,
  isSafeCall,
  dispatchCall,
  type ConnectorCall,
} from "./connectors/dispatch.ts";
import type { ConnectorFailure, CallOutcome } from "./connectors/contract.ts";
import {
  createTransientUpstreamFailure,
  toToolFailure,
  type UpstreamCallContext,
} from "./connectors/connector-failure.ts";
import {
  resolveAuthorization,
  renewAuthorization,
  type CredentialEnv,
} from "./credentials/authorization.ts";
import type { Invocation } from "./invoke.ts";

export type ExecutionEnv = CredentialEnv & Pick<Env, "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">;

const CONNECTOR_CRASHED = createTransientUpstreamFailure("it broke down on this input.");

interface CallExecution {
  readonly outcome: Result<JsonObject, Failure>;
  readonly health: UpstreamHealth;
}

/**
 * Carries out an admitted call with what the tool authenticates with; a token that the other system no
 * longer takes is renewed once. A connector that throws has a bug; it is the tool's failure, and nobody
 * else's work ends with it.
 */
export async function executeCall(
  env: ExecutionEnv,
  { tool, operation, credential }: InvocationContext,
  { toolId, capability, parameters }: Pick<Invocation, "toolId" | "capability" | "parameters">,
): Promise<CallExecution> {
  const work: ConnectorCall = {
    toolId,
    capability,
    parameters,
    connector: tool.connector,
    operation,
  };
  const called: UpstreamCallContext = {
    isSafe: isSafeCall(work),
    credentialType: credential?.type ?? null,
  };
  const egress = createEgress(env);
  try {
    const authorisation = await resolveCallAuthorization(env, { tool, operation, credential });
    if (!authorisation.ok) {
      return { outcome: authorisation, health: healthOfCredentialFailure(authorisation.failure) };
    }
    let outcome = await dispatchCall(egress, work, authorisation.value);
    if (canRetryWithNewToken(outcome) && credential !== null) {
      const renewed = await renewAuthorization(env, tool, credential);
      if (!renewed.ok) return { outcome: renewed, health: "well" };
      if (renewed.value !== null) outcome = await dispatchCall(egress, work, renewed.value);
    }
    if (outcome.ok) return { outcome, health: upstreamHealthOf(work, null) };
    const failure = toToolFailure(toolId, outcome.failure, called);
    logUpstreamAddress(toolId, outcome.failure);
    return { outcome: fail(failure), health: upstreamHealthOf(work, outcome.failure) };
  } catch (error) {
    console.error({ event: "tool_threw", toolId, capability, error });
    return { outcome: fail(toToolFailure(toolId, CONNECTOR_CRASHED, called)), health: "nothing" };
  }
}

/** Logs the failed address for operators; callers do not see it. */
function logUpstreamAddress(toolId: string, fault: ConnectorFailure): void {
  const isAddressed = fault.kind === "refused_address" || "publicReason" in fault;
  if (!isAddressed || !("reason" in fault)) return;
  console.warn({ event: "tool_address_failed", toolId, reason: fault.reason });
}

/** What goes with the call; a store out of reach is no fault of the tool, and nothing was sent. */
async function resolveCallAuthorization(
  env: ExecutionEnv,
  { tool, operation, credential }: Pick<InvocationContext, "tool" | "operation" | "credential">,
): Promise<Result<RequestAuthorization | null, Failure>> {
  if (credential === null) return ok(null);
  try {
    return await resolveAuthorization(env, tool, credential, operation);
  } catch (error) {
    console.error({ event: "credentials_out_of_reach", toolId: tool.id, error });
    return fail({ kind: "unavailable", what: "The store of credentials" });
  }
}

/** A token endpoint that is out of order is as good as a system that is. */
function healthOfCredentialFailure({ kind }: Failure): UpstreamHealth {
  return kind === "tool_failed" ? "ill" : "nothing";
}

function canRetryWithNewToken(outcome: CallOutcome): boolean {
  if (outcome.ok || outcome.failure.kind !== "unauthorised") return false;
  return outcome.failure.isFinal !== true;
}
