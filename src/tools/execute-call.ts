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
import type { Invocation } from "./model/invocation.ts";
import { log } from "../platform/log.ts";

export type ExecutionEnv = CredentialEnv & Pick<Env, "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">;

const CONNECTOR_CRASHED = createTransientUpstreamFailure("it broke down on this input.");

interface CallOutcomeAndHealth {
  readonly outcome: Result<JsonObject, Failure>;
  /** What the call showed of the system behind the tool. */
  readonly health: UpstreamHealth;
}

export interface CallExecution extends CallOutcomeAndHealth {
  readonly startedAt: number;
  readonly durationMs: number;
}

type CalledContext = Pick<InvocationContext, "tool" | "operation" | "credential">;
type CalledCapability = Pick<Invocation, "toolId" | "capability" | "parameters">;

/** Executes an admitted call, and measures it. */
export async function executeCall(
  env: ExecutionEnv,
  context: CalledContext,
  call: CalledCapability,
): Promise<CallExecution> {
  const startedAt = Date.now();
  const execution = await runConnector(env, context, call);
  return { ...execution, startedAt, durationMs: Date.now() - startedAt };
}

/**
 * Sends the call with the tool's credential. If the other system rejects the token, the token is renewed
 * once. A connector that throws has a bug, which is a failure of the tool.
 */
async function runConnector(
  env: ExecutionEnv,
  { tool, operation, credential }: CalledContext,
  { toolId, capability, parameters }: CalledCapability,
): Promise<CallOutcomeAndHealth> {
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
    const authorization = await resolveCallAuthorization(env, { tool, operation, credential });
    if (!authorization.ok) {
      return { outcome: authorization, health: healthOfCredentialFailure(authorization.failure) };
    }
    let outcome = await dispatchCall(egress, work, authorization.value);
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
    log.error("tool_call_threw", { toolId, capability, error });
    return { outcome: fail(toToolFailure(toolId, CONNECTOR_CRASHED, called)), health: "nothing" };
  }
}

/** Logs the failed address for operators; callers do not see it. */
function logUpstreamAddress(toolId: string, fault: ConnectorFailure): void {
  const isAddressed = fault.kind === "refused_address" || "publicReason" in fault;
  if (!isAddressed || !("reason" in fault)) return;
  log.warn("tool_request_failed", { toolId, error: fault.reason });
}

/** If the store of credentials is unavailable, nothing is sent, and the tool is not to blame. */
async function resolveCallAuthorization(
  env: ExecutionEnv,
  { tool, operation, credential }: CalledContext,
): Promise<Result<RequestAuthorization | null, Failure>> {
  if (credential === null) return ok(null);
  try {
    return await resolveAuthorization(env, tool, credential, operation);
  } catch (error) {
    log.error("credentials_read_failed", { toolId: tool.id, error });
    return fail({ kind: "unavailable", what: "The store of credentials" });
  }
}

/** A token endpoint that does not work counts as a system that does not work. */
function healthOfCredentialFailure({ kind }: Failure): UpstreamHealth {
  return kind === "tool_failed" ? "ill" : "nothing";
}

function canRetryWithNewToken(outcome: CallOutcome): boolean {
  if (outcome.ok || outcome.failure.kind !== "unauthorized") return false;
  return outcome.failure.isFinal !== true;
}
