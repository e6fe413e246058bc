import * as z from "zod";
import { SCOPES } from "../../../keys/model/key.ts";
import { createdBySchema, instantSchema } from "./common.ts";

const id = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .meta({ description: "The key's id." });

function limit(description: string): z.ZodType {
  return z.int().min(0).meta({ description });
}

const keyFieldSchemas = {
  id,
  name: z.string().meta({ description: "What it is for, for people to read." }),
  scopes: z.array(z.enum(SCOPES)).meta({ description: "What it may do." }),
  agentId: z
    .string()
    .meta({ description: "The agent it is bound to: it sees only what is this agent's." })
    .optional(),
  teamId: z
    .string()
    .meta({ description: "The team it is bound to: it sees only what is this team's." })
    .optional(),
  limits: z
    .strictObject({
      requestsPerMinute: limit("Requests per minute."),
      openStreams: limit("Streams and waiting requests at the same time."),
      pushConfigurations: limit("A2A push notification configurations, across all tasks."),
      liveTasks: limit("Tasks that the key created and that have not ended."),
      storedBytes: limit("Bytes of the logs and files of the tasks that the key created."),
    })
    .meta({ id: "KeyLimits", description: "The key's limits in effect." }),
  createdAt: instantSchema("When it was made."),
  createdBy: createdBySchema("created it"),
  expiresAt: instantSchema("When it ends by itself; absent when it does not.").optional(),
  requireTask: z
    .literal(true)
    .meta({ description: "Tool calls with this key must be made under a task; absent otherwise." })
    .optional(),
  lastUsedAt: instantSchema(
    "When it was last used, to within ten minutes; absent if it never was.",
  ).optional(),
};

export const apiKeySchema = z
  .strictObject(keyFieldSchemas)
  .meta({ id: "Key", description: "An API key, without its secret." });

/** POST /agents/keys. */
export const createdKeySchema = z
  .strictObject({
    ...keyFieldSchemas,
    key: z
      .string()
      .regex(/^bsn_[0-9a-f]{16}_[0-9a-f]{64}$/)
      .meta({
        description:
          "The key itself, to be sent as `Authorization: Bearer <key>`. Shown this once: only its SHA-256 is stored.",
      }),
  })
  .meta({ id: "CreatedKey", description: "An API key with its secret, which is shown once." });

/** GET /agents/keys. */
export const keyListSchema = z
  .strictObject({
    keys: z
      .array(apiKeySchema)
      .meta({ description: "The page, newest first; revoked keys are left out." }),
  })
  .meta({ id: "KeyList", description: "One page of the keys." });

const resource = {
  id: z.string().meta({ description: "Its id." }),
  createdBy: z.string().meta({
    description: "Id of the key that created it: the revoked key, or a key created by it.",
  }),
};
const resourceName = z.string().meta({ description: "Its name." });
const agentEnabled = z
  .boolean()
  .meta({ description: "Whether it takes tasks; with `cascade` it no longer does." });
const webhookEnabled = z
  .boolean()
  .meta({ description: "Whether it delivers events; false if the key that created it has ended." });

const createdResources = z
  .strictObject({
    keys: z
      .array(
        z.strictObject({
          ...resource,
          name: resourceName,
          revoked: z.boolean().meta({ description: "Whether this request revoked it." }),
        }),
      )
      .meta({ description: "Keys that were still valid." }),
    webhooks: z
      .array(
        z.strictObject({
          ...resource,
          description: z.string().meta({ description: "What it is for; may be empty." }),
          enabled: webhookEnabled,
        }),
      )
      .meta({
        description: "Webhooks. A2A push notifications end with their key and are not listed.",
      }),
    agents: z
      .array(z.strictObject({ ...resource, name: resourceName, enabled: agentEnabled }))
      .meta({ description: "Agents; enabled ones first." }),
    tools: z
      .array(z.strictObject({ ...resource, name: resourceName }))
      .meta({ description: "Tools. They stay; DELETE /agents/tools/:id retires one permanently." }),
    more: z.boolean().meta({
      description: "Whether there are more: each list has at most 100 entries.",
    }),
  })
  .meta({
    id: "CreatedResources",
    description: "Resources created by a key and by the keys that it created.",
  });

/** DELETE /agents/keys/:id. */
export const revokedKeySchema = z
  .strictObject({
    id,
    revoked: z.literal(true).meta({ description: "It opens nothing any longer." }),
    created: createdResources,
  })
  .meta({ id: "RevokedKey", description: "A revoked key and the resources that it created." });
