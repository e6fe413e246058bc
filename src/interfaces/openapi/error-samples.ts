import type { Failure, RateLimitWindow, ResourceKind } from "../../kernel/failure.ts";
import { createKeyLimitFailure } from "../../keys/model/key-limits.ts";
import type { TaskAction } from "../../tasks/model/transitions.ts";
import { toWireError } from "../../http/to-wire-error.ts";
import type { WireError } from "../../http/wire-error.ts";

const TOOL = "harbour-api";
const AGENT = "riley";
const TASK = "3f0c9d1e5b7a48620d9f3c1e7a5b2046813f0c9d1e5b7a48620d9f3c1e7a5b20";
const WINDOW: RateLimitWindow = {
  limit: 5_000,
  remaining: 0,
  windowSeconds: 3_600,
  resetSeconds: 1_840,
};
const ALLOWED: readonly TaskAction[] = ["feedback", "deliverables"];

const MISSING_IDS: Readonly<Record<ResourceKind, string>> = {
  route: "/agents/toolz",
  tool: TOOL,
  capability: "tides",
  agent: AGENT,
  team: "harbour-masters",
  task: TASK,
  access: `${AGENT}/${TOOL}`,
  deliverable: "report.md",
  key: "0123456789abcdef",
  credentials: TOOL,
  result: "0c9d1e5b7a486203",
  webhook: "whk_0c9d1e5b7a486203",
  delivery: "dlv_5b7a4862030c9d1e",
};

