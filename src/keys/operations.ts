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
      "A page of the keys, newest first, never with their secrets. Expired keys are listed; revoked keys and the root key are not.",
    responses: [respond(200, "The page; empty after the last page.", schemas.keyListSchema)],
  }),

  /** POST /agents/keys */
  createKey: defineOperation({
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
- \`access:manage\`: grant agents access to tools, and revoke it
- \`tasks:read\`: read tasks, their events and deliverables
- \`tasks:write\`: create, change, cancel, retry, answer, review and rate tasks
- \`tasks:work\`: claim tasks and report on them, as workers do
- \`agents:manage\`: manage agents and teams
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
      "Changes the given limits; `null` restores a default. The response shows all limits in effect. The root key can change every other key. Another key can change only keys that it created, directly or indirectly, and whose scopes it has (otherwise 403), and cannot set a limit above its own; it cannot change its own limits. The root key has no limits. Isolates that have cached the key apply its previous limits for up to ten seconds.",
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
      "Revokes a key permanently. Isolates that have cached the key may accept it for up to ten seconds; all others reject it immediately. Within ten seconds, its open streams and waiting claims end, and tasks that workers hold with it return to their queues. The root key can revoke every other key. Another key can revoke itself and keys that it created, directly or indirectly, and whose scopes it has (otherwise 403). Keys of earlier releases without `createdBy` can be changed and revoked with the root key, and can revoke themselves.\n\nThe response lists the resources that the key created. Its webhooks are disabled, with the reason; all other resources stay. With `cascade=true`, the keys that it created, directly or indirectly, are revoked with their webhooks, and the agents are disabled. Tools always stay. A request with `cascade=true` can be repeated for a revoked key.",
    responses: [
      respond(200, "The revoked key, and the resources that it created.", schemas.revokedKeySchema),
    ],
    errorCodes: ["KEY_MISMATCH"],
  }),
};
