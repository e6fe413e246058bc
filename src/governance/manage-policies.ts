import type * as z from "zod";
import { createFieldFailure, createValidationFailure, type Failure } from "../kernel/failure.ts";
import { jsonSizeOf, omitUndefined } from "../kernel/json.ts";
import { fail, ok, preview, type Problem, type Result } from "../kernel/result.ts";
import { getDatabase, type Database } from "../platform/d1/client.ts";
import { compileLinearPattern } from "../tools/schema/linear-pattern.ts";
import { audited, type AuditEnv } from "./audit/audited.ts";
import { changeEntry, type Actor } from "./model/audit-entry.ts";
import { CONDITION_BYTES_MAX, POLICIES_MAX } from "./limits.ts";
import { listParameterPaths, type Condition } from "./model/condition.ts";
import { findContradiction } from "./model/contradiction.ts";
import { parseCondition } from "./model/parse-condition.ts";
import {
  findParameters,
  findPolicy,
  findUnknownNames,
  deletePolicy,
  insertPolicy,
  updatePolicy,
  type ListedPolicy,
  type NamedResources,
  type StoredPolicy,
} from "./policies.store.ts";
import type { patchPolicyBody, PolicyBody } from "./schemas.ts";

type ManagedPolicy = Result<ListedPolicy, Failure>;

/** Creates a policy. Fails if the id is taken. */
export async function createPolicy(
  env: AuditEnv,
  id: string,
  body: PolicyBody,
  by: Actor,
): Promise<ManagedPolicy> {
  const db = getDatabase(env.DB);
  const checked = await checkPolicy(db, body, body);
  if (!checked.ok) return checked;
  const policy = newPolicy(id, body, by.keyId);
  const entry = changeEntry("policy", id, null, stateOf(policy));
  const inserted = await audited(env, by, (record) => insertPolicy(db, policy, record(entry)));
  if (inserted !== null) return ok(inserted);
  if ((await findPolicy(db, id)) !== null) return fail({ kind: "policy_exists", policyId: id });
  return fail({ kind: "too_many_policies", max: POLICIES_MAX });
}

/** Creates a policy, or replaces every field that a client can set. */
export async function putPolicy(
  env: AuditEnv,
  id: string,
  body: PolicyBody,
  by: Actor,
): Promise<Result<{ policy: ListedPolicy; isNew: boolean }, Failure>> {
  const db = getDatabase(env.DB);
  const checked = await checkPolicy(db, body, body);
  if (!checked.ok) return checked;
  const policy = newPolicy(id, body, by.keyId);
  const { createdBy: _createdBy, createdAt: _createdAt, ...change } = policy;
  return audited(env, by, async (record) => {
    const before = await findPolicy(db, id);
    const saved =
      before === null
        ? await insertPolicy(db, policy, record(changeEntry("policy", id, null, stateOf(policy))))
        : await updatePolicy(
            db,
            id,
            change,
            record(changeEntry("policy", id, stateOf(before), stateOf(policy))),
          );
    if (saved === null) return fail<Failure>({ kind: "too_many_policies", max: POLICIES_MAX });
    return ok({ policy: saved, isNew: before === null });
  });
}

/** Changes the fields of a policy that `change` contains. */
export async function changePolicy(
  env: AuditEnv,
  id: string,
  change: z.output<typeof patchPolicyBody>,
  by: Actor,
): Promise<ManagedPolicy> {
  const db = getDatabase(env.DB);
  const before = await findPolicy(db, id);
  const missing = fail<Failure>({ kind: "not_found", what: "policy", id });
  if (before === null) return missing;
  const { tools = before.tools, when = before.when } = change;
  const named = {
    tools: change.tools ?? [],
    agents: change.agents ?? [],
    teams: change.teams ?? [],
    approvers: change.approvers ?? [],
  };
  const checked = await checkPolicy(db, named, { tools, when });
  if (!checked.ok) return checked;
  return audited(env, by, async (record) => {
    const current = await findPolicy(db, id);
    if (current === null) return missing;
    const after = stateOf({ ...current, ...omitUndefined(change) });
    const entry = changeEntry("policy", id, stateOf(current), after);
    const changes = { ...change, updatedAt: Date.now() };
    const policy = await updatePolicy(db, id, changes, record(entry));
    return policy === null ? missing : ok(policy);
  });
}

