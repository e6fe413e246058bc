import type * as z from "zod";
import { createValidationFailure, type Failure } from "../kernel/failure.ts";
import { fail, ok, preview, type Problem, type Result } from "../kernel/result.ts";
import { getDatabase, type Database } from "../platform/d1/client.ts";
import { compileLinearPattern } from "../tools/schema/linear-pattern.ts";
import { POLICIES_MAX } from "./limits.ts";
import { parseCondition } from "./model/parse-condition.ts";
import {
  findPolicy,
  findUnknownNames,
  insertPolicy,
  updatePolicy,
  type ListedPolicy,
} from "./policies.store.ts";
import type { patchPolicyBody, PolicyBody } from "./schemas.ts";

type PolicyPatch = z.output<typeof patchPolicyBody>;
type ManagedPolicy = Result<ListedPolicy, Failure>;

/** Creates a policy. Fails if the id is taken. `by`: the id of the key that creates it. */
export async function createPolicy(
  env: Pick<Env, "DB">,
  id: string,
  body: PolicyBody,
  by: string,
): Promise<ManagedPolicy> {
  const db = getDatabase(env.DB);
  const checked = await checkPolicy(db, body);
  if (!checked.ok) return checked;
  const now = Date.now();
  const policy = { id, ...body, createdBy: by, createdAt: now, updatedAt: now };
  if (await insertPolicy(db, policy)) return ok({ ...policy, unknownTargets: [] });
  if ((await findPolicy(db, id)) !== null) return fail({ kind: "policy_exists", policyId: id });
  return fail({ kind: "too_many_policies", max: POLICIES_MAX });
}

/** Creates a policy or replaces all its fields. */
export async function putPolicy(
  env: Pick<Env, "DB">,
  id: string,
  body: PolicyBody,
  by: string,
): Promise<Result<{ policy: ListedPolicy; isNew: boolean }, Failure>> {
  const changed = await changePolicy(env, id, body);
  if (changed.ok) return ok({ policy: changed.value, isNew: false });
  if (changed.failure.kind !== "not_found") return changed;
  const created = await createPolicy(env, id, body, by);
  return created.ok ? ok({ policy: created.value, isNew: true }) : created;
}

/** Changes the fields of a policy that `change` contains. */
export async function changePolicy(
  env: Pick<Env, "DB">,
  id: string,
  change: PolicyPatch,
): Promise<ManagedPolicy> {
  const db = getDatabase(env.DB);
  const checked = await checkPolicy(db, change);
  if (!checked.ok) return checked;
  const isFound = await updatePolicy(db, id, { ...change, updatedAt: Date.now() });
  const policy = isFound ? await findPolicy(db, id) : null;
  return policy === null ? fail({ kind: "not_found", what: "policy", id }) : ok(policy);
}

/** Checks the condition, and that the tools, capabilities, agents and teams exist. */
async function checkPolicy(
  db: Database,
  { when = null, tools = [], agents = [], teams = [] }: PolicyPatch,
): Promise<Result<null, Failure>> {
  if (when !== null) {
    const condition = parseCondition(when, checkPattern);
    if (!condition.ok) return fail(createValidationFailure(condition.failure));
  }
  const unknown = await findUnknownNames(db, { tools, agents, teams });
  const problems = [
    ...listProblems("tools", tools, unknown.tools, "tool or capability"),
    ...listProblems("agents", agents, unknown.agents, "agent"),
    ...listProblems("teams", teams, unknown.teams, "team"),
  ];
  return problems.length === 0 ? ok(null) : fail(createValidationFailure(problems));
}

function checkPattern(pattern: string): string | null {
  const compiled = compileLinearPattern(pattern);
  return compiled.ok ? null : compiled.failure;
}

function listProblems(
  field: string,
  names: readonly string[],
  unknown: readonly string[],
  what: string,
): readonly Problem[] {
  return unknown.map((name) => ({
    path: `${field}[${names.indexOf(name)}]`,
    message: `must name an existing ${what}, got ${preview(name)}`,
  }));
}
