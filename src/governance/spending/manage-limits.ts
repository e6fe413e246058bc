import type * as z from "zod";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { omitUndefined } from "../../kernel/json.ts";
import { fail, ok, preview, type Result } from "../../kernel/result.ts";
import { getDatabase, type Database } from "../../platform/d1/client.ts";
import { audited, type AuditEnv } from "../audit/audited.ts";
import { LIMITS_MAX } from "../limits.ts";
import { changeEntry, type Actor } from "../model/audit-entry.ts";
import {
  deleteLimit,
  findLimit,
  insertLimit,
  isKnownScope,
  updateLimit,
  type ListedLimit,
  type StoredLimit,
} from "./limits.store.ts";
import { findUselessCombination, type LimitScopeKind } from "../model/spending/limit.ts";
import type { LimitBody, patchLimitBody } from "./schemas.ts";
import { scopeView } from "./view.ts";

type ManagedLimit = Result<ListedLimit, Failure>;
type Scope = Pick<StoredLimit, "scopeKind" | "scopeId">;

/** Creates a limit. Fails if the id is taken. */
export async function createLimit(
  env: AuditEnv,
  id: string,
  body: LimitBody,
  by: Actor,
): Promise<ManagedLimit> {
  const db = getDatabase(env.DB);
  const limit = newLimit(id, body, by.keyId);
  const checked = await checkLimit(db, limit, limit);
  if (!checked.ok) return checked;
  const entry = changeEntry("limit", id, null, stateOf(limit));
  const inserted = await audited(env, by, (record) => insertLimit(db, limit, record(entry)));
  if (inserted !== null) return ok(inserted);
  if ((await findLimit(db, id)) !== null) return fail({ kind: "limit_exists", limitId: id });
  return fail({ kind: "too_many_limits", max: LIMITS_MAX });
}

/** Creates a limit, or replaces every field that a client can set. */
export async function putLimit(
  env: AuditEnv,
  id: string,
  body: LimitBody,
  by: Actor,
): Promise<Result<{ limit: ListedLimit; isNew: boolean }, Failure>> {
  const db = getDatabase(env.DB);
  const limit = newLimit(id, body, by.keyId);
  const checked = await checkLimit(db, limit, limit);
  if (!checked.ok) return checked;
  const { createdBy: _createdBy, createdAt: _createdAt, ...change } = limit;
  return audited(env, by, async (record) => {
    const before = await findLimit(db, id);
    const state = before === null ? null : stateOf(before);
    const batch = record(changeEntry("limit", id, state, stateOf(limit)));
    const saved =
      before === null
        ? await insertLimit(db, limit, batch)
        : await updateLimit(db, id, change, batch);
    if (saved === null) return fail<Failure>({ kind: "too_many_limits", max: LIMITS_MAX });
    return ok({ limit: saved, isNew: before === null });
  });
}

/** Changes the fields of a limit that `change` contains. */
export async function changeLimit(
  env: AuditEnv,
  id: string,
  { scope, ...fields }: z.output<typeof patchLimitBody>,
  by: Actor,
): Promise<ManagedLimit> {
  const db = getDatabase(env.DB);
  const named = scope === undefined ? null : readScope(scope);
  const change = { ...omitUndefined(fields), ...named };
  return audited(env, by, async (record) => {
    const before = await findLimit(db, id);
    const missing = fail<Failure>({ kind: "not_found", what: "limit", id });
    if (before === null) return missing;
    const after = { ...before, ...change };
    const checked = await checkLimit(db, after, named);
    if (!checked.ok) return checked;
    const batch = record(changeEntry("limit", id, stateOf(before), stateOf(after)));
    const limit = await updateLimit(db, id, { ...change, updatedAt: Date.now() }, batch);
    return limit === null ? missing : ok(limit);
  });
}

/** Deletes a limit. Returns false if there is none. */
export async function removeLimit(env: AuditEnv, id: string, by: Actor): Promise<boolean> {
  const db = getDatabase(env.DB);
  return audited(env, by, async (record) => {
    const before = await findLimit(db, id);
    if (before === null) return false;
    await deleteLimit(db, id, record(changeEntry("limit", id, stateOf(before), null)));
    return true;
  });
}

/** A limit's state in the audit log, with the names of fields that clients use. */
function stateOf(limit: StoredLimit) {
  const { name, measure, per, timeZone, limit: max, warnAt, onExceeded, enabled } = limit;
  const scope = scopeView(limit);
  return { name, scope, measure, per, timeZone, limit: max, warnAt, onExceeded, enabled };
}

function newLimit(id: string, { scope, ...fields }: LimitBody, createdBy: string): StoredLimit {
  const now = Date.now();
  return { id, ...fields, ...readScope(scope), createdBy, createdAt: now, updatedAt: now };
}

const SCOPE_FIELDS: Readonly<Record<Exclude<LimitScopeKind, "all">, keyof LimitBody["scope"]>> = {
  agent: "agentId",
  team: "teamId",
  key: "keyId",
  tool: "toolId",
};

function readScope({ agentId, teamId, keyId, toolId }: LimitBody["scope"]): Scope {
  if (agentId !== undefined) return { scopeKind: "agent", scopeId: agentId };
  if (teamId !== undefined) return { scopeKind: "team", scopeId: teamId };
  if (keyId !== undefined) return { scopeKind: "key", scopeId: keyId };
  if (toolId !== undefined) return { scopeKind: "tool", scopeId: toolId };
  return { scopeKind: "all", scopeId: "" };
}

/** Checks that a limit can apply to something. `named`: its scope if the request names it, otherwise null. */
async function checkLimit(
  db: Database,
  { scopeKind, measure, per, limit }: Pick<StoredLimit, "scopeKind" | "measure" | "per" | "limit">,
  named: Scope | null,
): Promise<Result<null, Failure>> {
  const useless = findUselessCombination(scopeKind, measure, per);
  if (useless !== null) return fail(createFieldFailure(useless.field, useless.message));
  if (measure !== "usd" && !Number.isInteger(limit)) {
    const message = `must be a whole number of ${measure}, got ${preview(limit)}`;
    return fail(createFieldFailure("limit", message));
  }
  if (named === null || named.scopeKind === "all") return ok(null);
  if (await isKnownScope(db, named.scopeKind, named.scopeId)) return ok(null);
  const message = `must name an existing ${named.scopeKind}, got ${preview(named.scopeId)}`;
  return fail(createFieldFailure(`scope.${SCOPE_FIELDS[named.scopeKind]}`, message));
}
