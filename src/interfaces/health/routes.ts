import { Hono } from "hono";
import * as z from "zod";
import { answerOtherMethods, defineEndpoint } from "../../http/endpoint.ts";
import type { AppEnv } from "../../http/envelope.ts";
import { defineOperation, respond } from "../../http/operation.ts";
import { ok } from "../../kernel/result.ts";

const healthSchema = z
  .object({ status: z.literal("ok").describe("The Worker is running.") })
  .meta({ id: "Health" });

const getHealth = defineOperation({
  operationId: "getHealth",
  tag: "Service",
  summary: "Check whether the service is up",
  description: "Responds without reading any store, so monitors can poll it at any rate.",
  access: "public",
  responses: [respond(200, "The service is running.", healthSchema)],
});

const health = defineEndpoint(getHealth, async () => ok({ data: { status: "ok" as const } }));

export const healthRoutes = answerOtherMethods(new Hono<AppEnv>().get("/health", ...health));
