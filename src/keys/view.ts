import { toIsoTime } from "../kernel/text.ts";
import { resolveKeyLimits } from "./model/key-limits.ts";
import type { RevocationResult } from "./manage-keys.ts";
import type { ListedKey } from "./keys.store.ts";
import type { KeyResponse, RevokedKeyResponse } from "./schemas.ts";

/** A key without its secret. */
export function keyView(key: ListedKey): KeyResponse {
  return {
    id: key.id,
    name: key.name,
    scopes: [...key.scopes],
    agentId: key.agentId ?? undefined,
    teamId: key.teamId ?? undefined,
    requireTask: key.requireTask || undefined,
    limits: resolveKeyLimits(key.limits),
    createdAt: toIsoTime(key.createdAt),
    createdBy: key.createdBy ?? undefined,
    expiresAt: toIsoTime(key.expiresAt) ?? undefined,
    lastUsedAt: toIsoTime(key.lastUsedAt) ?? undefined,
  };
}

/** The resources that a revoked key created, and their state. */
export function revocationView(
  id: string,
  { keyIds, created }: RevocationResult,
): RevokedKeyResponse {
  const ended = new Set(keyIds);
  return {
    id,
    revoked: true,
    created: {
      ...created,
      keys: created.keys.map((key) => ({ ...key, revoked: ended.has(key.id) })),
      webhooks: created.webhooks.map(({ name: description, ...webhook }) => ({
        ...webhook,
        description,
      })),
    },
  };
}
