import type { Failure } from "../kernel/failure.ts";
import type { JsonObject } from "../kernel/json.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import type { EgressEnv } from "../platform/egress/egress.ts";
import { log } from "../platform/log.ts";
import type { AuthorizedContext } from "./authorize.ts";
import {
  createTransientUpstreamFailure,
  toToolFailure,
  type UpstreamCallContext,
} from "./connectors/connector-failure.ts";
import type { CallOutcome, ConnectorFailure } from "./connectors/contract.ts";
import {
  dispatchCall,
  isSafeCall,
  upstreamHealthOf,
  type ConnectorCall,
} from "./connectors/dispatch.ts";
import {
  renewAuthorization,
  resolveAuthorization,
  type CredentialEnv,
} from "./credentials/authorization.ts";
import type { Invocation } from "./model/invocation.ts";
import type { UpstreamHealth } from "./model/tool-meter.ts";

export type ExecutionEnv = CredentialEnv & EgressEnv;

const CONNECTOR_CRASHED = createTransientUpstreamFailure("it failed unexpectedly on this input.");

export interface CallExecution {
  readonly outcome: Result<JsonObject, Failure>;
  /** What the call revealed about the system behind the tool. */
  readonly health: UpstreamHealth;
}

/** Sends the call with the tool's credential, which is renewed once if the system behind the tool rejects the token. */
export async function executeCall(
  env: ExecutionEnv,
  { tool, capability: { operation }, credential }: AuthorizedContext,
  { toolId, capability, parameters }: Invocation,
): Promise<CallExecution> {
  const { connector } = tool;
  const work: ConnectorCall = { toolId, capability, parameters, connector, operation };
  const called: UpstreamCallContext = {
    isSafe: isSafeCall(work),
    credentialType: credential?.type ?? null,
  };
  try {
    const authorization =
      credential === null ? ok(null) : await openAuthorization(env, tool, credential, operation);
    if (!authorization.ok) {
      // A failing token endpoint counts as a failure of the system behind the tool.
      const isUnhealthy = authorization.failure.kind === "tool_failed";
      return { outcome: authorization, health: isUnhealthy ? "unhealthy" : "unknown" };
    }
    let outcome = await dispatchCall(env, work, authorization.value);
    if (canRetryWithNewToken(outcome) && credential !== null) {
      const renewed = await renewAuthorization(env, tool, credential);
      if (!renewed.ok) return { outcome: renewed, health: "healthy" };
      if (renewed.value !== null) outcome = await dispatchCall(env, work, renewed.value);
    }
    if (outcome.ok) return { outcome, health: upstreamHealthOf(work, null) };
    const failure = toToolFailure(toolId, outcome.failure, called);
    logUpstreamAddress(toolId, outcome.failure);
    return { outcome: fail(failure), health: upstreamHealthOf(work, outcome.failure) };
  } catch (error) {
    log.error("tool_call_threw", { toolId, capability, error });
    return { outcome: fail(toToolFailure(toolId, CONNECTOR_CRASHED, called)), health: "unknown" };
  }
}

/** Logs the failed address for operators. Callers do not see it. */
function logUpstreamAddress(toolId: string, failure: ConnectorFailure): void {
  const isAddressed = failure.kind === "rejected_address" || "publicReason" in failure;
  if (!isAddressed || !("reason" in failure)) return;
  log.warn("tool_request_failed", { toolId, error: failure.reason });
}

/** Reads the credentials. If that fails, nothing is sent, and the failure does not count against the tool. */
async function openAuthorization(
  ...[env, tool, row, operation]: Parameters<typeof resolveAuthorization>
): ReturnType<typeof resolveAuthorization> {
  try {
    return await resolveAuthorization(env, tool, row, operation);
  } catch (error) {
    log.error("credentials_read_failed", { toolId: tool.id, error });
    return fail({ kind: "unavailable", what: "The credential store" });
  }
}

function canRetryWithNewToken(outcome: CallOutcome): boolean {
  if (outcome.ok || outcome.failure.kind !== "unauthorized") return false;
  return outcome.failure.isFinal !== true;
}
