import { Hono } from "hono";
import type { Failure } from "../kernel/failure.ts";
import { createValidationFailure } from "../kernel/failure.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { getDatabase } from "../platform/d1/client.ts";
import { type AppContext, type AppEnv, readPathParam } from "../http/envelope.ts";
import { answerOtherMethods, defineEndpoint } from "../http/endpoint.ts";
import { validateSchema } from "../http/validation.ts";
import { explainPolicies } from "./explain-policies.ts";
import { actorOf } from "./audit/actor.ts";
import { changePolicy, createPolicy, putPolicy, removePolicy } from "./manage-policies.ts";
import { policyOperations } from "./operations.ts";
import {
  findMissingResource,
  findPolicy,
  listCoveringPolicies,
  listPolicies,
} from "./policies.store.ts";
import { createPolicyBody } from "./schemas.ts";
import { simulatePolicy } from "./simulate-policy.ts";
import { policyView, simulationView } from "./view.ts";

const list = defineEndpoint(policyOperations.listPolicies, async (c, { query }) => {
  const { policies, total } = await listPolicies(getDatabase(c.env.DB), query);
  const { limit, offset } = query;
  return ok({ data: { policies: policies.map(policyView), total, limit, offset } });
});

const create = defineEndpoint(policyOperations.createPolicy, async (c, { body }) => {
  const { id, ...policy } = body;
  const created = await createPolicy(c.env, id, policy, actorOf(c));
  if (!created.ok) return created;
  return ok({ data: policyView(created.value), status: 201 as const });
});

const explain = defineEndpoint(policyOperations.explainPolicies, async (c, { query }) => {
  const call = { ...query, agentId: query.agentId ?? null };
  const db = getDatabase(c.env.DB);
  const missing = await findMissingResource(db, call);
  if (missing !== null) return fail<Failure>({ kind: "not_found", ...missing });
  return ok({ data: explainPolicies(await listCoveringPolicies(db, call)) });
});

const simulate = defineEndpoint(policyOperations.simulatePolicy, async (c, { body }) => {
  const simulated = await simulatePolicy(c.env, c.get("key"), body, Date.now());
  if (!simulated.ok) return simulated;
  return ok({ data: simulationView(simulated.value, body.policy.reason) });
});

const read = defineEndpoint(policyOperations.getPolicy, async (c) => {
  const policy = await findPolicy(getDatabase(c.env.DB), readPathParam(c, "id"));
  return policy === null ? policyNotFound(c) : ok({ data: policyView(policy) });
});

const put = defineEndpoint(policyOperations.putPolicy, async (c, { body }) => {
  const id = validateSchema(createPolicyBody.pick({ id: true }), { id: readPathParam(c, "id") });
  if (!id.ok) return fail<Failure>(createValidationFailure(id.failure));
  const saved = await putPolicy(c.env, id.value.id, body, actorOf(c));
  if (!saved.ok) return saved;
  const { policy, isNew } = saved.value;
  return ok({ data: policyView(policy), status: isNew ? (201 as const) : (200 as const) });
});

const change = defineEndpoint(policyOperations.changePolicy, async (c, { body }) => {
  const changed = await changePolicy(c.env, readPathParam(c, "id"), body, actorOf(c));
  return changed.ok ? ok({ data: policyView(changed.value) }) : changed;
});

const remove = defineEndpoint(policyOperations.deletePolicy, async (c) => {
  const id = readPathParam(c, "id");
  const isDeleted = await removePolicy(c.env, id, actorOf(c));
  return isDeleted ? ok({ data: { id, deleted: true as const } }) : policyNotFound(c);
});

function policyNotFound(c: AppContext): Result<never, Failure> {
  return fail({ kind: "not_found", what: "policy", id: readPathParam(c, "id") });
}

/** `explain` and `simulate` are reserved words, not policy ids, so their routes come first. */
const reservedRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/agents/policies/explain", ...explain)
    .post("/agents/policies/simulate", ...simulate),
);

const ownRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/agents/policies", ...list)
    .post("/agents/policies", ...create)
    .get("/agents/policies/:id", ...read)
    .put("/agents/policies/:id", ...put)
    .patch("/agents/policies/:id", ...change)
    .delete("/agents/policies/:id", ...remove),
);

export const policyRoutes = reservedRoutes.route("/", ownRoutes);
