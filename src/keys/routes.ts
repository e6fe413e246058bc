import type { Hono } from "hono";
import * as z from "zod";
import { database } from "../db/client.ts";
import { invalid, type Failure } from "../domain/failure.ts";
import { shown } from "../domain/problem.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { endpoint, resource, type Endpoint } from "../http/endpoint.ts";
import { failed, type Reply } from "../http/envelope.ts";
import { param } from "../http/named.ts";
import { pageQuery } from "../http/query.ts";
import { forgetKey } from "./authenticate.ts";
import { mintKey } from "./secret.ts";
import { insertKey, knownBinding, listKeys, revokeKey } from "./store.ts";
import * as wire from "./wire.ts";

export function keyRoutes(app: Hono<AppEnv>): void {
  resource(app, "/agents/keys", { GET: list, POST: create });
  resource(app, "/agents/keys/:id", { DELETE: revoke });
}

const list = endpoint(
  { scope: "keys:manage", query: z.object(pageQuery) },
  async (c, { query }) => {
    const keys = await listKeys(database(c.env.DB), query);
    return ok({ data: { keys: keys.map(shape) } });
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
  const lacking = body.scopes.filter((scope) => !c.get("key").scopes.includes(scope));
  if (lacking.length > 0) return fail<Failure>({ kind: "insufficient_scope", scopes: lacking });
  const agentId = body.agentId ?? null;
  const teamId = body.teamId ?? null;
  const db = database(c.env.DB);
  const known = await checkBinding(db, agentId, teamId);
  if (!known.ok) return known;
  const { id, key, hash } = mintKey();
  const record = {
    id,
    name: body.name,
    scopes: [...new Set(body.scopes)],
    agentId,
    teamId,
    createdAt: Date.now(),
    expiresAt: body.expiresAt === undefined ? null : Date.parse(body.expiresAt),
    // A marked key must not get around its mark by a key that it creates.
    requireTask: body.requireTask || c.get("key").requireTask,
  };
  await insertKey(db, { ...record, hash });
  return ok({ data: { ...shape(record), key }, status: 201 as const });
}

const revoke = endpoint({ scope: "keys:manage" }, async (c) => {
  const id = param(c, "id");
  const revoked = await revokeKey(database(c.env.DB), id, Date.now());
  if (!revoked) return fail<Failure>({ kind: "not_found", what: "key", id });
  forgetKey(id);
  return ok({ data: { id, revoked: true } });
});

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

/** A key as lists show it: never with its secret. */
function shape(key: Awaited<ReturnType<typeof listKeys>>[number]): object {
  const { id, name, scopes, agentId, teamId, createdAt, expiresAt, requireTask } = key;
  return {
    id,
    name,
    scopes,
    ...(agentId === null ? {} : { agentId }),
    ...(teamId === null ? {} : { teamId }),
    ...(requireTask ? { requireTask } : {}),
    createdAt: new Date(createdAt).toISOString(),
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  };
}
