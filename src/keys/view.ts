import { toIsoTime } from "../kernel/text.ts";
import { resolveKeyLimits } from "./model/key-limits.ts";
import type { RevocationResult } from "./manage-keys.ts";
import type { CreatedResources, ListedKey } from "./keys.store.ts";

/** A key without its secret. */
export function keyView(key: ListedKey): object {
  const { id, name, scopes, agentId, teamId, createdAt, expiresAt } = key;
  const { createdBy, lastUsedAt, requireTask, limits } = key;
  return {
    id,
    name,
    scopes,
    ...(agentId === null ? {} : { agentId }),
    ...(teamId === null ? {} : { teamId }),
    ...(requireTask ? { requireTask } : {}),
    limits: resolveKeyLimits(limits),
    createdAt: toIsoTime(createdAt),
    ...(createdBy === null ? {} : { createdBy }),
    ...(expiresAt === null ? {} : { expiresAt: toIsoTime(expiresAt) }),
    ...(lastUsedAt === null ? {} : { lastUsedAt: toIsoTime(lastUsedAt) }),
  };
}

/** A revocation: the resources that the key created and their state. */
export function revocationView(id: string, { keyIds, created }: RevocationResult): object {
  const ended = new Set(keyIds);
  const { keys, webhooks, agents, tools, more } = created;
  return {
    id,
    revoked: true,
    created: {
      keys: keys.map((key) => ({ ...key, revoked: ended.has(key.id) })),
      webhooks: webhooks.map(({ name: description, ...webhook }) => ({ ...webhook, description })),
      agents,
      tools,
      more,
    } satisfies Record<keyof CreatedResources, unknown>,
  };
}
