import * as z from "zod";
import { SCOPES } from "../../../keys/model/key.ts";
import * as schema from "./common.ts";

const id = schema.matching(/^[0-9a-f]{16}$/, "The key's id.");

function limit(description: string): z.ZodType {
  return schema.count(description);
}

const keyFieldSchemas = {
  id,
  name: schema.text("What it is for, for people to read."),
  scopes: schema.list(z.enum(SCOPES), "What it may do."),
  agentId: schema.optional.text("The agent it is bound to: it sees only what is this agent's."),
  teamId: schema.optional.text("The team it is bound to: it sees only what is this team's."),
  limits: schema.component("KeyLimits", "The key's limits in effect.", {
    requestsPerMinute: limit("Requests per minute."),
    openStreams: limit("Streams and waiting requests at the same time."),
    pushConfigurations: limit("A2A push notification configurations, across all tasks."),
    liveTasks: limit("Tasks that the key created and that have not ended."),
    storedBytes: limit("Bytes of the logs and files of the tasks that the key created."),
  }),
  createdAt: schema.instant("When it was made."),
  createdBy: schema.createdBy("created it"),
  expiresAt: schema.optional.instant("When it ends by itself; absent when it does not."),
  requireTask: z
    .literal(true)
    .describe("Tool calls with this key must be made under a task; absent otherwise.")
    .optional(),
  lastUsedAt: schema.optional.instant(
    "When it was last used, to within ten minutes; absent if it never was.",
  ),
};

export const apiKeySchema = schema.component(
  "Key",
  "An API key, without its secret.",
  keyFieldSchemas,
);

/** POST /agents/keys. */
export const createdKeySchema = schema.component(
  "CreatedKey",
  "An API key with its secret, which is shown once.",
  {
    ...keyFieldSchemas,
    key: schema.matching(
      /^bsn_[0-9a-f]{16}_[0-9a-f]{64}$/,
      "The key itself, to be sent as `Authorization: Bearer <key>`. Shown this once: only its SHA-256 is stored.",
    ),
  },
);

/** GET /agents/keys. */
export const keyListSchema = schema.component("KeyList", "One page of the keys.", {
  keys: schema.list(apiKeySchema, "The page, newest first; revoked keys are left out."),
});

const resource = {
  id: schema.text("Its id."),
  createdBy: schema.text("Id of the key that created it: the revoked key, or a key created by it."),
};
const resourceName = schema.text("Its name.");
const agentEnabled = schema.flag("Whether it takes tasks; with `cascade` it no longer does.");
const webhookEnabled = schema.flag(
  "Whether it delivers events; false if the key that created it has ended.",
);

const createdResources = schema.component(
  "CreatedResources",
  "Resources created by a key and by the keys that it created.",
  {
    keys: schema.list(
      z.strictObject({
        ...resource,
        name: resourceName,
        revoked: schema.flag("Whether this request revoked it."),
      }),
      "Keys that were still valid.",
    ),
    webhooks: schema.list(
      z.strictObject({
        ...resource,
        description: schema.text("What it is for; may be empty."),
        enabled: webhookEnabled,
      }),
      "Webhooks. A2A push notifications end with their key and are not listed.",
    ),
    agents: schema.list(
      z.strictObject({ ...resource, name: resourceName, enabled: agentEnabled }),
      "Agents; enabled ones first.",
    ),
    tools: schema.list(
      z.strictObject({ ...resource, name: resourceName }),
      "Tools. They stay; DELETE /agents/tools/:id retires one permanently.",
    ),
    more: schema.flag("Whether there are more: each list has at most 100 entries."),
  },
);

/** DELETE /agents/keys/:id. */
export const revokedKeySchema = schema.component(
  "RevokedKey",
  "A revoked key and the resources that it created.",
  {
    id,
    revoked: z.literal(true).describe("It opens nothing any longer."),
    created: createdResources,
  },
);
