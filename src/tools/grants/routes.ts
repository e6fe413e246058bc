import { Hono } from "hono";
import { ok } from "../../kernel/result.ts";
import type { AppEnv } from "../../http/envelope.ts";
import { defineEndpoint, answerOtherMethods } from "../../http/endpoint.ts";
import { explainAccess } from "./explain-access.ts";
import { listGrants } from "./list-grants.ts";
import { grantOperations } from "./operations.ts";

const list = defineEndpoint(grantOperations.listGrants, async (c, { query }) => {
  const page = await listGrants(c.env, c.get("key"), query);
  return page.ok ? ok({ data: page.value }) : page;
});

const explain = defineEndpoint(grantOperations.explainAccess, async (c, { query }) => {
  const explained = await explainAccess(c.env, c.get("key"), query);
  return explained.ok ? ok({ data: explained.value }) : explained;
});

export const grantRoutes = answerOtherMethods(
  new Hono<AppEnv>().get("/agents/access", ...list).get("/agents/access/explain", ...explain),
);
