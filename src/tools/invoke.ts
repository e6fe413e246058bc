import { getDatabase } from "../platform/d1/client.ts";
import type { Capability } from "./model/capability.ts";
import { formatDuration } from "../kernel/duration.ts";
import type { Failure, RateLimitWindow } from "../kernel/failure.ts";
import type { JsonObject } from "../kernel/json.ts";
import type {
  AdmissionTransition,
  UpstreamHealth,
  CallPermit,
  CallTerms,
} from "./model/tool-meter.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import type { ToolCall } from "../tasks/model/task.ts";
import { toWireError } from "../http/to-wire-error.ts";
import { executeCall, type ExecutionEnv } from "./execute-call.ts";
import {
  loadInvocationContext,
  type CallingAgent,
  type InvocationContext,
} from "./invocation-context.store.ts";
import { createParameterFailure } from "./connectors/connector-failure.ts";
import { resolveAuthorization } from "./credentials/authorization.ts";
import { validateParameters } from "./validate-parameters.ts";
import {
  toolMeterStub,
  type ToolMeterRpc,
  type AdmissionDecision,
} from "./metering/tool-meter.rpc.ts";
import type { CallBudget } from "./model/invocation.ts";

/** What invoking needs of the Worker's bindings. */
export type InvocationEnv = ExecutionEnv & Pick<Env, "DB" | "METERS">;

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
  readonly findTask: FindInvocationTask;
}

/** The task under which a call is made, and the budget that pays for it. */
export interface InvocationTask {
  readonly taskId: string;
  readonly teamId: string | null;
  readonly purse: CallBudget;
}

/** `agent`: the calling agent, or null. Returns null if the call is made under no task. */
export type FindInvocationTask = (
  agent: CallingAgent | null,
) => Promise<Result<InvocationTask | null, Failure>>;

export interface InvocationResult {
  readonly result: JsonObject;
  readonly cost: number;
  readonly durationMs: number;
  readonly window: RateLimitWindow;
}

/**
 * The one way in which a tool is used, by clients and agents alike: grant, parameters, credentials,
 * budget, meter, work. A refused call costs nothing, and neither does one that fails.
 */
export async function invokeTool(
  env: InvocationEnv,
  call: Invocation,
): Promise<Result<InvocationResult, Failure>> {
  const facts = await loadInvocationContext(getDatabase(env.DB), call, call.visibleAgentIds);
  const allowed = authorize(facts, call);
  if (!allowed.ok) return allowed;
  const found = await call.findTask(allowed.value.agent);
  if (!found.ok) return found;
  const checked = await validateCall(allowed.value, call);
  if (!checked.ok) return checked;
  const under = found.value;
  const { tool, credential, operation, isShared } = checked.value;
  if (credential === null) {
    const needless = await resolveAuthorization(env, tool, null, operation);
    if (!needless.ok) return needless;
  }
  const costMax = await (under?.purse.reserve(tool.pricing.overage) ?? ok(null));
  if (!costMax.ok) return costMax;
  const { rateLimit, pricing } = tool;
  const meter = toolMeterStub(env.METERS, tool.id);
  const { agentId } = call;
  const { version } = tool;
  const terms = { rateLimit, pricing, costMax: costMax.value, version, agentId, isShared };
  const admission = await admitOrRelease(meter, terms, under);
  if (!admission.admitted) {
    const tooDear = await under?.purse.release(admission.refusal === "cost");
    return fail(tooDear ?? toAdmissionFailure(tool.id, agentId, admission));
  }
  const startedAt = Date.now();
  const { outcome, health } = await executeCall(env, checked.value, call);
  const durationMs = Date.now() - startedAt;
  const ended: SettledCall = {
    startedAt,
    durationMs,
    health,
    ...summarizeOutcome(outcome, admission.cost),
  };
  await Promise.all([
    settleMeter(meter, admission.pass, call, under, ended),
    under?.purse.commit(toToolCall(call, ended)),
  ]);
  if (!outcome.ok) return outcome;
  return ok({ result: outcome.value, cost: ended.cost, durationMs, window: admission.window });
}

/** `usage` of an answered invocation. */
export function invocationUsageView(
  call: Pick<Invocation, "toolId" | "capability">,
  invoked: InvocationResult,
): object {
  const { toolId, capability } = call;
  return { toolId, capability, cost: invoked.cost, duration: formatDuration(invoked.durationMs) };
}

/** How an admitted call ended; `code` and `problem` of what its caller is told, null when all went well. */
interface SettledCall {
  readonly startedAt: number;
  readonly durationMs: number;
  readonly health: UpstreamHealth;
  readonly cost: number;
  readonly code: string | null;
  readonly problem: string | null;
}

function summarizeOutcome(
  outcome: Result<JsonObject, Failure>,
  price: number,
): Pick<SettledCall, "cost" | "code" | "problem"> {
  if (outcome.ok) return { cost: price, code: null, problem: null };
  const { code, message } = toWireError(outcome.failure);
  return { cost: 0, code, problem: message };
}

/** A meter out of reach must not leave the task's budget reserved. */
async function admitOrRelease(
  meter: ToolMeterRpc,
  terms: CallTerms,
  under: InvocationTask | null,
): Promise<AdmissionDecision> {
  try {
    return await meter.admit(terms);
  } catch (error) {
    await under?.purse.release(false);
    throw error;
  }
}

/** A record that cannot be written is lost; the caller's own answer matters more. */
async function settleMeter(
  meter: ToolMeterRpc,
  pass: CallPermit,
  { capability, agentId, teamId: keyTeamId }: Invocation,
  under: InvocationTask | null,
  { startedAt: at, durationMs, health, cost, code }: SettledCall,
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

function toToolCall(
  { toolId, capability }: Invocation,
  { cost, durationMs, problem }: SettledCall,
): ToolCall {
  const call = { toolId, capability, cost, durationMs };
  return problem === null ? { ...call, ok: true } : { ...call, ok: false, problem };
}

function toAdmissionFailure(
  toolId: string,
  agentId: string | null,
  admission: Extract<AdmissionTransition, { admitted: false }>,
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
  facts: InvocationContext | null,
  { toolId, capability, agentId }: Invocation,
): Result<InvocationContext & { readonly capability: Capability }, Failure> {
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

async function validateCall(
  facts: InvocationContext & { readonly capability: Capability },
  { parameters }: Invocation,
): Promise<Result<InvocationContext, Failure>> {
  const problems = await validateParameters(facts.capability, parameters);
  return problems.length === 0 ? ok(facts) : fail(createParameterFailure(problems));
}
