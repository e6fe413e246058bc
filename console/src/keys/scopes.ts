import type { Scope } from "../session/identity.ts";

/** What a key with each scope may do. */
export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  "tools:read": "Read tools, access and usage",
  "tools:invoke": "Use tools",
  "tools:manage": "Register, import, change and retire tools, and set their credentials",
  "access:manage": "Grant and revoke agents' access to tools",
  "tasks:read": "Read tasks, their events and deliverables",
  "tasks:write": "Create, change, cancel, retry, answer, review and rate tasks",
  "tasks:work": "Claim tasks and report on them, as workers do",
  "agents:manage": "Manage agents and teams",
  "policies:manage": "Manage policies, which restrict tool calls",
  "approvals:decide": "Approve or deny tool calls",
  "audit:read": "Read, export and verify the audit log",
  "limits:manage": "Manage spending limits",
  "webhooks:manage": "Manage webhooks",
  "keys:manage": "Create, change and revoke keys",
};

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
] as const satisfies readonly Scope[];

/** Why a key cannot have a scope; null if it can. */
export function whyNotScope(
  scope: Scope,
  { own, isBound }: { readonly own: readonly Scope[]; readonly isBound: boolean },
): string | null {
  if (!own.includes(scope)) return "Your key does not have this scope.";
  const isUnbound =
    scope === "approvals:decide" || scope === "audit:read" || scope.endsWith(":manage");
  if (isBound && isUnbound)
    return "A key that is bound to an agent or a team cannot have this scope.";
  return null;
}
