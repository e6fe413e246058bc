import { database } from "../db/client.ts";
import { checkParameters } from "../domain/capability.ts";
import { humanDuration } from "../domain/duration.ts";
import type { Failure, RateWindow } from "../domain/failure.ts";
import type { JsonObject } from "../domain/json.ts";
import type { MeterState } from "../domain/meter.ts";
import type { Problem } from "../domain/problem.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { findForInvocation, type InvocationFacts } from "./catalogue.ts";
import { runBuiltin } from "./connectors/builtin.ts";
import { meterOf, type MeterPort } from "./port.ts";

/** One call of a capability. `agentId` null: called by nobody in particular, which no grant restricts. */
export interface Invocation {
  readonly toolId: string;
  readonly capability: string;
  readonly parameters: JsonObject;
  readonly agentId: string | null;
  /** The agents of the key that asks; null for an unbound key. */
  readonly visibleAgentIds: readonly string[] | null;
  /** The most that the call may cost, in US dollars; null for any price. */
  readonly costMax: number | null;
}

export interface Invoked {
  readonly result: JsonObject;
  readonly cost: number;
  readonly durationMs: number;
  readonly window: RateWindow;
}

/**
 * The one way in which a tool is used, by clients and agents alike: grant, parameters, meter, work.
 * A refused call, or one whose parameters cannot be worked with, costs nothing.
 */
export async function invoke(
  env: Pick<Env, "DB" | "METERS">,
  call: Invocation,
): Promise<Result<Invoked, Failure>> {
  const facts = await findForInvocation(database(env.DB), call, call.visibleAgentIds);
  const checked = check(facts, call);
  if (!checked.ok) return checked;
  const { tool } = checked.value;
  const meter = meterOf(env.METERS, tool.id);
  const { rateLimit, pricing } = tool;
  const admission = await meter.admit({ rateLimit, pricing, costMax: call.costMax });
  if (!admission.admitted) {
    const { refusal, window } = admission;
    const kind = refusal === "rate" ? "rate_limited" : "budget_exceeded";
    return fail({ kind, toolId: tool.id, window });
  }
  const startedAt = Date.now();
  const outcome = await run(call);
  if (!outcome.ok) {
    await giveBack(meter, admission.state);
    return outcome;
  }
  const durationMs = Date.now() - startedAt;
  const { cost, window } = admission;
  return ok({ result: outcome.value, cost, durationMs, window });
}

/** A place that cannot be given back is lost; the caller's own answer matters more. */
async function giveBack(meter: MeterPort, admitted: MeterState): Promise<void> {
  try {
    await meter.giveBack(admitted);
  } catch (error) {
    console.warn({ event: "meter_not_given_back", error });
  }
}

/** `usage` of an answered invocation. */
export function usageOf(call: Invocation, invoked: Invoked): object {
  const { toolId, capability } = call;
  return { toolId, capability, cost: invoked.cost, duration: humanDuration(invoked.durationMs) };
}

function check(facts: InvocationFacts | null, call: Invocation): Result<InvocationFacts, Failure> {
  const { toolId, capability, agentId } = call;
  if (facts === null || !facts.visible)
    return fail({ kind: "not_found", what: "tool", id: toolId });
  if (facts.capability === null) {
    return fail({ kind: "not_found", what: "capability", id: capability });
  }
  if (agentId !== null) {
    if (!facts.agentKnown) return fail({ kind: "not_found", what: "agent", id: agentId });
    if (facts.grant === null) return fail({ kind: "tool_access_denied", agentId, toolId });
    const granted = facts.grant.capabilities;
    if (granted !== null && !granted.includes(capability)) {
      return fail({ kind: "capability_not_granted", agentId, toolId, capability, granted });
    }
  }
  const problems = checkParameters(facts.capability, call.parameters);
  return problems.length === 0 ? ok(facts) : fail(parameterFailure(problems));
}

/** A tool that throws has a bug; it is the tool's failure, and nobody else's work ends with it. */
async function run(call: Invocation): Promise<Result<JsonObject, Failure>> {
  const { toolId, capability, parameters } = call;
  try {
    const outcome = await runBuiltin(toolId, capability, parameters);
    return outcome.ok ? outcome : fail(parameterFailure(outcome.failure));
  } catch (error) {
    console.error({ event: "tool_threw", toolId, capability, error });
    return fail({ kind: "tool_failed", toolId, reason: "it broke down on this input." });
  }
}

function parameterFailure(problems: readonly Problem[]): Failure {
  return {
    kind: "validation",
    problems: problems.map(({ path, message }) => ({ path: `parameters.${path}`, message })),
  };
}
