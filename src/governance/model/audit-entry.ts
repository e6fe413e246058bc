import { isSameJson, toJsonObject, type JsonObject } from "../../kernel/json.ts";

/** What the audit log records. The part before the dot is the subject's type. Stored rows contain these names. */
export const AUDIT_ACTIONS = [
  "tool.created",
  "tool.changed",
  "tool.imported",
  "tool.retired",
  "grant.created",
  "grant.changed",
  "grant.revoked",
  "credentials.set",
  "credentials.connected",
  "credentials.deleted",
  "agent.created",
  "agent.changed",
  "agent.deleted",
  "agent.paused",
  "agent.resumed",
  "agent.all_paused",
  "agent.all_resumed",
  "team.created",
  "team.changed",
  "team.deleted",
  "key.created",
  "key.changed",
  "key.revoked",
  "policy.created",
  "policy.changed",
  "policy.deleted",
  "limit.created",
  "limit.changed",
  "limit.deleted",
  "webhook.created",
  "webhook.changed",
  "webhook.secret_rotated",
  "webhook.disabled",
  "webhook.deleted",
  "session.created",
  "session.ended",
  "call.denied",
  "approval.approved",
  "approval.denied",
  "audit.exported",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The subject types, in the order of the actions. */
export const AUDIT_SUBJECT_TYPES = [...new Set(AUDIT_ACTIONS.map(subjectTypeOf))];

export function subjectTypeOf(action: AuditAction): string {
  return action.slice(0, action.indexOf("."));
}

/** The key id of changes that the service makes itself. Keys cannot have this id. */
const SERVICE_KEY_ID = "service";

/** Who makes a change, and from where. */
export interface Actor {
  /** `root` for the root key, `service` for the service itself. */
  readonly keyId: string;
  /** The console session that acts; null if a key acts. */
  readonly sessionId: string | null;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}

/** The service itself as an actor. */
export function serviceActor(requestId: string | null): Actor {
  return { keyId: SERVICE_KEY_ID, sessionId: null, address: null, userAgent: null, requestId };
}

/**
 * A change to record. `before` and `after` are the subject's states; null if it does not exist then. If both are given,
 * only the fields that differ are stored. Secrets are removed before the states are stored.
 */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly subjectId: string;
  readonly before?: object | null;
  readonly after?: object | null;
}

/** The entry for a resource that is created (`before` is null), changed, or deleted (`after` is null). */
export function changeEntry(
  type: "agent" | "team" | "policy" | "limit" | "webhook",
  subjectId: string,
  before: object | null,
  after: object | null,
): AuditEntry {
  const verb = before === null ? "created" : after === null ? "deleted" : "changed";
  return { action: `${type}.${verb}`, subjectId, before, after };
}

/** The states of a change as JSON. If there are two, they contain only the fields that differ. */
export function changedFields({ before = null, after = null }: AuditEntry): {
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
} {
  const [was, is] = [toJson(before), toJson(after)];
  if (was === null || is === null) return { before: was, after: is };
  const differs = ([name]: readonly [string, unknown]): boolean => !isSameJson(was[name], is[name]);
  return { before: pick(was, differs), after: pick(is, differs) };
}

function pick(
  state: JsonObject,
  isPicked: (field: readonly [string, unknown]) => boolean,
): JsonObject {
  return Object.fromEntries(Object.entries(state).filter(isPicked));
}

/** Removes fields that are undefined. */
function toJson(state: object | null): JsonObject | null {
  return state === null ? null : toJsonObject(JSON.parse(JSON.stringify(state)));
}
