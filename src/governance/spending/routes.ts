import { Hono } from "hono";
import { createValidationFailure, type Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import { type AppContext, type AppEnv, readPathParam } from "../../http/envelope.ts";
import { answerOtherMethods, defineEndpoint } from "../../http/endpoint.ts";
import { validateSchema } from "../../http/validation.ts";
import { actorOf } from "../audit/actor.ts";
import { changeLimit, createLimit, putLimit, removeLimit } from "./manage-limits.ts";
import { limitOperations } from "./operations.ts";
import { findLimit, listLimits, type ListedLimit } from "./limits.store.ts";
import { readLimitViews } from "./read-uses.ts";
import { createLimitBody, type LimitResponse } from "./schemas.ts";

const list = defineEndpoint(limitOperations.listLimits, async (c, { query }) => {
  const { limits, total } = await listLimits(getDatabase(c.env.DB), query);
  const { limit, offset } = query;
  return ok({ data: { limits: await readLimitViews(c.env, limits), total, limit, offset } });
});

const create = defineEndpoint(limitOperations.createLimit, async (c, { body }) => {
  const { id, ...limit } = body;
  const created = await createLimit(c.env, id, limit, actorOf(c));
  if (!created.ok) return created;
  return ok({ data: await viewOf(c, created.value), status: 201 as const });
});

const read = defineEndpoint(limitOperations.getLimit, async (c) => {
  const limit = await findLimit(getDatabase(c.env.DB), readPathParam(c, "id"));
  return limit === null ? limitNotFound(c) : ok({ data: await viewOf(c, limit) });
});

const put = defineEndpoint(limitOperations.putLimit, async (c, { body }) => {
  const id = validateSchema(createLimitBody.pick({ id: true }), { id: readPathParam(c, "id") });
  if (!id.ok) return fail<Failure>(createValidationFailure(id.failure));
  const saved = await putLimit(c.env, id.value.id, body, actorOf(c));
  if (!saved.ok) return saved;
  const { limit, isNew } = saved.value;
  const status = isNew ? (201 as const) : (200 as const);
  return ok({ data: await viewOf(c, limit), status });
});

const change = defineEndpoint(limitOperations.changeLimit, async (c, { body }) => {
  const changed = await changeLimit(c.env, readPathParam(c, "id"), body, actorOf(c));
  return changed.ok ? ok({ data: await viewOf(c, changed.value) }) : changed;
});

const remove = defineEndpoint(limitOperations.deleteLimit, async (c) => {
  const id = readPathParam(c, "id");
  const isDeleted = await removeLimit(c.env, id, actorOf(c));
  return isDeleted ? ok({ data: { id, deleted: true as const } }) : limitNotFound(c);
});

async function viewOf(c: AppContext, limit: ListedLimit): Promise<LimitResponse> {
  const [view] = await readLimitViews(c.env, [limit]);
  if (view === undefined) throw new Error("The object must return the use of each limit");
  return view;
}

function limitNotFound(c: AppContext): Result<never, Failure> {
  return fail({ kind: "not_found", what: "limit", id: readPathParam(c, "id") });
}

export const limitRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/agents/limits", ...list)
    .post("/agents/limits", ...create)
    .get("/agents/limits/:id", ...read)
    .put("/agents/limits/:id", ...put)
    .patch("/agents/limits/:id", ...change)
    .delete("/agents/limits/:id", ...remove),
);
