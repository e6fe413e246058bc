import type { Hono } from "hono";
import * as z from "zod";
import { database } from "../db/client.ts";
import { invalid, invalidFields, type Failure } from "../domain/failure.ts";
import { lackedScopes, outlives } from "../domain/key.ts";
import { inheritedOverrides } from "../domain/key-limits.ts";
import { shown } from "../domain/problem.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { endpoint, resource, type Endpoint } from "../http/endpoint.ts";
import { failed, type Reply } from "../http/envelope.ts";
import { param } from "../http/named.ts";
import { pageQuery } from "../http/query.ts";
import { forgetKey } from "./authenticate.ts";
import { changeKeyLimits, limitProblems } from "./change.ts";
import { revokeKey } from "./revoke.ts";
import { mintKey } from "./secret.ts";
import { insertKey, knownBinding, listKeys } from "./store.ts";
import { iso, keyView, revokedView } from "./view.ts";
import * as wire from "./wire.ts";

export function keyRoutes(app: Hono<AppEnv>): void {
  resource(app, "/agents/keys", { GET: list, POST: create });
  resource(app, "/agents/keys/:id", { PATCH: change, DELETE: revoke });
}

const list = endpoint(
  { scope: "keys:manage", query: z.object(pageQuery) },
  async (c, { query }) => {
    const keys = await listKeys(database(c.env.DB), query);
    return ok({ data: { keys: keys.map(keyView) } });
  },
);

const createNew = endpoint({ scope: "keys:manage", body: wire.createKeyBody }, creating);
const createOnce = endpoint({ scope: "keys:manage", body: wire.repeatableKeyBody }, creating);

const create: Endpoint = Object.assign(
  (c: AppContext) => (c.req.header("Idempotency-Key") === undefined ? createNew(c) : createOnce(c)),
  { inputs: createNew.inputs },
);

async function creating(
  c: AppContext,
  { body }: { body: wire.CreateKeyBody },
): Promise<Result<Reply, Failure> | Response> {
  if (body.expiresAt !== undefined && !wire.isAhead(body.expiresAt)) {
    // A Response, as other refused input: it leaves the Idempotency-Key to the mended request.
    return failed(c, invalid("expiresAt", `${wire.EXPIRY_RULE}, got ${shown(body.expiresAt)}`));
  }
  const parent = c.get("key");
  const lacking = lackedScopes(parent, body.scopes);
  if (lacking.length > 0) return fail<Failure>({ kind: "insufficient_scope", scopes: lacking });
  const asked = body.expiresAt === undefined ? parent.expiresAt : Date.parse(body.expiresAt);
  if (outlives(asked, parent)) {
    const end = iso(parent.expiresAt);
    const rule = `must not be later than ${end}, when the key that creates it expires`;
    return failed(c, invalid("expiresAt", `${rule}, got ${shown(body.expiresAt)}`));
  }
  const problems = limitProblems(body.limits ?? {}, parent.limits);
  if (problems.length > 0) return failed(c, invalidFields(problems));
  const agentId = body.agentId ?? null;
  const teamId = body.teamId ?? null;
  const db = database(c.env.DB);
  const { id, key, hash } = mintKey();
  const record = {
    id,
    name: body.name,
    scopes: [...new Set(body.scopes)],
    agentId,
    teamId,
    createdAt: Date.now(),
    expiresAt: asked,
    createdBy: parent.id,
    // A key with `requireTask` must not bypass it by creating another key.
    requireTask: body.requireTask || parent.requireTask,
    limits: inheritedOverrides(body.limits ?? {}, parent.limits),
  };
  if (!(await insertKey(db, { ...record, hash }))) {
    const known = await checkBinding(db, agentId, teamId);
    if (!known.ok) return known;
    forgetKey(parent.id);
    return fail<Failure>({ kind: "unauthenticated", reason: "This API key was revoked." });
  }
  return ok({ data: { ...keyView({ ...record, lastUsedAt: null }), key }, status: 201 as const });
}

const change = endpoint({ scope: "keys:manage", body: wire.changeKeyBody }, async (c, { body }) => {
  const changed = await changeKeyLimits(c.env, c.get("key"), param(c, "id"), body.limits);
  return changed.ok ? ok({ data: keyView(changed.value) }) : changed;
});

const revoke = endpoint(
  { scope: "keys:manage", query: wire.revokeKeyQuery },
  async (c, { query }) => {
    const id = param(c, "id");
    const revoked = await revokeKey(c.env, c.get("key"), { id, cascade: query.cascade });
    return revoked.ok ? ok({ data: revokedView(id, revoked.value) }) : revoked;
  },
);

async function checkBinding(
  db: ReturnType<typeof database>,
  agentId: string | null,
  teamId: string | null,
): Promise<Result<null, Failure>> {
  if (agentId === null && teamId === null) return ok(null);
  const known = await knownBinding(db, { agentId, teamId });
  if (agentId !== null && !known.agent)
    return fail({ kind: "not_found", what: "agent", id: agentId });
  if (teamId !== null && !known.team) return fail({ kind: "not_found", what: "team", id: teamId });
  return ok(null);
}
