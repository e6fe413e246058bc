import { defineOperation, respond } from "../http/operation.ts";
import * as schemas from "./schemas.ts";

export const keyOperations = {
  /** GET /agents/keys */
  listKeys: defineOperation({
    operationId: "listKeys",
    tag: "Keys",
    scope: "keys:manage",
    query: schemas.listKeysQuery,
    summary: "List API keys",
    description:
      "One page of keys, newest first, without their secrets. Expired keys are listed; revoked keys and the root key are not.",
    responses: [
      respond(200, "The page, which is empty after the last key.", schemas.keyListSchema),
    ],
  }),

  /** POST /agents/keys */
  createKey: defineOperation({
    operationId: "createKey",
    tag: "Keys",
    scope: "keys:manage",
    body: schemas.createKeyBody,
    summary: "Create an API key",
    description: `Creates a key. The key is shown only in this response, because only its SHA-256 is stored; a lost key cannot be recovered.

A key can be bound to an agent or a team. It then sees only the resources of that agent or team (404 for everything else), and it cannot have the scope \`audit:read\` or a scope that ends in \`:manage\`. A key cannot create a key with scopes that it lacks, with limits above its own, or with a later expiry. The first key is the deployment's secret \`ROOT_API_KEY\`.

- \`tools:read\`: read tools, access and usage
- \`tools:invoke\`: use tools
- \`tools:manage\`: register, import, change and retire tools, and set their credentials
- \`access:manage\`: grant and revoke agents' access to tools
- \`tasks:read\`: read tasks, their events and deliverables
- \`tasks:write\`: create, change, cancel, retry, answer, review and rate tasks
- \`tasks:work\`: claim tasks and report on them, as workers do
- \`agents:manage\`: manage agents and teams
- \`policies:manage\`: manage policies, which restrict tool calls
- \`approvals:decide\`: read all approvals, and approve or deny tool calls
- \`audit:read\`: read, export and verify the audit log
- \`limits:manage\`: manage spending limits
- \`webhooks:manage\`: manage webhooks
- \`keys:manage\`: manage keys`,
    responses: [respond(201, "The new key, which is shown only once.", schemas.createdKeySchema)],
    errorCodes: ["AGENT_NOT_FOUND", "TEAM_NOT_FOUND"],
  }),

  /** PATCH /agents/keys/:id */
  changeKey: defineOperation({
    operationId: "changeKey",
    tag: "Keys",
    scope: "keys:manage",
    body: schemas.changeKeyBody,
    summary: "Change the limits of an API key",
    description:
      "Changes the limits in the request; `null` restores a default. The response shows all limits in effect. The root key can change every other key. Any other key can change only keys that it created, directly or indirectly, and whose scopes it has (otherwise 403), and cannot set a limit above its own; it cannot change its own limits. The root key has no limits. Isolates that have cached the key apply its previous limits for up to ten seconds.",
    responses: [respond(200, "The changed key.", schemas.keySchema)],
    errorCodes: ["KEY_MISMATCH"],
  }),

  /** DELETE /agents/keys/:id */
  revokeKey: defineOperation({
    operationId: "revokeKey",
    tag: "Keys",
    scope: "keys:manage",
    query: schemas.revokeKeyQuery,
    summary: "Revoke an API key",
    description:
      "Revokes a key permanently. Isolates that have cached the key may accept it for up to ten seconds; all others reject it immediately. Within ten seconds, its open streams and waiting claims end, and tasks that workers claimed with it return to their queues. The root key can revoke every other key. Any other key can revoke itself and keys that it created, directly or indirectly, and whose scopes it has (otherwise 403). Keys that earlier releases created without `createdBy` can be changed and revoked with the root key, and can revoke themselves.\n\nThe response lists the resources created by the key and by the keys that it created, directly or indirectly. The revoked key's webhooks are disabled and show the reason; all other resources are kept. With `cascade=true`, all keys that the revoked key created, directly or indirectly, are also revoked, which disables their webhooks, and the listed agents are disabled. Tools are always kept. A request with `cascade=true` can be repeated for a revoked key, for example if there are more than 100 agents.",
    responses: [
      respond(200, "The revoked key, and the resources that it created.", schemas.revokedKeySchema),
    ],
    errorCodes: ["KEY_MISMATCH"],
  }),
};
