import { keyLimits } from "../domain/key-limits.ts";
import type { Revoked } from "./revoke.ts";
import type { Creations, ListedKey } from "./store.ts";

/** A key as lists show it: never with its secret. */
export function keyView(key: ListedKey): object {
  const {
    id,
    name,
    scopes,
    agentId,
    teamId,
    createdAt,
    expiresAt,
    createdBy,
    lastUsedAt,
    requireTask,
    limits,
  } = key;
  return {
    id,
    name,
    scopes,
    ...(agentId === null ? {} : { agentId }),
    ...(teamId === null ? {} : { teamId }),
    ...(requireTask ? { requireTask } : {}),
    limits: keyLimits(limits),
    createdAt: iso(createdAt),
    ...(createdBy === null ? {} : { createdBy }),
    ...(expiresAt === null ? {} : { expiresAt: iso(expiresAt) }),
    ...(lastUsedAt === null ? {} : { lastUsedAt: iso(lastUsedAt) }),
  };
}

/** A revocation: the resources that the key created and their state. */
export function revokedView(id: string, { keyIds, created }: Revoked): object {
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
    } satisfies Record<keyof Creations, unknown>,
  };
}

export function iso(at: number | null): string | null;
export function iso(at: number): string;
export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
