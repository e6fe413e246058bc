import * as z from "zod";
import { KEY_LIMITS, type KeyLimitName } from "./model/key-limits.ts";
import { isUnboundScope, SCOPES } from "./model/key.ts";
import { NAME_CHARACTERS_MAX } from "../kernel/limits.ts";
import { identifier, pageQueryOf } from "../http/validation.ts";
import * as schema from "../http/schemas.ts";

export const KEY_EXPIRY_RULE = "must be in the future";

const expiryText = z.iso.datetime({
  offset: true,
  error: "must be an ISO 8601 date-time with a time zone",
  abort: true,
});

const keyName = schema.text("A name that describes what the key is for.");

/** Query of GET /agents/keys. */
export const listKeysQuery = z.object(pageQueryOf("Keys"));

/** Body of POST /agents/keys. */
export const createKeyBody = keyBody(expiryText.refine(isInFuture, { error: KEY_EXPIRY_RULE }));
export type CreateKeyBody = z.output<typeof createKeyBody>;

/**
 * The body with an Idempotency-Key. `expiresAt` can be in the past, so a repeated request gets the same response even
 * after the key has expired.
 */
export const idempotentKeyBody = keyBody(expiryText);

/** Query of DELETE /agents/keys/:id. */
export const revokeKeyQuery = z.object({
  cascade: z
    .enum(["true", "false"])
    .default("false")
    .transform((given) => given === "true")
    .describe(
      "Whether to also revoke the keys and disable the agents that the key created, directly or indirectly.",
    ),
});

/** Body of PATCH /agents/keys/:id. */
export const changeKeyBody = z.strictObject({
  limits: limitsSchema((name) => boundedLimit(name).nullable().optional())
    .refine((limits) => Object.keys(limits).length > 0, { error: "must set at least one field" })
    .meta({ minProperties: 1, description: "The limits to change." }),
});

export function isInFuture(expiresAt: string): boolean {
  return Date.parse(expiresAt) > Date.now();
}

function boundedLimit(name: KeyLimitName) {
  return z.int().min(KEY_LIMITS[name].min).max(KEY_LIMITS[name].max);
}

/** The schema for all limits. `limitOf` returns the schema for one limit. */
function limitsSchema<Limit extends z.ZodType>(limitOf: (name: KeyLimitName) => Limit) {
  return z.strictObject({
    requestsPerMinute: limitOf("requestsPerMinute").describe(
      "Requests per minute, over REST, MCP and A2A together. Approximate: each isolate counts its own.",
    ),
    openStreams: limitOf("openStreams").describe(
      "Event streams, A2A streams, waiting claims and other waiting requests at the same time. Approximate: each isolate counts its own.",
    ),
    pushConfigurations: limitOf("pushConfigurations").describe(
      "A2A push notification configurations, across all tasks that have not ended. Exact.",
    ),
    liveTasks: limitOf("liveTasks").describe(
      "Tasks that the key created and that have not ended. Approximate: counted in the task directory.",
    ),
    storedBytes: limitOf("storedBytes").describe(
      "Bytes in the logs and files of the tasks that the key created, until the tasks are deleted; each task is counted in units of 32 KiB. Approximate: counted in the task directory. Requests that would exceed the limit by creating, retrying or changing tasks, saving `work` or uploading files are rejected; work that has begun continues.",
    ),
  });
}

function keyBody(expiry: z.ZodType<string>) {
  return z
    .strictObject({
      name: keyName.min(1).max(NAME_CHARACTERS_MAX),
      scopes: schema
        .list(z.enum(SCOPES), "The permissions of the key. No scope includes another.")
        .min(1)
        .max(SCOPES.length),
      agentId: identifier
        .optional()
        .describe("The agent that the key is bound to. Cannot be combined with `teamId`."),
      teamId: identifier
        .optional()
        .describe("The team that the key is bound to. Cannot be combined with `agentId`."),
      expiresAt: expiry
        .optional()
        .describe(
          "When the key expires, as an ISO 8601 date-time with a time zone. By default, it expires with the key that creates it, or never if that key does not expire. It cannot expire later than that key.",
        ),
      requireTask: schema
        .flag(
          "Whether tool calls with this key must be made under a task; other calls get 403 `TASK_REQUIRED`. Recommended for workers. Keys created with this key inherit the setting.",
        )
        .default(false),
      limits: limitsSchema((name) => boundedLimit(name).optional())
        .optional()
        .describe(
          "Limits that differ from the defaults. An omitted limit is the default or the limit of the creating key, whichever is lower.",
        ),
    })
    .refine((body) => body.agentId === undefined || body.teamId === undefined, {
      path: ["teamId"],
      error: "must be omitted if agentId is set, because a key cannot be bound to both",
    })
    .refine(
      (body) =>
        (body.agentId === undefined && body.teamId === undefined) ||
        !body.scopes.some(isUnboundScope),
      {
        path: ["scopes"],
        error:
          "must not contain approvals:decide, audit:read or a scope that ends in :manage if the key is bound to an agent or a team",
      },
    );
}

