import type { Authorisation } from "../domain/connector.ts";
import type { Failure } from "../domain/failure.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Health } from "../domain/meter.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { egressOf } from "../egress/egress.ts";
import type { InvocationFacts } from "./catalogue.ts";
import { healthOf, isSafeWork, run, type Work } from "./connectors/connector.ts";
import type { CallFault, CallOutcome } from "./connectors/contract.ts";
import { failureOf, type Called } from "./connectors/failure.ts";
import { ill } from "./connectors/http/fault.ts";
import {
  authorisationOf,
  renewedAuthorisation,
  type CredentialEnv,
} from "./credentials/authorisation.ts";
import type { Invocation } from "./invoke.ts";

export type CarryEnv = CredentialEnv & Pick<Env, "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">;

const BROKE_DOWN = ill("it broke down on this input.");

interface CarriedOut {
  readonly outcome: Result<JsonObject, Failure>;
  readonly health: Health;
}

/**
 * Carries out an admitted call with what the tool authenticates with; a token that the other system no
 * longer takes is renewed once. A connector that throws has a bug; it is the tool's failure, and nobody
 * else's work ends with it.
 */
export async function carryOut(
  env: CarryEnv,
  { tool, operation, credential }: InvocationFacts,
  { toolId, capability, parameters }: Pick<Invocation, "toolId" | "capability" | "parameters">,
): Promise<CarriedOut> {
  const work: Work = { toolId, capability, parameters, connector: tool.connector, operation };
  const called: Called = { isSafe: isSafeWork(work), credentialType: credential?.type ?? null };
  const egress = egressOf(env);
  try {
    const authorisation = await credentialled(env, { tool, operation, credential });
    if (!authorisation.ok) {
      return { outcome: authorisation, health: healthBehind(authorisation.failure) };
    }
    let outcome = await run(egress, work, authorisation.value);
    if (mayBeRenewed(outcome) && credential !== null) {
      const renewed = await renewedAuthorisation(env, tool, credential);
      if (!renewed.ok) return { outcome: renewed, health: "well" };
      if (renewed.value !== null) outcome = await run(egress, work, renewed.value);
    }
    if (outcome.ok) return { outcome, health: healthOf(work, null) };
    const failure = failureOf(toolId, outcome.failure, called);
    logAddress(toolId, outcome.failure);
    return { outcome: fail(failure), health: healthOf(work, outcome.failure) };
  } catch (error) {
    console.error({ event: "tool_threw", toolId, capability, error });
    return { outcome: fail(failureOf(toolId, BROKE_DOWN, called)), health: "nothing" };
  }
}

/** Logs the failed address for operators; callers do not see it. */
function logAddress(toolId: string, fault: CallFault): void {
  const isAddressed = fault.kind === "refused_address" || "publicReason" in fault;
  if (!isAddressed || !("reason" in fault)) return;
  console.warn({ event: "tool_address_failed", toolId, reason: fault.reason });
}

/** What goes with the call; a store out of reach is no fault of the tool, and nothing was sent. */
async function credentialled(
  env: CarryEnv,
  { tool, operation, credential }: Pick<InvocationFacts, "tool" | "operation" | "credential">,
): Promise<Result<Authorisation | null, Failure>> {
  if (credential === null) return ok(null);
  try {
    return await authorisationOf(env, tool, credential, operation);
  } catch (error) {
    console.error({ event: "credentials_out_of_reach", toolId: tool.id, error });
    return fail({ kind: "unavailable", what: "The store of credentials" });
  }
}

/** A token endpoint that is out of order is as good as a system that is. */
function healthBehind({ kind }: Failure): Health {
  return kind === "tool_failed" ? "ill" : "nothing";
}

function mayBeRenewed(outcome: CallOutcome): boolean {
  if (outcome.ok || outcome.failure.kind !== "unauthorised") return false;
  return outcome.failure.isFinal !== true;
}