/** Failures of every kind, each in the forms that differ on the wire: a kind that is new is missed here. */
const FAILURE_SAMPLES: {
  readonly [Kind in Failure["kind"]]: readonly (Failure & { kind: Kind })[];
} = {
  validation: [
    {
      kind: "validation",
      problems: [
        { path: "priority", message: 'must be one of low, medium, high, urgent; got "soon"' },
        { path: "deadine", message: "is not a known field" },
      ],
    },
  ],
  invalid_json: [{ kind: "invalid_json", reason: "it breaks at position 17 (line 1 column 18)" }],
  unauthenticated: [
    {
      kind: "unauthenticated",
      reason: "Send your key in the header: Authorization: Bearer <API_KEY>.",
    },
  ],
  host_not_allowed: [{ kind: "host_not_allowed", header: "Host", value: "evil.example:8787" }],
  insufficient_scope: [{ kind: "insufficient_scope", scopes: ["tasks:write"] }],
  key_mismatch: [{ kind: "key_mismatch", keyId: MISSING_IDS.key }],
  tool_access_denied: [{ kind: "tool_access_denied", agentId: AGENT, toolId: TOOL }],
  capability_not_granted: [
    {
      kind: "capability_not_granted",
      agentId: AGENT,
      toolId: TOOL,
      capability: "depart",
      granted: ["tides", "berths"],
    },
  ],
  agent_disabled: [{ kind: "agent_disabled", agentId: AGENT }],
  task_required: [
    { kind: "task_required", taskIds: [TASK] },
    { kind: "task_required", taskIds: [] },
  ],
  budget_raise_denied: [{ kind: "budget_raise_denied" }],
  agent_mismatch: [{ kind: "agent_mismatch", path: "agentId", bound: `agent ${AGENT}` }],
  claim_by_team: [{ kind: "claim_by_team", teamId: "harbour-masters" }],
  reassign_by_agent: [
    { kind: "reassign_by_agent", agentId: AGENT },
    { kind: "reassign_by_agent", agentId: AGENT, isUnavailable: true },
  ],
  not_found: Object.entries(MISSING_IDS).map(([what, id]) => ({
    kind: "not_found",
    what: toResourceKind(what),
    id,
  })),
  method_not_allowed: [
    { kind: "method_not_allowed", method: "PUT", allow: "GET, HEAD, POST, OPTIONS" },
  ],
  payload_too_large: [{ kind: "payload_too_large" }],
  uri_too_long: [{ kind: "uri_too_long" }],
  unsupported_media_type: [
    {
      kind: "unsupported_media_type",
      reason: "The body must come as Content-Type: application/json, got none.",
    },
  ],
  invalid_state: [
    { kind: "invalid_state", action: "cancelled", status: "completed", allowed: ALLOWED },
  ],
  task_not_completed: [
    {
      kind: "task_not_completed",
      action: "given feedback",
      status: "in_progress",
      allowed: ["cancel"],
    },
  ],
  deadline_passed: [{ kind: "deadline_passed", status: "failed", allowed: ["update", "retry"] }],
  no_other_agent: [{ kind: "no_other_agent", status: "failed", allowed: ["update", "retry"] }],
  lease_lost: [{ kind: "lease_lost", status: "cancelled", allowed: [] }],
  task_log_full: [
    { kind: "task_log_full", limit: "50000 events", status: "in_progress", allowed: ["cancel"] },
  ],
  idempotency_key_reused: [{ kind: "idempotency_key_reused" }],
  idempotency_key_in_use: [
    { kind: "idempotency_key_in_use", isLost: false },
    { kind: "idempotency_key_in_use", isLost: true },
  ],
  precondition_failed: [{ kind: "precondition_failed", what: "task", etag: '"12"' }],
  key_limit_reached: [
    createKeyLimitFailure({ id: MISSING_IDS.key, max: 6_000 }, "requestsPerMinute", 12),
    createKeyLimitFailure({ id: MISSING_IDS.key, max: 1_000 }, "openStreams", null),
    createKeyLimitFailure({ id: MISSING_IDS.key, max: 100_000 }, "liveTasks", null),
  ],
  cursor_expired: [
    {
      kind: "cursor_expired",
      cursor: "MTc5NTMwMDA4OTYwODAwMC53Zi1vR0VrendybWNwTW9HSWpyMXdVVEtua2x2Wm1DUzVIODdJeGY0eFRr",
      droppedTo: "2030-01-24T12:00:00.000Z",
    },
  ],
  rate_limited: [{ kind: "rate_limited", toolId: TOOL, window: WINDOW }],
  budget_exceeded: [{ kind: "budget_exceeded", toolId: TOOL, window: WINDOW }],
  share_used: [
    { kind: "share_used", toolId: TOOL, agentId: AGENT, window: { ...WINDOW, remaining: 1_000 } },
  ],
  task_budget_exceeded: [
    {
      kind: "task_budget_exceeded",
      taskId: TASK,
      question: "The task has spent its budget. May it go on?",
    },
  ],
  tool_exists: [
    { kind: "tool_exists", toolId: TOOL, retired: false },
    { kind: "tool_exists", toolId: TOOL, retired: true },
  ],
  tool_built_in: [{ kind: "tool_built_in", toolId: "table-analyst" }],
  agent_exists: [
    { kind: "agent_exists", agentId: AGENT, deleted: false },
    { kind: "agent_exists", agentId: AGENT, deleted: true },
  ],
  team_exists: [{ kind: "team_exists", teamId: "harbour-masters" }],
  too_many_webhooks: [
    { kind: "too_many_webhooks" },
    { kind: "too_many_webhooks", countAKeyMax: 20 },
  ],
  webhook_disabled: [{ kind: "webhook_disabled", webhookId: MISSING_IDS.webhook }],
  credentials_required: [
    {
      kind: "credentials_required",
      toolId: TOOL,
      reason: "it has no credentials; put some with PUT /agents/tools/harbour-api/credentials.",
    },
    {
      kind: "credentials_required",
      toolId: TOOL,
      reason: "its system refused them.",
      details: { status: 401, body: { error: "invalid_token" } },
    },
  ],
  tool_failed: [
    {
      kind: "tool_failed",
      toolId: TOOL,
      reason: "it answered 500.",
      retryable: true,
      retryAfterSeconds: 5,
      details: { status: 500, body: "Internal Server Error" },
    },
    {
      kind: "tool_failed",
      toolId: TOOL,
      reason: "it cannot be reached.",
      retryable: true,
      retryAfterSeconds: null,
      details: null,
    },
  ],
  tool_timeout: [{ kind: "tool_timeout", toolId: TOOL, timeoutMs: 10_000 }],
  tool_resting: [
    { kind: "tool_resting", toolId: TOOL, agentId: null, retryAfterSeconds: 30 },
    { kind: "tool_resting", toolId: TOOL, agentId: AGENT, retryAfterSeconds: 30 },
  ],
  webhook_behind: [{ kind: "webhook_behind", webhookId: MISSING_IDS.webhook }],
  unavailable: [{ kind: "unavailable", what: "The store" }],
  bug: [{ kind: "bug" }],
};

/** Object.entries forgets that the keys of MISSING are those of its type. */
function toResourceKind(key: string): ResourceKind {
  return key as ResourceKind;
}

/** What clients meet under each code, as the service's one map of failures makes it. */
export const ERROR_SAMPLES: ReadonlyMap<string, readonly WireError[]> = Map.groupBy(
  Object.values(FAILURE_SAMPLES).flatMap((samples) =>
    samples.map((sample: Failure): WireError => toWireError(sample)),
  ),
  ({ code }) => code,
);
