import type { paths } from "../../generated/api.d.ts";
import { searchList, searchText } from "../layout/search-text.ts";

type Query = NonNullable<paths["/agents/audit"]["get"]["parameters"]["query"]>;
export type AuditAction = NonNullable<Query["action"]>;
export type SubjectType = NonNullable<Query["subjectType"]>;

export const ACTION_LABELS: Readonly<Record<AuditAction, string>> = {
  "tool.created": "Tool registered",
  "tool.changed": "Tool changed",
  "tool.imported": "Tool imported",
  "tool.retired": "Tool retired",
  "grant.created": "Access granted",
  "grant.changed": "Access changed",
  "grant.revoked": "Access revoked",
  "credentials.set": "Credentials set",
  "credentials.connected": "Credentials connected",
  "credentials.deleted": "Credentials deleted",
  "agent.created": "Agent registered",
  "agent.changed": "Agent changed",
  "agent.deleted": "Agent deleted",
  "agent.paused": "Agent paused",
  "agent.resumed": "Agent resumed",
  "agent.all_paused": "All agents paused",
  "agent.all_resumed": "All agents resumed",
  "team.created": "Team created",
  "team.changed": "Team changed",
  "team.deleted": "Team deleted",
  "key.created": "Key created",
  "key.changed": "Key changed",
  "key.revoked": "Key revoked",
  "policy.created": "Policy created",
  "policy.changed": "Policy changed",
  "policy.deleted": "Policy deleted",
  "limit.created": "Limit created",
  "limit.changed": "Limit changed",
  "limit.deleted": "Limit deleted",
  "webhook.created": "Webhook created",
  "webhook.changed": "Webhook changed",
  "webhook.secret_rotated": "Webhook secret replaced",
  "webhook.disabled": "Webhook disabled",
  "webhook.deleted": "Webhook deleted",
  "session.created": "Signed in",
  "session.ended": "Session ended",
  "call.denied": "Call denied",
  "approval.approved": "Call approved by a person",
  "approval.denied": "Call denied by a person",
  "audit.exported": "Audit log exported",
};

/** All actions, in the order of their labels. */
export const ACTIONS = Object.keys(ACTION_LABELS).filter(isAction);

export const SUBJECT_TYPES = [
  "tool",
  "grant",
  "credentials",
  "agent",
  "team",
  "key",
  "policy",
  "limit",
  "webhook",
  "session",
  "call",
  "approval",
  "audit",
] as const satisfies readonly SubjectType[];

function isAction(name: string): name is AuditAction {
  return Object.hasOwn(ACTION_LABELS, name);
}

/** What an action is called. A later release can have recorded an action that this one does not know. */
export function labelOf(action: string): string {
  return isAction(action) ? ACTION_LABELS[action] : action;
}

/** The filters of the log. The parameters of the URL and of the API have the same names. */
export interface AuditSearch {
  readonly action?: AuditAction;
  readonly subjectType?: SubjectType;
  readonly subjectId?: string;
  readonly keyId?: string;
  /** The first and the last day, in UTC. */
  readonly from?: string;
  readonly to?: string;
}

/** Reads the filters of a URL. Parameters that are unknown or invalid are ignored. */
export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  const [action] = searchList(searchText(search["action"]), ACTIONS);
  const [subjectType] = searchList(searchText(search["subjectType"]), SUBJECT_TYPES);
  const subjectId = searchText(search["subjectId"]);
  const keyId = searchText(search["keyId"]);
  const from = searchDay(search["from"]);
  const to = searchDay(search["to"]);
  return {
    ...(action !== undefined && { action }),
    ...(subjectType !== undefined && { subjectType }),
    ...(subjectId !== undefined && { subjectId }),
    ...(keyId !== undefined && { keyId }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

function searchDay(value: unknown): string | undefined {
  const text = searchText(value);
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : undefined;
}

/** The address of the export of the matching rows. */
export function exportAddress(search: AuditSearch): string {
  return `/agents/audit?${new URLSearchParams({ format: "ndjson", ...search }).toString()}`;
}
