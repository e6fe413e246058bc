import type * as z from "zod";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { fail, ok, preview, type Result } from "../../kernel/result.ts";
import { getDatabase, type Database } from "../../platform/d1/client.ts";
import { LIMITS_MAX } from "../limits.ts";
import {
  findLimit,
  insertLimit,
  isKnownScope,
  updateLimit,
  upsertLimit,
  type ListedLimit,
  type StoredLimit,
} from "./limits.store.ts";
import { findUselessCombination, type LimitScopeKind } from "../model/spending/limit.ts";
import type { LimitBody, patchLimitBody } from "./schemas.ts";

type ManagedLimit = Result<ListedLimit, Failure>;
type Scope = Pick<StoredLimit, "scopeKind" | "scopeId">;

/** Creates a limit. Fails if the id is taken. `by`: the id of the key that creates it. */
export async function createLimit(
  env: Pick<Env, "DB">,
  id: string,
  body: LimitBody,
  by: string,
): Promise<ManagedLimit> {
  const db = getDatabase(env.DB);
  const limit = newLimit(id, body, by);
  const checked = await checkLimit(db, limit, limit);
  if (!checked.ok) return checked;
  if (await insertLimit(db, limit)) return ok({ ...limit, scopeExists: true });
  if ((await findLimit(db, id)) !== null) return fail({ kind: "limit_exists", limitId: id });
  return fail({ kind: "too_many_limits", max: LIMITS_MAX });
}

/** Creates a limit, or replaces every field that a client can set. */
export async function putLimit(
  env: Pick<Env, "DB">,
  id: string,
  body: LimitBody,
  by: string,
): Promise<Result<{ limit: ListedLimit; isNew: boolean }, Failure>> {
  const db = getDatabase(env.DB);
  const limit = newLimit(id, body, by);
  const checked = await checkLimit(db, limit, limit);
  if (!checked.ok) return checked;
  const saved = await upsertLimit(db, limit);
  return saved === null ? fail({ kind: "too_many_limits", max: LIMITS_MAX }) : ok(saved);
}

/** Changes the fields of a limit that `change` contains. */
export async function changeLimit(
  env: Pick<Env, "DB">,
  id: string,
  change: z.output<typeof patchLimitBody>,
): Promise<ManagedLimit> {
  const db = getDatabase(env.DB);
  const before = await findLimit(db, id);
  const missing = fail<Failure>({ kind: "not_found", what: "limit", id });
  if (before === null) return missing;
  const { scope, ...fields } = change;
  const named = scope === undefined ? null : readScope(scope);
  const after = {
    ...before,
    ...named,
    measure: change.measure ?? before.measure,
    per: change.per ?? before.per,
    limit: change.limit ?? before.limit,
  };
  const checked = await checkLimit(db, after, named);
  if (!checked.ok) return checked;
  const limit = await updateLimit(db, id, { ...fields, ...named, updatedAt: Date.now() });
  return limit === null ? missing : ok(limit);
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
