import { reserveCallLimits } from "../governance/spending/reserve-limits.ts";
import { toWireError } from "../http/to-wire-error.ts";
import type { Failure } from "../kernel/failure.ts";
import type { PauseEnv } from "../agents/pause-agents.ts";
import type { AuditEnv } from "../governance/audit/audited.ts";
import type { JsonObject } from "../kernel/json.ts";
import { type Problem, fail, ok, type Result } from "../kernel/result.ts";
import { type ActivityEnv, logActivity } from "../platform/activity-log.ts";
import { getDatabase } from "../platform/d1/client.ts";
import { authorize, type AuthorizedContext } from "./authorize.ts";
import { createParameterFailure } from "./connectors/connector-failure.ts";
import { isSafeCall } from "./connectors/dispatch.ts";
import { resolveAuthorization } from "./credentials/authorization.ts";
import { executeCall, type CallExecution, type ExecutionEnv } from "./execute-call.ts";
import { loadInvocationContext, type InvocationContext } from "./tools.store.ts";
import {
  toolMeterStub,
  type AdmissionDecision,
  type ToolMeterRpc,
} from "./metering/tool-meter.rpc.ts";
import { checkParameters, checkParameterType, type Capability } from "./model/capability.ts";
import type {
  BudgetReservation,
  CallBudget,
  CallPayer,
  CallRequest,
  ReservationTerms,
  Invocation,
  InvocationResult,
} from "./model/invocation.ts";
import type { AdmissionTransition } from "./model/tool-meter.ts";
import { log } from "../platform/log.ts";

export type InvocationEnv = ExecutionEnv &
  ActivityEnv &
  AuditEnv &
  PauseEnv &
  Pick<Env, "METERS" | "APPROVALS" | "LIMITS">;

/**
 * Runs every tool call, whether by a client or an agent. A failed step ends the call, and a rejected or failed call
 * costs nothing. Once the budget is reserved, the step that ends the call releases or commits the reservation.
 */
export async function invokeTool(
  env: InvocationEnv,
  call: Invocation,
): Promise<Result<InvocationResult, Failure>> {
  const { toolId, capability, agentId, parameters } = call;
  const id = call.approval?.id ?? crypto.randomUUID();
  const request = { id, toolId, capability, agentId, parameters, startedAt: Date.now() };
  const authorized = await authorizeCall(env, call);
  if (!authorized.ok) return rejectCall(env, call, request, knownPayerOf(call), authorized);
  const { context, payer } = authorized.value;

  const valid = await validateCall(env, call, context);
  if (!valid.ok) return rejectCall(env, call, request, payer, valid);

  const permitted = await applyPolicies(env, call, context, payer);
  if (!permitted.ok) return rejectCall(env, call, request, payer, permitted);
  if (permitted.value !== null) return logCall(env, call, payer, ok(permitted.value), 0);

  const reservation = await reserveCosts(env, call, request, context, payer);
  if (!reservation.ok) return logCall(env, call, payer, reservation);

  const admission = await meterCall(env, call, context, reservation.value);
  if (!admission.ok) return logCall(env, call, payer, admission);

  call.approval?.begin();
  const startedAt = Date.now();
  const execution = await executeCall(env, context, call);
  const durationMs = Date.now() - startedAt;

  const made = { id, call, payer, reservation: reservation.value, admission: admission.value };
  const settled = await settleCall(env, { ...made, ...execution, startedAt, durationMs });
  return logCall(env, call, payer, settled, durationMs);
}

/** The payer of a call if it is known before the call is authorised; otherwise null. */
function knownPayerOf({ payer }: Invocation): CallPayer | null {
  return typeof payer === "function" ? null : payer;
}

/** Records and logs a call that was rejected before its budget was reserved. Returns why. */
async function rejectCall(
  env: InvocationEnv,
  call: Invocation,
  request: CallRequest,
  payer: CallPayer | null,
  rejected: FailedResult,
): Promise<FailedResult> {
  await payer?.budget.reject(request, rejected.failure);
  return logCall(env, call, payer, rejected);
}

type FailedResult = Extract<Result<never, Failure>, { ok: false }>;

/** Reserves the highest possible price of the call in its budget, then in the spending limits that cover the call. */
async function reserveCosts(
  env: InvocationEnv,
  call: Invocation,
  request: CallRequest,
  context: AuthorizedContext,
  { budget }: CallPayer,
): Promise<Result<BudgetReservation, Failure>> {
  const terms = reservationTermsOf(call, context);
  const reserved = await budget.reserve(terms, request);
  if (!reserved.ok) return reserved;
  const { priceMax } = terms;
  const { agentId } = call;
  return reserveCallLimits(env, context.limits, { agentId, priceMax }, reserved.value);
}

