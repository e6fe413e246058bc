import { decodeCursor, encodeCursor, type CursorScope } from "../http/cursor.ts";
import { createFieldFailure, createValidationFailure, type Failure } from "../kernel/failure.ts";
import { toJsonObject, type JsonObject } from "../kernel/json.ts";
import { fail, ok, type Problem, type Result } from "../kernel/result.ts";
import { DAY_MS } from "../kernel/units.ts";
import type { Viewer } from "../keys/model/key.ts";
import { getDatabase, type DirectoryEnv } from "../platform/d1/client.ts";
import { listRecordedCalls, type TaskRecordedCalls } from "../tasks/api/recorded-calls.ts";
import type { ListPosition } from "../tasks/model/listing.ts";
import { hasAllParameters, type RecordedCall } from "../tasks/model/recorded-call.ts";
import { decideCall } from "./decide-call.ts";
import {
  SIMULATION_CLOCK_SKEW_MS,
  SIMULATION_COMPARISONS_MAX,
  SIMULATION_LOOKUPS_MAX,
  SIMULATION_PERIOD_MAX_MS,
} from "./limits.ts";
import { checkPolicy } from "./manage-policies.ts";
import { countComparisons, listParameterPaths, type Condition } from "./model/condition.ts";
import { parseCondition } from "./model/parse-condition.ts";
import type { Policy, PolicyDecision } from "./model/policy.ts";
import { findPolicyTargets, type PolicyTarget } from "./policies.store.ts";
import type { PolicyBody, SimulationBody } from "./schemas.ts";

type SimulationEnv = DirectoryEnv & Pick<Env, "TASKS" | "SIGNING_KEY">;
type ExaminedCall = RecordedCall & { readonly taskId: string };

/** A recorded call that the policy would have denied or stored until people approve it. */
interface AffectedCall {
  readonly call: ExaminedCall;
  readonly effect: "ask" | "deny";
  /** Why the condition could not be evaluated, which counts as a denial. */
  readonly error: string | null;
}

export interface Simulation {
  readonly affected: readonly AffectedCall[];
  readonly examined: number;
  /** How many covered calls could not be decided about, because their parameters or capability are not known. */
  readonly undecided: number;
  readonly tasks: number;
  readonly cutTasks: number;
  readonly nextCursor: string | null;
}

/**
 * Decides about the recorded calls of tasks, one page of tasks at a time, with the functions that decide about real
 * calls. Writes nothing and calls no tool.
 */
export async function simulatePolicy(
  env: SimulationEnv,
  viewer: Viewer,
  { policy, from, to, cursor }: SimulationBody,
  now: number,
): Promise<Result<Simulation, Failure>> {
  const db = getDatabase(env.DB);
  const checked = await checkPolicy(db, policy, policy);
  const policyProblems = checked.ok ? [] : problemsOf(checked);
  const problems = [...policyProblems, ...periodProblems(from, to, now)];
  if (problems.length > 0) return fail(createValidationFailure(problems));

  const list: CursorScope = { use: "simulation", filter: [JSON.stringify([policy, from, to])] };
  const after = cursor === undefined ? null : readPosition(env.SIGNING_KEY, list, cursor);
  if (cursor !== undefined && after === null) {
    const rule = "must be a nextCursor from a request with the same policy and period";
    return fail(createFieldFailure("cursor", rule));
  }
  const page = await listRecordedCalls(env, viewer, { from, to }, toolIdsOf(policy), after);
  const tasks = limitWork(page.tasks, policy);
  const calls = tasks.flatMap(({ position, calls: own }) =>
    own.map((call) => ({ ...call, taskId: position.id })),
  );
  const targets = await findTargets(db, policy, calls);
  const decided = calls.map((call) => decideRecorded(policy, call, targets, now));
  const hasMore = page.hasMore || tasks.length < page.tasks.length;
  const last = hasMore ? tasks.at(-1)?.position : undefined;
  return ok({
    affected: decided.filter((one) => one !== null && one !== "undecided"),
    examined: calls.length,
    undecided: decided.filter((one) => one === "undecided").length,
    tasks: tasks.length,
    cutTasks: tasks.filter(({ isCut }) => isCut).length,
    nextCursor:
      last === undefined
        ? null
        : encodeCursor(env.SIGNING_KEY, list, `${last.createdAt}.${last.id}`),
  });
}

