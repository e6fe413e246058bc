import { toWireError } from "../http/to-wire-error.ts";
import type { Failure } from "../kernel/failure.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { getDatabase } from "../platform/d1/client.ts";
import { createParameterFailure } from "./connectors/connector-failure.ts";
import { resolveAuthorization } from "./credentials/authorization.ts";
import { executeCall, type CallExecution, type ExecutionEnv } from "./execute-call.ts";
import { loadInvocationContext, type InvocationContext } from "./invocation-context.store.ts";
import {
  toolMeterStub,
  type AdmissionDecision,
  type ToolMeterRpc,
} from "./metering/tool-meter.rpc.ts";
import type { Capability } from "./model/capability.ts";
import type {
  BudgetReservation,
  CallPayer,
  Invocation,
  InvocationResult,
} from "./model/invocation.ts";
import type { AdmissionTransition } from "./model/tool-meter.ts";
import { validateParameters } from "./validate-parameters.ts";
import { log } from "../platform/log.ts";

/** What invoking needs of the Worker's bindings. */
export type InvocationEnv = ExecutionEnv & Pick<Env, "DB" | "METERS">;

/**
 * The pipeline of every tool call, by clients and agents. A rejected or failed call costs nothing.
 * A step that fails ends the call, and a step after the reservation releases or commits it.
 */
export async function invokeTool(
  env: InvocationEnv,
  call: Invocation,
): Promise<Result<InvocationResult, Failure>> {
  const authorized = await authorizeCall(env, call);
  if (!authorized.ok) return authorized;
  const { context, payer } = authorized.value;

  const valid = await validateCall(env, call, context);
  if (!valid.ok) return valid;

  const reservation = await payer.budget.reserve(context.tool.pricing.overage);
  if (!reservation.ok) return reservation;

  const admission = await meterCall(env, call, context, reservation.value);
  if (!admission.ok) return admission;

  const execution = await executeCall(env, context, call);

  const metered = { call, payer, reservation: reservation.value, admission: admission.value };
  return settleCall(env, metered, execution);
}

type AuthorizedContext = InvocationContext & { readonly capability: Capability };
type Admission = Extract<AdmissionDecision, { admitted: true }>;

interface MeteredCall {
  readonly call: Invocation;
  readonly payer: CallPayer;
  readonly reservation: BudgetReservation;
  readonly admission: Admission;
}

/** Checks that the caller may use the capability, and finds what pays for the call. */
async function authorizeCall(
  env: InvocationEnv,
  call: Invocation,
): Promise<Result<{ context: AuthorizedContext; payer: CallPayer }, Failure>> {
  const found = await loadInvocationContext(getDatabase(env.DB), call, call.visibleAgentIds);
  const context = checkAccess(found, call);
  if (!context.ok) return context;
  const payer = await call.findPayer(context.value.agent);
  return payer.ok ? ok({ context: context.value, payer: payer.value }) : payer;
}

function checkAccess(
  context: InvocationContext | null,
  { toolId, capability, agentId }: Invocation,
): Result<AuthorizedContext, Failure> {
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
  return ok({ ...context, capability: context.capability });
}

/** Checks the parameters, and that the tool has the credential that it requires. */
async function validateCall(
  env: InvocationEnv,
  { parameters }: Invocation,
  { capability, tool, credential, operation }: AuthorizedContext,
): Promise<Result<unknown, Failure>> {
  const problems = await validateParameters(capability, parameters);
  if (problems.length > 0) return fail(createParameterFailure(problems));
  return credential === null ? resolveAuthorization(env, tool, null, operation) : ok(null);
}

/** Counts the call against the tool's limits and prices it. A call that is not admitted releases its budget. */
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
  const overBudget = await reservation.release(admission.refusal === "cost");
  return fail(overBudget ?? toAdmissionFailure(tool.id, agentId, admission));
}

function toAdmissionFailure(
  toolId: string,
  agentId: string | null,
  admission: Extract<AdmissionTransition, { admitted: false }>,
): Failure {
  switch (admission.refusal) {
    case "rest": {
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

/** Records the call in the tool's meter and in the budget, and returns its outcome. */
async function settleCall(
  env: InvocationEnv,
  { call, payer, reservation, admission }: MeteredCall,
  { outcome, health, startedAt: at, durationMs }: CallExecution,
): Promise<Result<InvocationResult, Failure>> {
  const { toolId, capability, agentId } = call;
  const { taskId, teamId } = payer;
  const cost = outcome.ok ? admission.cost : 0;
  const error = outcome.ok ? null : toWireError(outcome.failure);
  const code = error?.code ?? null;
  const made = { toolId, capability, cost, durationMs };
  await Promise.all([
    settleMeter(
      env,
      toolId,
      admission.pass,
      { at, capability, agentId, taskId, teamId, code, cost, durationMs },
      health,
    ),
    reservation.commit(
      error === null ? { ...made, ok: true } : { ...made, ok: false, problem: error.message },
    ),
  ]);
  return outcome.ok
    ? ok({ result: outcome.value, cost, durationMs, window: admission.window })
    : outcome;
}

/** If the record cannot be written, it is lost: the call was made, and its outcome matters more. */
async function settleMeter(
  env: InvocationEnv,
  toolId: string,
  ...settlement: Parameters<ToolMeterRpc["settle"]>
): Promise<void> {
  try {
    await toolMeterStub(env.METERS, toolId).settle(...settlement);
  } catch (error) {
    log.warn("call_settle_failed", { error });
  }
}