function reservationTermsOf(
  { toolId, capability, parameters }: Invocation,
  { tool, capability: { operation } }: AuthorizedContext,
): ReservationTerms {
  const work = { toolId, capability, parameters, connector: tool.connector, operation };
  return { priceMax: tool.pricing.overage, isSafe: isSafeCall(work) };
}

/** Logs a call and returns its outcome. `durationMs` is absent if the call was rejected. */
function logCall<Outcome extends Result<unknown, Failure>>(
  env: InvocationEnv,
  { toolId, capability, agentId }: Invocation,
  payer: CallPayer | null,
  outcome: Outcome,
  durationMs?: number,
): Outcome {
  logActivity(env, () => {
    const error = outcome.ok ? null : toWireError(outcome.failure);
    const failed = durationMs === undefined ? "rejected" : "failed";
    return {
      kind: "tool",
      subject: `${toolId} ${capability}`,
      outcome: outcome.ok ? "succeeded" : failed,
      code: error?.code ?? null,
      message: error?.message ?? null,
      ...(durationMs === undefined ? {} : { durationMs }),
      agentId,
      taskId: payer?.taskId ?? null,
    };
  });
  return outcome;
}

type Admission = Extract<AdmissionDecision, { admitted: true }>;

interface MadeCall extends CallExecution {
  readonly id: string;
  readonly call: Invocation;
  readonly payer: CallPayer;
  readonly reservation: BudgetReservation;
  readonly admission: Admission;
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Checks that the caller may use the capability, and finds who pays for the call. */
async function authorizeCall(
  env: InvocationEnv,
  call: Invocation,
): Promise<Result<{ context: AuthorizedContext; payer: CallPayer }, Failure>> {
  const found = await loadInvocationContext(getDatabase(env.DB), call, call.visibleAgentIds);
  const authorized = authorize(found, call);
  if (!authorized.ok) return authorized;
  const { agent } = authorized.value;
  const payer = typeof call.payer === "function" ? await call.payer(agent) : ok(call.payer);
  if (!payer.ok) return payer;
  return ok({ context: authorized.value, payer: payer.value });
}

/** Checks the parameters, and that the tool has the credential that it requires. */
async function validateCall(
  env: InvocationEnv,
  { parameters }: Invocation,
  { capability, tool, credential }: AuthorizedContext,
): Promise<Result<unknown, Failure>> {
  const problems = await validateParameters(capability, parameters);
  if (problems.length > 0) return fail(createParameterFailure(problems));
  const mayLackCredential = credential === null && tool.authentication.type !== "none";
  return mayLackCredential ? resolveAuthorization(env, tool, null, capability.operation) : ok(null);
}

/**
 * Rejects the call if a policy denies it, or stores it if a policy requires approval. Returns the result of an equal call
 * that was approved and made for the same task, otherwise null. If no policy covers the call, nothing is evaluated.
 */
async function applyPolicies(
  env: InvocationEnv,
  call: Invocation,
  context: AuthorizedContext,
  payer: CallPayer,
): Promise<Result<InvocationResult | null, Failure>> {
  const { policies, capability, tool } = context;
  if (policies.length === 0 && call.approval === undefined) return ok(null);
  const { decideCall } = await import("../governance/decide-call.ts");
  const { agentId, parameters } = call;
  const estimatedCost = tool.pricing.overage;
  const decision = decideCall(policies, { agentId, parameters, capability, estimatedCost });
  if (decision.effect === "deny") {
    const { policy, error } = decision;
    const { id: policyId, reason } = policy;
    const denial = { kind: "policy_denied" as const, policyId, reason };
    const failure = error === undefined ? denial : { ...denial, error };
    await recordPolicyDenial(env, call, payer, failure);
    return fail(failure);
  }
  const asking = decision.effect === "ask" ? decision.policies : [];
  const { checkApprovedCall, requestCallApproval } =
    await import("../governance/approvals/request-approval.ts");
  if (call.approval !== undefined) return checkApprovedCall(call.approval, context, asking);
  return asking.length === 0 ? ok(null) : requestCallApproval(env, call, context, payer, asking);
}

/** Adds a call that a policy denied to the audit log, after the response if there is one. */
async function recordPolicyDenial(
  env: InvocationEnv,
  call: Invocation,
  { taskId }: CallPayer,
  failure: Failure<"policy_denied">,
): Promise<void> {
  const { recordDenial } = await import("../governance/audit/record-denial.ts");
  const recording = recordDenial(env, { ...call, taskId }, failure);
  if (call.client === undefined) await recording;
  else call.client.waitUntil(recording);
}

/**
 * The problems with parameters, by path (`filter.labels[2]`). If a schema cannot be applied, only the type is checked.
 */
export async function validateParameters(
  capability: Capability,
  values: JsonObject,
): Promise<Problem[]> {
  const problems = checkParameters(capability, values);
  const given = capability.parameters.flatMap((parameter) => {
    const { name, schema } = parameter;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return schema === undefined || value === undefined ? [] : [{ parameter, schema, value }];
  });
  if (given.length === 0) return problems;
  const { createValueChecker } = await import("./schema/checkers.ts");
  const checkValue = createValueChecker();
  for (const { parameter, schema, value } of given) {
    const checked = checkValue(parameter.name, schema, value);
    problems.push(...(checked.ok ? checked.value : checkParameterType(parameter, value)));
  }
  return problems;
}

const METER_UNAVAILABLE: Failure = { kind: "unavailable", what: "The tool's meter" };

/** Counts the call against the tool's limits and prices it. A call that is not admitted releases its reservation. */
async function meterCall(
  env: InvocationEnv,
  { agentId }: Invocation,
  { tool, isShared }: InvocationContext,
  reservation: BudgetReservation,
): Promise<Result<Admission, Failure>> {
  const { rateLimit, pricing, version } = tool;
  const { costMax } = reservation;
  const terms = { rateLimit, pricing, costMax, version, agentId, isShared };
  let admission: AdmissionDecision;
  try {
    admission = await toolMeterStub(env.METERS, tool.id).admit(terms);
  } catch (error) {
    await reservation.release(false, METER_UNAVAILABLE);
    throw error;
  }
  if (admission.admitted) return ok(admission);
  const failure = toAdmissionFailure(tool.id, agentId, admission);
  const overBudget = await reservation.release(admission.reason === "cost", failure);
  return fail(overBudget ?? failure);
}

function toAdmissionFailure(
  toolId: string,
  agentId: string | null,
  admission: Extract<AdmissionTransition, { admitted: false }>,
): Failure {
  switch (admission.reason) {
    case "circuit_open": {
      const { retryAfterSeconds, isOwn } = admission;
      return { kind: "circuit_open", toolId, retryAfterSeconds, agentId: isOwn ? agentId : null };
    }
    case "share":
      return { kind: "share_used", toolId, agentId: agentId ?? "", window: admission.window };
    case "rate":
      return { kind: "rate_limited", toolId, window: admission.window };
    case "cost":
      return { kind: "budget_exceeded", toolId, window: admission.window };
  }
}

/** Records the call in the tool's meter and in the budget that pays for it, and returns the outcome. */
async function settleCall(
  env: InvocationEnv,
  { id, call, payer, reservation, admission, outcome, health, startedAt: at, durationMs }: MadeCall,
): Promise<Result<InvocationResult, Failure>> {
  const { toolId, capability, agentId } = call;
  const { taskId, teamId, keyId, labels } = payer;
  const cost = outcome.ok ? admission.cost : 0;
  const error = outcome.ok ? null : toWireError(outcome.failure);
  const code = error?.code ?? null;
  const account = { taskId, teamId, keyId, ...(labels === null ? {} : { labels }) };
  const record = { at, capability, agentId, ...account, code, cost, durationMs };
  const made = { toolId, capability, cost, durationMs };
  const paid =
    error === null
      ? { ...made, ok: true as const, callId: id }
      : { ...made, ok: false as const, problem: error.message, callId: id };
  await Promise.all([
    settleMeter(env, toolId, admission.pass, record, health),
    reservation.commit(paid, outcome),
  ]);
  return outcome.ok
    ? ok({ result: outcome.value, cost, durationMs, window: admission.window })
    : outcome;
}

/**
 * Records the call in the tool's meter. If this fails, the record is lost, but the call's outcome is still returned.
 */
async function settleMeter(
  env: InvocationEnv,
  toolId: string,
  ...settlement: Parameters<ToolMeterRpc["settle"]>
): Promise<void> {
  try {
    await toolMeterStub(env.METERS, toolId).settle(...settlement);
  } catch (error) {
    log.warn("call_settle_failed", { toolId, error });
  }
}

/** The budget of a call without a task. */
export const UNLIMITED_BUDGET: CallBudget = {
  reserve: async () => ok({ costMax: null, commit: async () => {}, release: async () => null }),
  reject: async () => {},
};