const id = schema.matching(/^[0-9a-f]{16}$/, "The key's id.");

export const keySchema = schema.component("Key", "An API key, without its secret.", {
  id,
  name: keyName,
  scopes: schema.list(z.enum(SCOPES), "The permissions of the key."),
  agentId: schema.optional.text(
    "The agent that the key is bound to. The key sees only this agent's resources.",
  ),
  teamId: schema.optional.text(
    "The team that the key is bound to. The key sees only this team's resources.",
  ),
  limits: limitsSchema(() => z.int().min(0)).meta({
    id: "KeyLimits",
    description: "The limits in effect for the key.",
  }),
  createdAt: schema.instant("When the key was created."),
  createdBy: schema.createdBy("created this key"),
  expiresAt: schema.optional.instant("When the key expires; absent if it does not expire."),
  requireTask: schema.optional.literal(
    true,
    "Present if tool calls with this key must be made under a task.",
  ),
  lastUsedAt: schema.optional.instant(
    "When the key was last used, to within ten minutes; absent if it was never used.",
  ),
});
export type KeyResponse = schema.ResponseOf<typeof keySchema>;

export const createdKeySchema = schema.component(
  "CreatedKey",
  "An API key with its secret, which is shown once.",
  {
    ...keySchema.shape,
    key: schema.matching(
      /^bsn_[0-9a-f]{16}_[0-9a-f]{64}$/,
      "The key itself, for the header `Authorization: Bearer <key>`. It is shown only once, because only its SHA-256 is stored.",
    ),
  },
);
export type CreatedKeyResponse = schema.ResponseOf<typeof createdKeySchema>;

export const keyListSchema = schema.component("KeyList", "One page of keys.", {
  keys: schema.list(keySchema, "The keys on the page, newest first, without revoked keys."),
});

const resource = {
  id: schema.text("The id of the resource."),
  createdBy: schema.text(
    "The id of the key that created the resource: the revoked key, or a key that it created directly or indirectly.",
  ),
};
const namedResource = { ...resource, name: schema.text("The name of the resource.") };

const createdResources = schema.component(
  "CreatedResources",
  "Resources created by a key and by the keys that it created.",
  {
    keys: schema.list(
      z.strictObject({
        ...namedResource,
        revoked: schema.flag("Whether this request revoked the key."),
      }),
      "Keys that were still valid before this request.",
    ),
    webhooks: schema.list(
      z.strictObject({
        ...resource,
        description: schema.text("The purpose of the webhook; may be empty."),
        enabled: schema.flag(
          "Whether the webhook delivers events; false if the key that created it has ended.",
        ),
      }),
      "Webhooks. A2A push notification configurations, which stop working when their key ends, are not listed.",
    ),
    agents: schema.list(
      z.strictObject({
        ...namedResource,
        enabled: schema.flag("Whether the agent takes tasks; false with `cascade`."),
      }),
      "Agents, with enabled ones first.",
    ),
    tools: schema.list(
      z.strictObject(namedResource),
      "Tools. They are kept; DELETE /agents/tools/:id retires one permanently.",
    ),
    more: schema.flag("Whether there are more resources. Each list has at most 100 entries."),
  },
);

export const revokedKeySchema = schema.component(
  "RevokedKey",
  "A revoked key and the resources that it created.",
  {
    id,
    revoked: z.literal(true).describe("The key is no longer valid."),
    created: createdResources,
  },
);
export type RevokedKeyResponse = schema.ResponseOf<typeof revokedKeySchema>;