/** Deletes a policy. Returns false if there is none. */
export async function removePolicy(env: AuditEnv, id: string, by: Actor): Promise<boolean> {
  const db = getDatabase(env.DB);
  return audited(env, by, async (record) => {
    const before = await findPolicy(db, id);
    if (before === null) return false;
    await deletePolicy(db, id, record(changeEntry("policy", id, stateOf(before), null)));
    return true;
  });
}

/** A policy's state in the audit log. */
function stateOf(policy: StoredPolicy) {
  const {
    id: _id,
    createdBy: _createdBy,
    createdAt: _createdAt,
    updatedAt: _at,
    ...state
  } = policy;
  return state;
}

function newPolicy(id: string, body: PolicyBody, createdBy: string): StoredPolicy {
  const now = Date.now();
  return { id, ...body, createdBy, createdAt: now, updatedAt: now };
}

/** Checks that what is newly named exists, and that the condition can be applied to what the policy covers. */
export async function checkPolicy(
  db: Database,
  { tools, agents, teams, approvers }: NamedResources,
  covered: Pick<StoredPolicy, "tools" | "when">,
): Promise<Result<null, Failure>> {
  const unknown = await findUnknownNames(db, { tools, agents, teams, approvers });
  const problems = [
    ...listProblems("tools", tools, unknown.unknownTargets, "tool or capability"),
    ...listProblems("agents", agents, unknown.unknownAgents, "agent"),
    ...listProblems("teams", teams, unknown.unknownTeams, "team"),
    ...listProblems("approvers", approvers, unknown.unknownApprovers, "active key"),
  ];
  if (problems.length > 0) return fail(createValidationFailure(problems));
  return covered.when === null ? ok(null) : checkCondition(db, covered.tools, covered.when);
}

async function checkCondition(
  db: Database,
  tools: readonly string[],
  when: NonNullable<StoredPolicy["when"]>,
): Promise<Result<null, Failure>> {
  const bytes = jsonSizeOf(when);
  if (bytes > CONDITION_BYTES_MAX) {
    const message = `must be at most ${CONDITION_BYTES_MAX} bytes of JSON, got ${bytes}`;
    return fail(createFieldFailure("when", message));
  }
  const condition = parseCondition(when, checkPattern);
  if (!condition.ok) return fail(createValidationFailure(condition.failure));
  const contradiction = findContradiction(condition.value);
  if (contradiction !== null)
    return fail(createFieldFailure("when", `can never be true: ${contradiction}`));
  const unknown = await findUnknownParameter(db, tools, condition.value);
  if (unknown === null) return ok(null);
  const message = `must name a parameter of a covered capability, got ${preview(unknown)}`;
  return fail(createFieldFailure("when", message));
}

/** A path of the condition whose parameter no covered capability has; null if there is none. */
async function findUnknownParameter(
  db: Database,
  tools: readonly string[],
  condition: Condition,
): Promise<string | null> {
  const paths = listParameterPaths(condition);
  const known = await findParameters(db, tools, paths.flatMap(prefixesOf));
  if (known === null) return null;
  const unknown = paths.find((path) => !prefixesOf(path).some((name) => known.has(name)));
  return unknown === undefined ? null : `parameters.${unknown}`;
}

/** The names of parameters that a path can begin with, because a name can contain dots. */
function prefixesOf(path: string): string[] {
  const names = path.split(".");
  return names.map((_, index) => names.slice(0, index + 1).join("."));
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
