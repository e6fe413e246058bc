import * as z from "zod";
import { SCOPES } from "../../../keys/model/key.ts";
import {
  componentSchema,
  countSchema,
  createdBySchema,
  flagSchema,
  instantSchema,
  listSchema,
  textSchema,
} from "./common.ts";

const id = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .describe("The key's id.");

function limit(description: string): z.ZodType {
  return countSchema(description);
}

const keyFieldSchemas = {
  id,
  name: textSchema("What it is for, for people to read."),
  scopes: listSchema(z.enum(SCOPES), "What it may do."),
  agentId: textSchema("The agent it is bound to: it sees only what is this agent's.").optional(),
  teamId: textSchema("The team it is bound to: it sees only what is this team's.").optional(),
  limits: componentSchema("KeyLimits", "The key's limits in effect.", {
    requestsPerMinute: limit("Requests per minute."),
    openStreams: limit("Streams and waiting requests at the same time."),
    pushConfigurations: limit("A2A push notification configurations, across all tasks."),
    liveTasks: limit("Tasks that the key created and that have not ended."),
    storedBytes: limit("Bytes of the logs and files of the tasks that the key created."),
  }),
  createdAt: instantSchema("When it was made."),
  createdBy: createdBySchema("created it"),
  expiresAt: instantSchema("When it ends by itself; absent when it does not.").optional(),
  requireTask: z
    .literal(true)
    .describe("Tool calls with this key must be made under a task; absent otherwise.")
    .optional(),
  lastUsedAt: instantSchema(
    "When it was last used, to within ten minutes; absent if it never was.",
  ).optional(),
};

export const apiKeySchema = componentSchema(
  "Key",
  "An API key, without its secret.",
  keyFieldSchemas,
);

/** POST /agents/keys. */
export const createdKeySchema = componentSchema(
  "CreatedKey",
  "An API key with its secret, which is shown once.",
  {
    ...keyFieldSchemas,
    key: z
      .string()
      .regex(/^bsn_[0-9a-f]{16}_[0-9a-f]{64}$/)
      .describe(
        "The key itself, to be sent as `Authorization: Bearer <key>`. Shown this once: only its SHA-256 is stored.",
      ),
  },
);

/** GET /agents/keys. */
export const keyListSchema = componentSchema("KeyList", "One page of the keys.", {
  keys: listSchema(apiKeySchema, "The page, newest first; revoked keys are left out."),
});

const resource = {
  id: textSchema("Its id."),
  createdBy: textSchema("Id of the key that created it: the revoked key, or a key created by it."),
};
const resourceName = textSchema("Its name.");
const agentEnabled = flagSchema("Whether it takes tasks; with `cascade` it no longer does.");
const webhookEnabled = flagSchema(
  "Whether it delivers events; false if the key that created it has ended.",
);

const createdResources = componentSchema(
  "CreatedResources",
  "Resources created by a key and by the keys that it created.",
  {
    keys: listSchema(
      z.strictObject({
        ...resource,
        name: resourceName,
        revoked: flagSchema("Whether this request revoked it."),
      }),
      "Keys that were still valid.",
    ),
    webhooks: listSchema(
      z.strictObject({
        ...resource,
        description: textSchema("What it is for; may be empty."),
        enabled: webhookEnabled,
      }),
      "Webhooks. A2A push notifications end with their key and are not listed.",
    ),
    agents: listSchema(
      z.strictObject({ ...resource, name: resourceName, enabled: agentEnabled }),
      "Agents; enabled ones first.",
    ),
    tools: listSchema(
      z.strictObject({ ...resource, name: resourceName }),
      "Tools. They stay; DELETE /agents/tools/:id retires one permanently.",
    ),
    more: flagSchema("Whether there are more: each list has at most 100 entries."),
  },
);

/** DELETE /agents/keys/:id. */
export const revokedKeySchema = componentSchema(
  "RevokedKey",
  "A revoked key and the resources that it created.",
  {
    id,
    revoked: z.literal(true).describe("It opens nothing any longer."),
    created: createdResources,
  },
);
