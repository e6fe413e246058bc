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

const APPROVAL = "0b7f9c1e-52f4-8d0a-8c3b-6a1d2e4f5a60";

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
  session: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  call: "5f0f8f4e-6a3c-4e0b-9a51-2f1f0c6f4d10",
  policy: "no-large-transfers",
  approval: APPROVAL,
  limit: "daily-spend",
};

/** Samples of every kind of failure, one for each variant of its error. A missing kind is a type error. */
const FAILURE_SAMPLES: {
  readonly [Kind in Failure["kind"]]: readonly Omit<Failure<Kind>, "kind">[];
} = {
  validation: [
    {
      problems: [
        { path: "priority", message: 'must be one of low, medium, high, urgent; got "soon"' },
        { path: "deadine", message: "is not a known field" },
      ],
    },
  ],
  invalid_json: [{ reason: "its syntax is invalid at position 17 (line 1 column 18)" }],
  unauthenticated: [
    {
      reason:
        "The Authorization header is missing. Send your key: Authorization: Bearer <API_KEY>.",
    },
  ],
  host_not_allowed: [{ header: "Host", value: "evil.example:8787" }],
  cross_site_request: [{ reason: "it does not come from a page of this origin" }],
  sign_in_limit: [{ window: { limit: 20, remaining: 0, windowSeconds: 60, resetSeconds: 42 } }],
  insufficient_scope: [{ scopes: ["tasks:write"] }],
  key_mismatch: [{ keyId: MISSING_IDS.key }],
  tool_access_denied: [{ agentId: AGENT, toolId: TOOL }],
  capability_not_granted: [
    { agentId: AGENT, toolId: TOOL, capability: "depart", granted: ["tides", "berths"] },
  ],
  agent_disabled: [{ agentId: AGENT }],
  agent_paused: [{ agentId: AGENT }],
  policy_denied: [
    { policyId: MISSING_IDS.policy, reason: "Transfers above 50,000 need the treasurer." },
    {
      policyId: MISSING_IDS.policy,
      reason: "Transfers above 50,000 need the treasurer.",
      error: '"parameters.amount" must be a number for the operator "gt", got "60000".',
    },
  ],
  approval_pending: [
    {
      approvalId: APPROVAL,
      policyId: MISSING_IDS.policy,
      reason: "Transfers over $50,000 need a second person.",
      expiresAt: Date.UTC(2026, 10, 28, 9),
    },
  ],
  approval_settled: [
    { approvalId: APPROVAL, isDenied: true, message: "A person denied the call." },
    {
      approvalId: APPROVAL,
      isDenied: false,
      message: "The call was approved, but it failed.",
    },
  ],
  approval_outdated: [{ reason: `tool ${TOOL} has changed since the call was approved.` }],
  too_many_approvals: [{ max: 100, agentId: AGENT }],
  approval_of_own_call: [{ approvalId: APPROVAL }],
  not_an_approver: [{ approvalId: APPROVAL, policyIds: [MISSING_IDS.policy] }],
  approval_decided: [{ approvalId: APPROVAL, status: "denied" }],
  task_awaits_approval: [{ approvalId: APPROVAL }],
  task_required: [{ taskIds: [TASK] }, { taskIds: [] }],
  budget_raise_denied: [{}],
  agent_mismatch: [{ path: "agentId", bound: `agent ${AGENT}` }],
  claim_by_team: [{ teamId: "harbour-masters" }],
  reassign_by_agent: [{ agentId: AGENT }, { agentId: AGENT, isUnavailable: true }],
  not_found: Object.entries(MISSING_IDS).map(([what, id]) => ({ what: toResourceKind(what), id })),
  method_not_allowed: [{ method: "PUT", allow: "GET, HEAD, POST, OPTIONS" }],
  payload_too_large: [{}],
  uri_too_long: [{}],
  unsupported_media_type: [{ reason: "The Content-Type must be application/json, got none." }],
  invalid_state: [{ action: "cancelled", status: "completed", allowed: ALLOWED }],
  task_not_completed: [{ action: "given feedback", status: "in_progress", allowed: ["cancel"] }],
  deadline_passed: [{ status: "failed", allowed: ["update", "retry"] }],
  no_other_agent: [{ status: "failed", allowed: ["update", "retry"] }],
  lease_lost: [{ status: "cancelled", allowed: [] }],
  task_log_full: [{ limit: "50000 events", status: "in_progress", allowed: ["cancel"] }],
  idempotency_key_reused: [{}],
  idempotency_key_in_use: [{ isLost: false }, { isLost: true }],
  precondition_failed: [{ what: "task", etag: '"12"' }],
  key_limit_reached: [
    createKeyLimitFailure({ id: MISSING_IDS.key, max: 6_000 }, "requestsPerMinute", 12),
    createKeyLimitFailure({ id: MISSING_IDS.key, max: 1_000 }, "openStreams", null),
    createKeyLimitFailure({ id: MISSING_IDS.key, max: 100_000 }, "liveTasks", null),
  ],
  cursor_expired: [
    {
      cursor: "MTc5NTMwMDA4OTYwODAwMC53Zi1vR0VrendybWNwTW9HSWpyMXdVVEtua2x2Wm1DUzVIODdJeGY0eFRr",
      droppedTo: "2030-01-24T12:00:00.000Z",
    },
  ],
  rate_limited: [{ toolId: TOOL, window: WINDOW }],
  budget_exceeded: [{ toolId: TOOL, window: WINDOW }],
  limit_exceeded: [
    {
      limitId: MISSING_IDS.limit,
      measure: "usd",
      per: "day",
      limit: 5,
      used: 4.9,
      reserved: 0.05,
      requested: 0.1,
      resetAt: "2026-11-22T00:00:00.000Z",
      retryAfterSeconds: 67_476,
    },
    {
      limitId: "weekly-calls",
      measure: "calls",
      per: "week",
      limit: 1_000,
      used: 1_000,
      reserved: 0,
      requested: 1,
      resetAt: "2026-11-23T00:00:00.000Z",
      retryAfterSeconds: 153_876,
    },
  ],
  share_used: [{ toolId: TOOL, agentId: AGENT, window: { ...WINDOW, remaining: 1_000 } }],
  task_budget_exceeded: [
    {
      taskId: TASK,
      question: "The budget of 50 tool calls is used up. Answer with a higher limit to continue.",
    },
  ],
  tool_exists: [
    { toolId: TOOL, retired: false },
    { toolId: TOOL, retired: true },
  ],
  tool_built_in: [{ toolId: "table-analyst" }],
  agent_exists: [
    { agentId: AGENT, deleted: false },
    { agentId: AGENT, deleted: true },
  ],
  policy_exists: [{ policyId: MISSING_IDS.policy }],
  too_many_policies: [{ max: 200 }],
  limit_exists: [{ limitId: MISSING_IDS.limit }],
  too_many_limits: [{ max: 200 }],
  team_exists: [{ teamId: "harbour-masters" }],
  too_many_webhooks: [
    { max: 100, isOfKey: false },
    { max: 20, isOfKey: true },
  ],
  webhook_disabled: [{ webhookId: MISSING_IDS.webhook }],
  credentials_required: [
    {
      toolId: TOOL,
      reason:
        'it has no credentials. Set credentials with PUT /agents/tools/harbour-api/credentials and {"type": "api-key", "value": …}.',
    },
    {
      toolId: TOOL,
      reason: "it returned HTTP 401 and requires valid credentials.",
      details: { status: 401, body: { error: "invalid_token" } },
    },
  ],
  tool_failed: [
    {
      toolId: TOOL,
      reason: "it returned HTTP 500.",
      retryable: true,
      retryAfterSeconds: 5,
      details: { status: 500, body: "Internal Server Error" },
    },
    {
      toolId: TOOL,
      reason: "it cannot be reached.",
      retryable: true,
      retryAfterSeconds: null,
      details: null,
    },
  ],
  tool_timeout: [{ toolId: TOOL, timeoutMs: 10_000 }],
  circuit_open: [
    { toolId: TOOL, agentId: null, retryAfterSeconds: 30 },
    { toolId: TOOL, agentId: AGENT, retryAfterSeconds: 30 },
  ],
  webhook_behind: [{ webhookId: MISSING_IDS.webhook }],
  unavailable: [{ what: "The store" }],
  bug: [{}],
};

/** Object.entries loses the key type of MISSING_IDS. */
function toResourceKind(key: string): ResourceKind {
  return key as ResourceKind;
}

/** Object.entries loses which fields belong to which kind. The type of FAILURE_SAMPLES has already checked them. */
function toSampleFailure(kind: string, fields: object): Failure {
  return { ...fields, kind } as Failure;
}

/** Sample errors by code, produced by the service's own mapping. */
export const ERROR_SAMPLES: ReadonlyMap<string, readonly WireError[]> = Map.groupBy(
  Object.entries(FAILURE_SAMPLES).flatMap(([kind, samples]) =>
    samples.map((sample) => toWireError(toSampleFailure(kind, sample))),
  ),
  ({ code }) => code,
);
