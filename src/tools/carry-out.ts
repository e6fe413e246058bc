import type { Authorisation } from "../domain/connector.ts";
import type { Failure } from "../domain/failure.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Health } from "../domain/meter.ts";
import { fail, type Result } from "../domain/result.ts";
import { egressOf } from "../egress/egress.ts";
import type { InvocationFacts } from "./catalogue.ts";
import { healthOf, run, type Work } from "./connectors/connector.ts";
import type { CallOutcome } from "./connectors/contract.ts";
import { failureOf } from "./connectors/failure.ts";
import { renewedAuthorisation, type CredentialEnv } from "./credentials/authorisation.ts";
import type { Invocation } from "./invoke.ts";

export type CarryEnv = CredentialEnv & Pick<Env, "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">;

interface CarriedOut {
  readonly outcome: Result<JsonObject, Failure>;
  readonly health: Health;
}

/**
 * Carries out an admitted call; a token that the other system no longer takes is renewed once. A
 * connector that throws has a bug; it is the tool's failure, and nobody else's work ends with it.
 */
export async function carryOut(
  env: CarryEnv,
  { tool, operation, credential }: InvocationFacts,
  { toolId, capability, parameters }: Pick<Invocation, "toolId" | "capability" | "parameters">,
  authorisation: Authorisation | null,
): Promise<CarriedOut> {
  const work: Work = { toolId, capability, parameters, connector: tool.connector, operation };
  const egress = egressOf(env);
  try {
    let outcome = await run(egress, work, authorisation);
    if (isUnauthorised(outcome) && credential !== null) {
      const renewed = await renewedAuthorisation(env, tool, credential);
      if (!renewed.ok) return { outcome: renewed, health: "well" };
      if (renewed.value !== null) outcome = await run(egress, work, renewed.value);
    }
    if (outcome.ok) return { outcome, health: healthOf(work, null) };
    const failure = failureOf(toolId, outcome.failure);
    return { outcome: fail(failure), health: healthOf(work, outcome.failure) };
  } catch (error) {
    console.error({ event: "tool_threw", toolId, capability, error });
    return { outcome: fail(brokenDown(toolId)), health: "nothing" };
  }
}

function isUnauthorised(outcome: CallOutcome): boolean {
  return !outcome.ok && outcome.failure.kind === "unauthorised";
}

function brokenDown(toolId: string): Failure {
  const reason = "it broke down on this input.";
  const rest = { retryable: true, retryAfterSeconds: null, details: null };
  return { kind: "tool_failed", toolId, reason, ...rest };
}
