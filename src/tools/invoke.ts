import { database } from "../db/client.ts";
import type { Capability } from "../domain/capability.ts";
import { humanDuration } from "../domain/duration.ts";
import type { Failure, RateWindow } from "../domain/failure.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Admission, Health, Pass, Terms } from "../domain/meter.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { ToolCall } from "../domain/task.ts";
import { onTheWire } from "../http/failure.ts";
import { carryOut, type CarryEnv } from "./carry-out.ts";
import { findForInvocation, type CallingAgent, type InvocationFacts } from "./catalogue.ts";
import { parameterFailure } from "./connectors/failure.ts";
import { authorisationOf } from "./credentials/authorisation.ts";
import { parameterProblems } from "./parameters.ts";
import { meterOf, type MeterPort, type Verdict } from "./port.ts";
import type { Purse } from "./purse.ts";

/** What invoking needs of the Worker's bindings. */
export type InvokeEnv = CarryEnv & Pick<Env, "DB" | "METERS">;

/** One call of a capability. `agentId` null: called by nobody in particular, which no grant restricts. */
export interface Invocation {
  readonly toolId: string;
  readonly capability: string;
  readonly parameters: JsonObject;
  readonly agentId: string | null;
  /** The agents of the key that asks; null for an unbound key. */
  readonly visibleAgentIds: readonly string[] | null;
  /** The team of the calling key; null for none. The team of a task overrides it. */
  readonly teamId: string | null;
  /** Finds the task under which the call is made, after the agent's grant has been checked. */
  readonly findTask: FindTask;
}

/** The task under which a call is made, and the budget that pays for it. */
export interface CallTask {
  readonly taskId: string;
  readonly teamId: string | null;
  readonly purse: Purse;
}

/** `agent`: the calling agent, or null. Returns null if the call is made under no task. */
export type FindTask = (agent: CallingAgent | null) => Promise<Result<CallTask | null, Failure>>;

export interface Invoked {
  readonly result: JsonObject;
  readonly cost: number;
  readonly durationMs: number;
  readonly window: RateWindow;
}

/**
 * The one way in which a tool is used, by clients and agents alike: grant, parameters, credentials,
 * budget, meter, work. A refused call costs nothing, and neither does one that fails.
 */
export async function invoke(env: InvokeEnv, call: Invocation): Promise<Result<Invoked, Failure>> {
  const facts = await findForInvocation(database(env.DB), call, call.visibleAgentIds);
  const allowed = authorize(facts, call);
  if (!allowed.ok) return allowed;
  const found = await call.findTask(allowed.value.agent);
  if (!found.ok) return found;
  const checked = await check(allowed.value, call);
  if (!checked.ok) return checked;
  const under = found.value;
  const { tool, credential, operation, isShared } = checked.value;
  if (credential === null) {
    const needless = await authorisationOf(env, tool, null, operation);
    if (!needless.ok) return needless;
  }
  const costMax = await (under?.purse.reserve(tool.pricing.overage) ?? ok(null));
  if (!costMax.ok) return costMax;
  const { rateLimit, pricing } = tool;
  const meter = meterOf(env.METERS, tool.id);
  const { agentId } = call;
  const { version } = tool;
  const terms = { rateLimit, pricing, costMax: costMax.value, version, agentId, isShared };
  const admission = await admitted(meter, terms, under);
  if (!admission.admitted) {
    const tooDear = await under?.purse.release(admission.refusal === "cost");
    return fail(tooDear ?? refused(tool.id, agentId, admission));
  }
  const startedAt = Date.now();
  const { outcome, health } = await carryOut(env, checked.value, call);
  const durationMs = Date.now() - startedAt;
  const ended: Ended = { startedAt, durationMs, health, ...ending(outcome, admission.cost) };
  await Promise.all([
    settle(meter, admission.pass, call, under, ended),
    under?.purse.pay(toolCall(call, ended)),
  ]);
  if (!outcome.ok) return outcome;
  return ok({ result: outcome.value, cost: ended.cost, durationMs, window: admission.window });
}

