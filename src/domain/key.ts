import type { Task } from "./task.ts";

export const SCOPES = [
  "tools:read",
  "tools:invoke",
  "tools:manage",
  "access:manage",
  "tasks:read",
  "tasks:write",
  "tasks:work",
  "agents:manage",
  "webhooks:manage",
  "keys:manage",
] as const;
export type Scope = (typeof SCOPES)[number];

/** The id of the key that ROOT_API_KEY holds, which no row has. */
export const ROOT_KEY_ID = "root";

/**
 * Who is asking. A key bound to an agent or a team sees only what is theirs: `agentIds` are the
 * agents it may act as, null for an unbound key.
 */
export interface Key {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly agentId: string | null;
  readonly teamId: string | null;
  readonly agentIds: readonly string[] | null;
  /** Whether each call of a tool with this key must be made under a task. */
  readonly requireTask: boolean;
}

/** The part of a key that decides which tasks it may see. */
export type Viewer = Pick<Key, "agentId" | "teamId">;

export function maySeeTask(viewer: Viewer, task: Pick<Task, "agentId" | "teamId">): boolean {
  if (viewer.agentId !== null) return task.agentId === viewer.agentId;
  if (viewer.teamId !== null) return task.teamId === viewer.teamId;
  return true;
}

export function mayActAs(key: Key, agentId: string): boolean {
  return key.agentIds === null || key.agentIds.includes(agentId);
}

/** Whom a bound key acts for, as a refusal names them. */
export function boundTo(key: Viewer): string {
  return key.agentId === null ? `team ${key.teamId}` : `agent ${key.agentId}`;
}

export function isManageScope(scope: Scope): boolean {
  return scope.endsWith(":manage");
}

/** Calls under a task are written into its log and can block it. */
export function maySpend({ scopes }: Pick<Key, "scopes">): boolean {
  return scopes.includes("tasks:write") || scopes.includes("tasks:work");
}
