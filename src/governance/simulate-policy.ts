import { decodeCursor, encodeCursor, type CursorScope } from "../http/cursor.ts";
import { createFieldFailure, createValidationFailure, type Failure } from "../kernel/failure.ts";
import { toJsonObject, type JsonObject } from "../kernel/json.ts";
import { fail, ok, type Problem, type Result } from "../kernel/result.ts";
import { DAY_MS } from "../kernel/units.ts";
import type { Viewer } from "../keys/model/key.ts";
import { getDatabase, type DirectoryEnv } from "../platform/d1/client.ts";
import { listRecordedCalls, type RecordedCallsPage } from "../tasks/api/recorded-calls.ts";
import type { ListPosition } from "../tasks/model/listing.ts";
import { hasAllParameters } from "../tasks/model/recorded-call.ts";
import { decideCall } from "./decide-call.ts";
import {
  SIMULATION_CLOCK_SKEW_MS,
  SIMULATION_LOOKUPS_MAX,
  SIMULATION_PERIOD_MAX_MS,
} from "./limits.ts";
import { checkPolicy } from "./manage-policies.ts";
import { listParameterPaths } from "./model/condition.ts";
import { parseCondition } from "./model/parse-condition.ts";
import type { Policy, PolicyDecision } from "./model/policy.ts";
import { findPolicyTargets, type PolicyTarget } from "./policies.store.ts";
import type { PolicyBody, SimulationBody } from "./schemas.ts";

type SimulationEnv = DirectoryEnv & Pick<Env, "TASKS" | "SIGNING_KEY">;
type ExaminedCall = RecordedCallsPage["calls"][number];

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
  const targets = await findTargets(db, policy, page.calls);
  const decided = page.calls.map((call) => decideRecorded(policy, call, targets, now));
  const { tasks, cutTasks, last } = page;
  return ok({
    affected: decided.filter((one) => one !== null && one !== "undecided"),
    examined: page.calls.length,
    undecided: decided.filter((one) => one === "undecided").length,
    tasks,
    cutTasks,
    nextCursor:
      last === null ? null : encodeCursor(env.SIGNING_KEY, list, `${last.createdAt}.${last.id}`),
  });
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
function readsParameters({ when }: PolicyBody): boolean {
  if (when === null) return false;
  const condition = parseCondition(when, () => null);
  return !condition.ok || listParameterPaths(condition.value).length > 0;
}

function parseParameters({ parameters }: ExaminedCall): JsonObject {
  return toJsonObject(JSON.parse(parameters.text));
}

function toPolicy({ id = "simulated", ...policy }: SimulationBody["policy"], now: number): Policy {
  return { ...policy, id, updatedAt: now };
}
