import { toWireError } from "../http/to-wire-error.ts";
import type { Failure } from "../kernel/failure.ts";
import type { JsonObject } from "../kernel/json.ts";
import { type Problem, fail, ok, type Result } from "../kernel/result.ts";
import { type ActivityEnv, logActivity } from "../platform/activity-log.ts";
import { getDatabase } from "../platform/d1/client.ts";
import type { EgressEnv } from "../platform/egress/egress.ts";
import {
  createParameterFailure,
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
import { loadInvocationContext, type InvocationContext } from "./tools.store.ts";
import {
  toolMeterStub,
  type AdmissionDecision,
  type ToolMeterRpc,
} from "./metering/tool-meter.rpc.ts";
import { checkParameters, checkParameterType, type Capability } from "./model/capability.ts";
import type { StoredCapability } from "./model/tool.ts";
import type {
  BudgetReservation,
  CallBudget,
  CallPayer,
  Invocation,
  InvocationResult,
} from "./model/invocation.ts";
import type { AdmissionTransition, UpstreamHealth } from "./model/tool-meter.ts";
import { log } from "../platform/log.ts";

export type InvocationEnv = CredentialEnv & EgressEnv & ActivityEnv & Pick<Env, "METERS">;

/**
 * Runs every tool call, whether by a client or an agent. A failed step ends the call, and a rejected or failed call
 * costs nothing. Once the budget is reserved, the step that ends the call releases or commits the reservation.
 */
export async function invokeTool(
  env: InvocationEnv,
  call: Invocation,
): Promise<Result<InvocationResult, Failure>> {
  const authorized = await authorizeCall(env, call);
  if (!authorized.ok) return logCall(env, call, null, authorized);
  const { context, payer } = authorized.value;

  const valid = await validateCall(env, call, context);
  if (!valid.ok) return logCall(env, call, payer, valid);

  const reservation = await payer.budget.reserve(context.tool.pricing.overage);
  if (!reservation.ok) return logCall(env, call, payer, reservation);

  const admission = await meterCall(env, call, context, reservation.value);
  if (!admission.ok) return logCall(env, call, payer, admission);

  const startedAt = Date.now();
  const execution = await executeCall(env, context, call);
  const durationMs = Date.now() - startedAt;

  const made = { call, payer, reservation: reservation.value, admission: admission.value };
  const settled = await settleCall(env, { ...made, ...execution, startedAt, durationMs });
  return logCall(env, call, payer, settled, durationMs);
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

type AuthorizedContext = InvocationContext & { readonly capability: StoredCapability };
type Admission = Extract<AdmissionDecision, { admitted: true }>;

interface MadeCall extends CallExecution {
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
  const { toolId, capability, agentId, visibleAgentIds } = call;
  const context = await loadInvocationContext(getDatabase(env.DB), call, visibleAgentIds);
  if (context === null || !context.visible)
    return fail({ kind: "not_found", what: "tool", id: toolId });
  if (context.capability === null)
    return fail({ kind: "not_found", what: "capability", id: capability });
  if (agentId !== null) {
    if (context.agent === null) return fail({ kind: "not_found", what: "agent", id: agentId });
    if (!context.agent.enabled) return fail({ kind: "agent_disabled", agentId });
    if (context.grant === null) return fail({ kind: "tool_access_denied", agentId, toolId });
    const granted = context.grant.capabilities;
    if (granted !== null && !granted.includes(capability)) {
      return fail({ kind: "capability_not_granted", agentId, toolId, capability, granted });
    }
  }
  const payer = await call.findPayer(context.agent);
  if (!payer.ok) return payer;
  return ok({ context: { ...context, capability: context.capability }, payer: payer.value });
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
    await reservation.release(false);
    throw error;
  }
  if (admission.admitted) return ok(admission);
  const overBudget = await reservation.release(admission.reason === "cost");
  return fail(overBudget ?? toAdmissionFailure(tool.id, agentId, admission));
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

const CONNECTOR_CRASHED = createTransientUpstreamFailure("it failed unexpectedly on this input.");

interface CallExecution {
  readonly outcome: Result<JsonObject, Failure>;
  /** What the call revealed about the system behind the tool. */
  readonly health: UpstreamHealth;
}

/** Sends the call with the tool's credential, which is renewed once if the system behind the tool rejects the token. */
async function executeCall(
  env: InvocationEnv,
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

/** Records the call in the tool's meter and in the budget that pays for it, and returns the outcome. */
async function settleCall(
  env: InvocationEnv,
  { call, payer, reservation, admission, outcome, health, startedAt: at, durationMs }: MadeCall,
): Promise<Result<InvocationResult, Failure>> {
  const { toolId, capability, agentId } = call;
  const { taskId, teamId } = payer;
  const cost = outcome.ok ? admission.cost : 0;
  const error = outcome.ok ? null : toWireError(outcome.failure);
  const code = error?.code ?? null;
  const record = { at, capability, agentId, taskId, teamId, code, cost, durationMs };
  const made = { toolId, capability, cost, durationMs };
  const paid =
    error === null
      ? { ...made, ok: true as const }
      : { ...made, ok: false as const, problem: error.message };
  await Promise.all([
    settleMeter(env, toolId, admission.pass, record, health),
    reservation.commit(paid),
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
};
