import { Hono } from "hono";
import { getDatabase } from "../platform/d1/client.ts";
import { createFieldFailure, createValidationFailure, type Failure } from "../kernel/failure.ts";
import { findMissingScopes, outlives } from "./model/key.ts";
import { inheritLimits } from "./model/key-limits.ts";
import { toIsoTime } from "../kernel/text.ts";
import { preview, fail, ok, type Result } from "../kernel/result.ts";
import {
  type AppContext,
  type AppEnv,
  readPathParam,
  sendFailure,
  type SuccessReply,
} from "../http/envelope.ts";
import { defineEndpoint, answerOtherMethods, selectByIdempotencyKey } from "../http/endpoint.ts";
import { actorOf } from "../governance/audit/actor.ts";
import { audited } from "../governance/audit/audited.ts";
import { invalidateKey, generateApiKey } from "./authenticate.ts";
import { changeKeyLimits, findLimitProblems, revokeKey, type KeyManager } from "./manage-keys.ts";
import { checkAgentAndTeam } from "../agents/read-agent.ts";
import { insertKey, listKeys } from "./keys.store.ts";
import { keyView, revocationView } from "./view.ts";
import { keyOperations } from "./operations.ts";
import * as schemas from "./schemas.ts";

const list = defineEndpoint(keyOperations.listKeys, async (c, { query }) => {
  const keys = await listKeys(getDatabase(c.env.DB), query);
  return ok({ data: { keys: keys.map(keyView) } });
});

const create = selectByIdempotencyKey(
  defineEndpoint(keyOperations.createKey, createFrom),
  defineEndpoint({ ...keyOperations.createKey, body: schemas.idempotentKeyBody }, createFrom),
);

async function createFrom(
  c: AppContext,
  { body }: { body: schemas.CreateKeyBody },
): Promise<Result<SuccessReply<schemas.CreatedKeyResponse>, Failure> | Response> {
  if (body.expiresAt !== undefined && !schemas.isInFuture(body.expiresAt)) {
    // A Response releases the Idempotency-Key, so the corrected request can use it.
    const message = `${schemas.KEY_EXPIRY_RULE}, got ${preview(body.expiresAt)}`;
    return sendFailure(c, createFieldFailure("expiresAt", message));
  }
  const parent = c.get("key");
  const missing = findMissingScopes(parent, body.scopes);
  if (missing.length > 0) return fail<Failure>({ kind: "insufficient_scope", scopes: missing });
  const asked = body.expiresAt === undefined ? parent.expiresAt : Date.parse(body.expiresAt);
  if (outlives(asked, parent)) {
    const rule = `must not be later than ${toIsoTime(parent.expiresAt ?? 0)}, when the creating key expires`;
    const message = `${rule}, got ${preview(body.expiresAt)}`;
    return sendFailure(c, createFieldFailure("expiresAt", message));
  }
  const problems = findLimitProblems(body.limits ?? {}, parent.limits);
  if (problems.length > 0) return sendFailure(c, createValidationFailure(problems));
  const { agentId = null, teamId = null } = body;
  const { id, key: secret, hash } = generateApiKey();
  const key = {
    id,
    name: body.name,
    scopes: [...new Set(body.scopes)],
    agentId,
    teamId,
    createdAt: Date.now(),
    expiresAt: asked,
    createdBy: parent.id,
    // A key with `requireTask` must not bypass the rule by creating another key.
    requireTask: body.requireTask || parent.requireTask,
    limits: inheritLimits(body.limits ?? {}, parent.limits),
  };
  const { createdAt: _createdAt, ...state } = key;
  const entry = { action: "key.created", subjectId: id, after: state } as const;
  const isInserted = await audited(c.env, actorOf(c), (record) =>
    insertKey(getDatabase(c.env.DB), { ...key, hash }, record(entry)),
  );
  if (!isInserted) {
    const known = await checkAgentAndTeam(c.env, { agentId, teamId });
    if (!known.ok) return known;
    invalidateKey(parent.id);
    return fail<Failure>({ kind: "unauthenticated", reason: "This API key was revoked." });
  }
  return ok({
    data: { ...keyView({ ...key, lastUsedAt: null }), key: secret },
    status: 201 as const,
  });
}

const change = defineEndpoint(keyOperations.changeKey, async (c, { body }) => {
  const changed = await changeKeyLimits(c.env, managerOf(c), readPathParam(c, "id"), body.limits);
  return changed.ok ? ok({ data: keyView(changed.value) }) : changed;
});

const revoke = defineEndpoint(keyOperations.revokeKey, async (c, { query }) => {
  const id = readPathParam(c, "id");
  const revoked = await revokeKey(c.env, managerOf(c), { id, cascade: query.cascade });
  return revoked.ok ? ok({ data: revocationView(id, revoked.value) }) : revoked;
});

function managerOf(c: AppContext): KeyManager {
  return { key: c.get("key"), actor: actorOf(c) };
}

export const keyRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/agents/keys", ...list)
    .post("/agents/keys", ...create)
    .patch("/agents/keys/:id", ...change)
    .delete("/agents/keys/:id", ...revoke),
);
