import { defineOperation, respond } from "../http/operation.ts";
import * as schemas from "./schemas.ts";
import * as z from "zod";
import { pageQuery } from "../http/validation.ts";
import { SCOPES } from "./model/key.ts";
import * as schema from "../http/schemas.ts";

const id = schema.matching(/^[0-9a-f]{16}$/, "The key's id.");

const keyFieldSchemas = {
  id,
  name: schema.text("What it is for, for people to read."),
  scopes: schema.list(z.enum(SCOPES), "What it may do."),
  agentId: schema.optional.text("The agent it is bound to: it sees only this agent's resources."),
  teamId: schema.optional.text("The team it is bound to: it sees only this team's resources."),
  limits: schema.component("KeyLimits", "The key's limits in effect.", {
    requestsPerMinute: schema.count(
      "Requests per minute, over REST, MCP and A2A together. Approximate: each isolate counts its own.",
    ),
    openStreams: schema.count(
      "Event streams, A2A streams, waiting claims and other waiting requests at the same time. Approximate: each isolate counts its own.",
    ),
    pushConfigurations: schema.count(
      "A2A push notification configurations, across all tasks. Exact.",
    ),
    liveTasks: schema.count(
      "Tasks that the key created and that have not ended. Approximate: counted in the task directory.",
    ),
    storedBytes: schema.count(
      "Bytes of the logs and files of the tasks that the key created, until the tasks are deleted; each task counts in units of 32 KiB. Approximate: counted in the task directory. Requests that exceed the limit by creating, retrying or extending tasks or by uploading files are rejected; work that has begun continues.",
    ),
  }),
  createdAt: schema.instant("When it was made."),
  createdBy: schema.createdBy("created it"),
  expiresAt: schema.optional.instant("When it expires; absent if it does not expire."),
  requireTask: schema.optional.literal(
    true,
    "Tool calls with this key must be made under a task; absent otherwise.",
  ),
  lastUsedAt: schema.optional.instant(
    "When it was last used, to within ten minutes; absent if it never was.",
  ),
};

const apiKeySchema = schema.component("Key", "An API key, without its secret.", keyFieldSchemas);

const createdKeySchema = schema.component(
  "CreatedKey",
  "An API key with its secret, which is shown once.",
  {
    ...keyFieldSchemas,
    key: schema.matching(
      /^bsn_[0-9a-f]{16}_[0-9a-f]{64}$/,
      "The key itself, to be sent as `Authorization: Bearer <key>`. Shown only once: only its SHA-256 is stored.",
    ),
  },
);

const keyListSchema = schema.component("KeyList", "One page of the keys.", {
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

const revokedKeySchema = schema.component(
  "RevokedKey",
  "A revoked key and the resources that it created.",
  {
    id,
    revoked: z.literal(true).describe("The key is no longer valid."),
    created: createdResources,
  },
);

/** GET /agents/keys */
export const listKeys = defineOperation({
  operationId: "listKeys",
  tag: "Keys",
  scope: "keys:manage",
  query: z.object(pageQuery),
  summary: "List API keys",
  description:
    "A page of the keys, newest first, never with their secrets. Expired keys are listed, revoked ones and the root key are not.",
  parameters: { limit: "Keys on one page.", offset: "Keys to skip: those of the pages before." },
  responses: [respond(200, "The page; empty after the last one.", keyListSchema)],
});

/** POST /agents/keys */
export const createKey = defineOperation({
  operationId: "createKey",
  tag: "Keys",
  scope: "keys:manage",
  body: schemas.createKeyBody,
  summary: "Create an API key",
  description: `Creates a key and returns it only once: only its SHA-256 is stored, so a lost key cannot be recovered.

A key can be bound to an agent or to a team; then it sees only their resources (404 for everything else), and it cannot have a scope that ends in \`:manage\`. A key cannot create a key with scopes that it lacks, with limits above its own, or with a later expiry. The first key is the secret \`ROOT_API_KEY\` of the deployment.

- \`tools:read\`: read tools, access and usage
- \`tools:invoke\`: use tools
- \`tools:manage\`: register, import, change and retire tools, and their credentials
- \`access:manage\`: grant and revoke
- \`tasks:read\`: read tasks, their events and deliverables
- \`tasks:write\`: create, change, cancel, retry, answer, review and rate tasks
- \`tasks:work\`: claim tasks and report on them, as workers do
- \`agents:manage\`: agents and teams
- \`webhooks:manage\`: webhooks
- \`keys:manage\`: keys`,
  fields: {
    scopes: "What it may do. No scope includes another.",
    agentId: "The agent that it acts for. Not together with `teamId`.",
    teamId: "The team that it acts for. Not together with `agentId`.",
    requireTask:
      "Whether tool calls with this key must be made under a task; other calls get 403 `TASK_REQUIRED`. Recommended for workers. Keys that it creates inherit this.",
    limits:
      "Limits that differ from the defaults. An omitted limit is the default or the limit of the creating key, whichever is lower.",
    expiresAt:
      "When it expires, an ISO 8601 instant with a zone; if omitted, it does not expire. A key that expires can only create keys that expire at the same time or sooner.",
  },
  fieldsLike: { "": "Key" },
  responses: [respond(201, "The key, shown only once.", createdKeySchema)],
  errorCodes: ["AGENT_NOT_FOUND", "TEAM_NOT_FOUND"],
});

/** PATCH /agents/keys/:id */
export const changeKey = defineOperation({
  operationId: "changeKey",
  tag: "Keys",
  scope: "keys:manage",
  body: schemas.changeKeyBody,
  summary: "Change the limits of an API key",
  description:
    "Changes the given limits; `null` restores a default. The response shows all limits in effect. The root key can change every other key. Another key can change only keys that it created, directly or indirectly, and whose scopes it has (otherwise 403), and cannot set a limit above its own; it cannot change its own limits. The root key has no limits. Isolates that have just seen the key apply its previous limits for up to ten seconds.",
  fields: { limits: "The limits to change." },
  fieldsLike: { "": "Key" },
  responses: [respond(200, "The changed key.", apiKeySchema)],
  errorCodes: ["KEY_MISMATCH"],
});

/** DELETE /agents/keys/:id */
export const revokeKey = defineOperation({
  operationId: "revokeKey",
  tag: "Keys",
  scope: "keys:manage",
  query: schemas.revokeKeyQuery,
  summary: "Revoke an API key",
  description:
    "Revokes a key permanently. Isolates that have just seen the key may accept it for up to ten seconds; all others reject it immediately. Within ten seconds, its open streams and waiting claims end, and tasks that workers hold with it return to their queues. The root key can revoke every other key. Another key can revoke itself and keys that it created, directly or indirectly, and whose scopes it has (otherwise 403). Keys of earlier releases without `createdBy` can be changed and revoked with the root key, and can revoke themselves.\n\nThe response lists the resources that the key created. Its webhooks are disabled, with the reason; all other resources stay. With `cascade=true`, the keys that it created, directly or indirectly, are revoked with their webhooks, and the agents are disabled. Tools always stay. A request with `cascade=true` can be repeated for a revoked key.",
  parameters: {
    cascade: "Whether to revoke the keys and disable the agents that the key created.",
  },
  responses: [respond(200, "The key is no longer valid.", revokedKeySchema)],
  errorCodes: ["KEY_MISMATCH"],
});
