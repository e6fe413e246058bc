import type { KeyLimits } from "./key-limits.ts";
import { KEY_LAST_USED_INTERVAL_MS } from "../limits.ts";
import type { Task } from "../../tasks/model/task.ts";

export const SCOPES = [
  "tools:read",
  "tools:invoke",
  "tools:manage",
  "access:manage",
  "tasks:read",
  "tasks:write",
  "tasks:work",
  "agents:manage",
  "policies:manage",
  "approvals:decide",
  "audit:read",
  "limits:manage",
  "webhooks:manage",
  "keys:manage",
] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * The id of the root key, whose value is the secret ROOT_API_KEY. The root key is not in the database and never ends.
 */
export const ROOT_KEY_ID = "root";

/** Whether a key's tasks count towards its limits. The root key's tasks do not. */
export function countsTowardsKey(keyId: string): boolean {
  return keyId !== ROOT_KEY_ID;
}

/**
 * An authenticated key. A key bound to an agent or a team sees only that agent's or team's tasks. `agentIds` are the
 * agents that it may act as; null for an unbound key.
 */
export interface Key {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly agentId: string | null;
  readonly teamId: string | null;
  readonly agentIds: readonly string[] | null;
  /** Whether each tool call with this key must be made under a task. */
  readonly requireTask: boolean;
  /** When the key expires, in milliseconds since 1970; null if it does not expire. */
  readonly expiresAt: number | null;
  /** Null for the root key, which has no limits. */
  readonly limits: KeyLimits | null;
  /** The console session that the request uses; absent if it has the key itself. */
  readonly sessionId?: string;
}

/** The fields that determine whether a key is valid. Times are in milliseconds since 1970. */
export interface KeyValidity {
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** How and when a key ended. */
export interface KeyEnd {
  readonly kind: "revoked" | "expired";
  readonly at: number;
}

/** How and when a key ended; null if it is valid at `now`. */
export function keyEndOf({ expiresAt, revokedAt }: KeyValidity, now: number): KeyEnd | null {
  if (revokedAt !== null) return { kind: "revoked", at: revokedAt };
  if (expiresAt !== null && expiresAt <= now) return { kind: "expired", at: expiresAt };
  return null;
}

/** Whether a key that expires at `child` (null: never) would outlive the key that creates it. */
export function outlives(child: number | null, parent: Pick<Key, "expiresAt">): boolean {
  return parent.expiresAt !== null && (child === null || child > parent.expiresAt);
}

/** The scopes in `wanted` that a key lacks. A key can manage only keys whose scopes it has. */
export function findMissingScopes<Wanted extends string>(
  { scopes }: Pick<Key, "scopes">,
  wanted: readonly Wanted[],
): Wanted[] {
  const own = new Set<string>(scopes);
  return wanted.filter((scope) => !own.has(scope));
}

export interface KeyRelation {
  /** Whether the managing key or one of its descendants created the managed key. Not used for the root key. */
  readonly isDescendant: boolean;
}

/**
 * Whether a key may change another key. The root key may change all keys; other keys may change only their descendants.
 */
export function canChangeKey(by: Pick<Key, "id">, { isDescendant }: KeyRelation): boolean {
  return by.id === ROOT_KEY_ID || isDescendant;
}

/** Whether a key may revoke another key. A key may also revoke itself. */
export function canRevokeKey(by: Pick<Key, "id">, id: string, relation: KeyRelation): boolean {
  return by.id === id || canChangeKey(by, relation);
}

/**
 * Whether a key becomes the owner of a webhook, agent or tool through a change that keeps its address, such as a new
 * secret. The root key does not, because revoking the key that chose the address must still list the resource.
 */
export function takesOwnershipBySecret(keyId: string): boolean {
  return keyId !== ROOT_KEY_ID;
}

/**
 * Whether to record a key's use at `now`. A use is recorded at most once per interval, because each record writes a
 * row.
 */
export function shouldRecordUse(lastUsedAt: number | null, now: number): boolean {
  return lastUsedAt === null || now - lastUsedAt >= KEY_LAST_USED_INTERVAL_MS;
}

/** The fields of a key that determine which tasks it may see. */
export type Viewer = Pick<Key, "agentId" | "teamId">;

export function canSeeTask(viewer: Viewer, task: Pick<Task, "agentId" | "teamId">): boolean {
  if (viewer.agentId !== null) return task.agentId === viewer.agentId;
  if (viewer.teamId !== null) return task.teamId === viewer.teamId;
  return true;
}

export function canActAs(key: Key, agentId: string): boolean {
  return key.agentIds === null || key.agentIds.includes(agentId);
}

/** The agent or team that a key is bound to, for messages. */
export function formatBinding(key: Viewer): string {
  return key.agentId === null ? `team ${key.teamId}` : `agent ${key.agentId}`;
}

/** Whether a key that is bound to an agent or a team cannot have a scope, because it concerns all agents and teams. */
export function isUnboundScope(scope: Scope): boolean {
  return scope === "approvals:decide" || scope === "audit:read" || scope.endsWith(":manage");
}

/** Whether a key may make tool calls under a task. Such a call writes to the task's log and can block the task. */
export function canCallForTask({ scopes }: Pick<Key, "scopes">): boolean {
  return scopes.includes("tasks:write") || scopes.includes("tasks:work");
}