/** `usage` of an answered invocation. */
export function usageOf(call: Pick<Invocation, "toolId" | "capability">, invoked: Invoked): object {
  const { toolId, capability } = call;
  return { toolId, capability, cost: invoked.cost, duration: humanDuration(invoked.durationMs) };
}

/** How an admitted call ended; `code` and `problem` of what its caller is told, null when all went well. */
interface Ended {
  readonly startedAt: number;
  readonly durationMs: number;
  readonly health: Health;
  readonly cost: number;
  readonly code: string | null;
  readonly problem: string | null;
}

function ending(
  outcome: Result<JsonObject, Failure>,
  price: number,
): Pick<Ended, "cost" | "code" | "problem"> {
  if (outcome.ok) return { cost: price, code: null, problem: null };
  const { code, message } = onTheWire(outcome.failure);
  return { cost: 0, code, problem: message };
}

/** A meter out of reach must not leave the task's budget reserved. */
async function admitted(meter: MeterPort, terms: Terms, under: CallTask | null): Promise<Verdict> {
  try {
    return await meter.admit(terms);
  } catch (error) {
    await under?.purse.release(false);
    throw error;
  }
}

/** A record that cannot be written is lost; the caller's own answer matters more. */
async function settle(
  meter: MeterPort,
  pass: Pass,
  { capability, agentId, teamId: keyTeamId }: Invocation,
  under: CallTask | null,
  { startedAt: at, durationMs, health, cost, code }: Ended,
): Promise<void> {
  const taskId = under?.taskId ?? null;
  const teamId = under === null ? keyTeamId : under.teamId;
  try {
    const call = { at, capability, agentId, taskId, teamId, code, cost, durationMs };
    await meter.settle(pass, call, health);
  } catch (error) {
    console.warn({ event: "call_not_settled", error });
  }
}

function toolCall(
  { toolId, capability }: Invocation,
  { cost, durationMs, problem }: Ended,
): ToolCall {
  const call = { toolId, capability, cost, durationMs };
  return problem === null ? { ...call, ok: true } : { ...call, ok: false, problem };
}

function refused(
  toolId: string,
  agentId: string | null,
  admission: Extract<Admission, { admitted: false }>,
): Failure {
  switch (admission.refusal) {
    case "rest": {
      const { retryAfterSeconds, isOwn } = admission;
      return { kind: "tool_resting", toolId, retryAfterSeconds, agentId: isOwn ? agentId : null };
    }
    case "share":
      return { kind: "share_used", toolId, agentId: agentId ?? "", window: admission.window };
    case "rate":
      return { kind: "rate_limited", toolId, window: admission.window };
    case "cost":
      return { kind: "budget_exceeded", toolId, window: admission.window };
  }
}

/** Checks that the caller may use the capability. */
function authorize(
  facts: InvocationFacts | null,
  { toolId, capability, agentId }: Invocation,
): Result<InvocationFacts & { readonly capability: Capability }, Failure> {
  if (facts === null || !facts.visible)
    return fail({ kind: "not_found", what: "tool", id: toolId });
  if (facts.capability === null) {
    return fail({ kind: "not_found", what: "capability", id: capability });
  }
  if (agentId !== null) {
    if (facts.agent === null) return fail({ kind: "not_found", what: "agent", id: agentId });
    if (!facts.agent.enabled) return fail({ kind: "agent_disabled", agentId });
    if (facts.grant === null) return fail({ kind: "tool_access_denied", agentId, toolId });
    const granted = facts.grant.capabilities;
    if (granted !== null && !granted.includes(capability)) {
      return fail({ kind: "capability_not_granted", agentId, toolId, capability, granted });
    }
  }
  return ok({ ...facts, capability: facts.capability });
}

async function check(
  facts: InvocationFacts & { readonly capability: Capability },
  { parameters }: Invocation,
): Promise<Result<InvocationFacts, Failure>> {
  const problems = await parameterProblems(facts.capability, parameters);
  return problems.length === 0 ? ok(facts) : fail(parameterFailure(problems));
}