/** The first tasks, for which the policy makes at most SIMULATION_COMPARISONS_MAX comparisons; at least one task. */
function limitWork(
  tasks: readonly TaskRecordedCalls[],
  policy: PolicyBody,
): readonly TaskRecordedCalls[] {
  const condition = conditionOf(policy);
  const comparisons = condition === null ? 1 : countComparisons(condition);
  let calls = 0;
  const end = tasks.findIndex((task, index) => {
    calls += task.calls.length;
    return index > 0 && calls * comparisons > SIMULATION_COMPARISONS_MAX;
  });
  return end < 0 ? tasks : tasks.slice(0, end);
}

function problemsOf({ failure }: { readonly failure: Failure }): readonly Problem[] {
  if (failure.kind !== "validation") return [];
  return failure.problems.map(({ path, message }) => ({ path: `policy.${path}`, message }));
}

function periodProblems(from: number, to: number, now: number): readonly Problem[] {
  const future = [
    { path: "from", at: from },
    { path: "to", at: to },
  ].filter(({ at }) => at > now + SIMULATION_CLOCK_SKEW_MS);
  if (future.length > 0)
    return future.map(({ path }) => ({ path, message: "must not be in the future" }));
  if (from >= to) return [{ path: "from", message: "must be before to" }];
  if (to - from <= SIMULATION_PERIOD_MAX_MS) return [];
  const days = SIMULATION_PERIOD_MAX_MS / DAY_MS;
  return [{ path: "from", message: `must be at most ${days} days before to` }];
}

function readPosition(secret: string, list: CursorScope, cursor: string): ListPosition | null {
  const place = decodeCursor(secret, list, cursor);
  if (place === null) return null;
  const [createdAt, id = ""] = place.split(".");
  return { createdAt: Number(createdAt), id };
}

/** The tools that a policy can cover, so that tasks need not return other calls; null for all tools. */
function toolIdsOf({ tools }: Pick<PolicyBody, "tools">): readonly string[] | null {
  if (tools.includes("*")) return null;
  return tools.map((target) => target.split("/")[0] ?? "");
}

type Targets = ReadonlyMap<string, PolicyTarget | null>;

function keyOf({ toolId, capability, agentId }: ExaminedCall): string {
  return JSON.stringify([toolId, capability, agentId]);
}

/** What is known about each kind of call, by tool, capability and agent. */
async function findTargets(
  db: Parameters<typeof findPolicyTargets>[0],
  policy: PolicyBody,
  calls: readonly ExaminedCall[],
): Promise<Targets> {
  const kinds = [...new Map(calls.map((call) => [keyOf(call), call]))];
  const targets = new Map<string, PolicyTarget | null>();
  for (let at = 0; at < kinds.length; at += SIMULATION_LOOKUPS_MAX) {
    const portion = kinds.slice(at, at + SIMULATION_LOOKUPS_MAX);
    const found = await findPolicyTargets(
      db,
      policy,
      portion.map(([, call]) => call),
    );
    for (const [index, [key]] of portion.entries()) targets.set(key, found[index] ?? null);
  }
  return targets;
}

/** What the policy would have done with a call; null if it would have let it pass. */
function decideRecorded(
  policy: PolicyBody,
  call: ExaminedCall,
  targets: Targets,
  now: number,
): AffectedCall | "undecided" | null {
  const target = targets.get(keyOf(call)) ?? null;
  if (target === null) return "undecided";
  if (!target.isCovered) return null;
  const isKnown = hasAllParameters(call.parameters);
  if (!isKnown && readsParameters(policy)) return "undecided";
  const decision = decideCall([toPolicy(policy, now)], {
    agentId: call.agentId,
    parameters: isKnown ? parseParameters(call) : {},
    capability: target.capability,
    estimatedCost: target.estimatedCost,
  });
  return toAffectedCall(call, decision);
}

function toAffectedCall(call: ExaminedCall, decision: PolicyDecision): AffectedCall | null {
  switch (decision.effect) {
    case "allow":
      return null;
    case "ask":
      return { call, effect: "ask", error: null };
    case "deny":
      return { call, effect: "deny", error: decision.error ?? null };
  }
}

/** Whether the decision depends on the parameters of the call. */
function readsParameters(policy: PolicyBody): boolean {
  const condition = conditionOf(policy);
  return condition !== null && listParameterPaths(condition).length > 0;
}

/** The condition, which was checked before; null if there is none. */
function conditionOf({ when }: PolicyBody): Condition | null {
  const condition = when === null ? null : parseCondition(when, () => null);
  return condition?.ok === true ? condition.value : null;
}

function parseParameters({ parameters }: ExaminedCall): JsonObject {
  return toJsonObject(JSON.parse(parameters.text));
}

function toPolicy({ id = "simulated", ...policy }: SimulationBody["policy"], now: number): Policy {
  return { ...policy, id, updatedAt: now };
}
