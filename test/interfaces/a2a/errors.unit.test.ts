import { describe, expect, it } from "vitest";
import type { Failure, RateLimitWindow } from "../../../src/kernel/failure.ts";
import {
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
  ContentTypeNotSupportedError,
  VersionNotSupportedError,
} from "@a2a-js/sdk/errors";
import {
  errorFormOf,
  ServiceError,
  toRequestError,
  toRestErrorObject,
  toRpcErrorObject,
} from "../../../src/interfaces/a2a/errors.ts";

const state = { status: "completed", allowed: [] } as const;
const window: RateLimitWindow = { limit: 1, remaining: 0, windowSeconds: 60, resetSeconds: 9 };
const toolId = "t";
const failed = { kind: "tool_failed", toolId, reason: "r", retryable: true } as const;

/** Every failure of the service, with its JSON-RPC code, HTTP status and reason. */
const MAPPED: Readonly<Record<Failure["kind"], readonly [Failure, number, number, string]>> = {
  validation: [
    { kind: "validation", problems: [{ path: "a", message: "must be b" }] },
    -32_602,
    400,
    "INVALID_PARAMS",
  ],
  invalid_json: [{ kind: "invalid_json", reason: "r" }, -32_700, 400, "INVALID_JSON"],
  unauthenticated: [
    { kind: "unauthenticated", reason: "r" },
    -32_000,
    401,
    "AUTHENTICATION_FAILED",
  ],
  host_not_allowed: [
    { kind: "host_not_allowed", header: "Origin", value: "null" },
    -32_000,
    403,
    "PERMISSION_DENIED",
  ],
  key_mismatch: [{ kind: "key_mismatch", keyId: "k" }, -32_000, 403, "PERMISSION_DENIED"],
  cross_site_request: [
    { kind: "cross_site_request", reason: "it does not come from a page of this origin" },
    -32_000,
    403,
    "PERMISSION_DENIED",
  ],
  sign_in_limit: [
    {
      kind: "sign_in_limit",
      window: { limit: 20, remaining: 0, windowSeconds: 60, resetSeconds: 42 },
    },
    -32_000,
    429,
    "RESOURCE_EXHAUSTED",
  ],
  insufficient_scope: [
    { kind: "insufficient_scope", scopes: ["tasks:read"] },
    -32_000,
    403,
    "PERMISSION_DENIED",
  ],
  tool_access_denied: [
    { kind: "tool_access_denied", agentId: "a", toolId },
    -32_000,
    403,
    "PERMISSION_DENIED",
  ],
  capability_not_granted: [
    { kind: "capability_not_granted", agentId: "a", toolId, capability: "c", granted: [] },
    -32_000,
    403,
    "PERMISSION_DENIED",
  ],
  agent_disabled: [{ kind: "agent_disabled", agentId: "a" }, -32_000, 403, "PERMISSION_DENIED"],
  agent_paused: [{ kind: "agent_paused", agentId: "a" }, -32_000, 403, "PERMISSION_DENIED"],
  policy_denied: [
    { kind: "policy_denied", policyId: "p", reason: "r" },
    -32_000,
    403,
    "PERMISSION_DENIED",
  ],
  approval_pending: [
    { kind: "approval_pending", approvalId: "a", policyId: "p", reason: "r", expiresAt: 0 },
    -32_004,
    400,
    "UNSUPPORTED_OPERATION",
  ],
  approval_settled: [
    { kind: "approval_settled", approvalId: "a", isDenied: true, message: "m" },
    -32_000,
    403,
    "PERMISSION_DENIED",
  ],
  approval_outdated: [
    { kind: "approval_outdated", reason: "r" },
    -32_004,
    400,
    "UNSUPPORTED_OPERATION",
  ],
  too_many_approvals: [
    { kind: "too_many_approvals", max: 1, agentId: null },
    -32_000,
    429,
    "RESOURCE_EXHAUSTED",
  ],
  approval_of_own_call: [
    { kind: "approval_of_own_call", approvalId: "a" },
    -32_000,
    403,
    "PERMISSION_DENIED",
  ],
  not_an_approver: [
    { kind: "not_an_approver", approvalId: "a", policyIds: ["p"] },
    -32_000,
    403,
    "PERMISSION_DENIED",
  ],
  approval_decided: [
    { kind: "approval_decided", approvalId: "a", status: "denied" },
    -32_004,
    400,
    "UNSUPPORTED_OPERATION",
  ],
  task_awaits_approval: [
    { kind: "task_awaits_approval", approvalId: "a" },
    -32_004,
    400,
    "UNSUPPORTED_OPERATION",
  ],
  task_required: [{ kind: "task_required", taskIds: ["t"] }, -32_000, 403, "PERMISSION_DENIED"],
  budget_raise_denied: [{ kind: "budget_raise_denied" }, -32_000, 403, "PERMISSION_DENIED"],
  agent_mismatch: [
    { kind: "agent_mismatch", path: "agentId", bound: "agent a" },
    -32_000,
    403,
    "PERMISSION_DENIED",
  ],
  claim_by_team: [{ kind: "claim_by_team", teamId: "t" }, -32_000, 403, "PERMISSION_DENIED"],
  reassign_by_agent: [
    { kind: "reassign_by_agent", agentId: "a" },
    -32_000,
    403,
    "PERMISSION_DENIED",
  ],
  not_found: [{ kind: "not_found", what: "task", id: "x" }, -32_001, 404, "TASK_NOT_FOUND"],
  method_not_allowed: [
    { kind: "method_not_allowed", method: "PUT", allow: "POST" },
    -32_600,
    405,
    "METHOD_NOT_ALLOWED",
  ],
  payload_too_large: [{ kind: "payload_too_large" }, -32_600, 413, "PAYLOAD_TOO_LARGE"],
  uri_too_long: [{ kind: "uri_too_long" }, -32_600, 413, "PAYLOAD_TOO_LARGE"],
  unsupported_media_type: [
    { kind: "unsupported_media_type", reason: "r" },
    -32_005,
    400,
    "CONTENT_TYPE_NOT_SUPPORTED",
  ],
  invalid_state: [
    { kind: "invalid_state", action: "responded to", ...state },
    -32_004,
    400,
    "UNSUPPORTED_OPERATION",
  ],
  task_not_completed: [
    { kind: "task_not_completed", action: "a", ...state },
    -32_004,
    400,
    "UNSUPPORTED_OPERATION",
  ],
  deadline_passed: [{ kind: "deadline_passed", ...state }, -32_004, 400, "UNSUPPORTED_OPERATION"],
  no_other_agent: [{ kind: "no_other_agent", ...state }, -32_004, 400, "UNSUPPORTED_OPERATION"],
  lease_lost: [{ kind: "lease_lost", ...state }, -32_004, 400, "UNSUPPORTED_OPERATION"],
  idempotency_key_reused: [{ kind: "idempotency_key_reused" }, -32_602, 400, "INVALID_PARAMS"],
  idempotency_key_in_use: [
    { kind: "idempotency_key_in_use", isLost: false },
    -32_000,
    409,
    "ABORTED",
  ],
  precondition_failed: [
    { kind: "precondition_failed", what: "task", etag: '"1"' },
    -32_000,
    409,
    "ABORTED",
  ],
  share_used: [
    { kind: "share_used", toolId, agentId: "a", window },
    -32_000,
    429,
    "RESOURCE_EXHAUSTED",
  ],
  cursor_expired: [
    { kind: "cursor_expired", cursor: "c", droppedTo: "2031-01-01T00:00:00.000Z" },
    -32_602,
    400,
    "INVALID_PARAMS",
  ],
  rate_limited: [{ kind: "rate_limited", toolId, window }, -32_000, 429, "RESOURCE_EXHAUSTED"],
  budget_exceeded: [
    { kind: "budget_exceeded", toolId, window },
    -32_000,
    429,
    "RESOURCE_EXHAUSTED",
  ],
  key_limit_reached: [
    {
      kind: "key_limit_reached",
      keyId: "k",
      limit: "requestsPerMinute",
      remedy: "Send fewer requests",
      max: 1,
      retryAfterSeconds: 9,
    },
    -32_000,
    429,
    "RATE_LIMIT_EXCEEDED",
  ],
  too_many_webhooks: [
    { kind: "too_many_webhooks", max: 100, isOfKey: false },
    -32_000,
    429,
    "RESOURCE_EXHAUSTED",
  ],
  webhook_disabled: [
    { kind: "webhook_disabled", webhookId: "w" },
    -32_004,
    400,
    "UNSUPPORTED_OPERATION",
  ],
  task_budget_exceeded: [
    { kind: "task_budget_exceeded", taskId: "t", question: "q" },
    -32_004,
    400,
    "UNSUPPORTED_OPERATION",
  ],
  tool_exists: [
    { kind: "tool_exists", toolId, retired: false },
    -32_004,
    400,
    "UNSUPPORTED_OPERATION",
  ],
  tool_built_in: [{ kind: "tool_built_in", toolId }, -32_004, 400, "UNSUPPORTED_OPERATION"],
  agent_exists: [
    { kind: "agent_exists", agentId: "a", deleted: true },
    -32_004,
    400,
    "UNSUPPORTED_OPERATION",
  ],
  task_log_full: [
    { kind: "task_log_full", limit: "2 events", ...state },
    -32_004,
    400,
    "UNSUPPORTED_OPERATION",
  ],
  limit_exceeded: [
    {
      kind: "limit_exceeded",
      limitId: "l",
      measure: "calls",
      per: "day",
      limit: 1,
      used: 1,
      reserved: 0,
      requested: 1,
      resetAt: null,
      retryAfterSeconds: null,
    },
    -32_000,
    429,
    "RESOURCE_EXHAUSTED",
  ],
  limit_exists: [{ kind: "limit_exists", limitId: "l" }, -32_004, 400, "UNSUPPORTED_OPERATION"],
  too_many_limits: [{ kind: "too_many_limits", max: 1 }, -32_004, 400, "UNSUPPORTED_OPERATION"],
  policy_exists: [{ kind: "policy_exists", policyId: "p" }, -32_004, 400, "UNSUPPORTED_OPERATION"],
  too_many_policies: [{ kind: "too_many_policies", max: 1 }, -32_004, 400, "UNSUPPORTED_OPERATION"],
  team_exists: [{ kind: "team_exists", teamId: "t" }, -32_004, 400, "UNSUPPORTED_OPERATION"],
  credentials_required: [
    { kind: "credentials_required", toolId, reason: "r" },
    -32_004,
    400,
    "UNSUPPORTED_OPERATION",
  ],
  tool_failed: [
    { ...failed, retryAfterSeconds: null, details: null },
    -32_603,
    503,
    "SERVICE_UNAVAILABLE",
  ],
  tool_timeout: [
    { kind: "tool_timeout", toolId, timeoutMs: 1 },
    -32_603,
    503,
    "SERVICE_UNAVAILABLE",
  ],
  circuit_open: [
    { kind: "circuit_open", toolId, agentId: null, retryAfterSeconds: 1 },
    -32_603,
    503,
    "SERVICE_UNAVAILABLE",
  ],
  webhook_behind: [
    { kind: "webhook_behind", webhookId: "whk_1" },
    -32_603,
    503,
    "SERVICE_UNAVAILABLE",
  ],
  unavailable: [{ kind: "unavailable", what: "It" }, -32_603, 503, "SERVICE_UNAVAILABLE"],
  bug: [{ kind: "bug" }, -32_603, 500, "INTERNAL_ERROR"],
};

describe("the service's failures as A2A errors", () => {
  it.each(Object.values(MAPPED))(
    "the failure $kind has its A2A error over JSON-RPC and REST",
    (failure, code, status, reason) => {
      const error = toRequestError(failure);
      expect(error.message).not.toBe("");
      const { message } = error;
      const type = "type.googleapis.com/google.rpc.ErrorInfo";
      const details = expect.arrayContaining([
        { "@type": type, reason, domain: "a2a-protocol.org" },
      ]);
      expect(toRpcErrorObject(error)).toEqual({ code, message, data: details });
      const { grpcStatus } = errorFormOf(error);
      expect(grpcStatus).toMatch(/^[A-Z_]+$/);
      expect(toRestErrorObject(error)).toEqual({
        error: { code: status, status: grpcStatus, message, details },
      });
    },
  );

  it("an unknown agent becomes an invalid parameter, and an unknown route becomes an unknown method", () => {
    const reasonOf = (what: "agent" | "route") => {
      const error = toRequestError({ kind: "not_found", what, id: "x" });
      return error instanceof ServiceError ? error.reason : error.name;
    };
    expect([reasonOf("agent"), reasonOf("route")]).toEqual(["INVALID_PARAMS", "METHOD_NOT_FOUND"]);
  });

  it("each problem is listed under its path as google.rpc.BadRequest", () => {
    const problems = [
      { path: "message.parts", message: "must not be empty" },
      { path: "message.role", message: "is required" },
    ];
    expect(toRpcErrorObject(toRequestError({ kind: "validation", problems }))).toMatchObject({
      data: [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo" },
        {
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          fieldViolations: [
            { field: "message.parts", description: "must not be empty" },
            { field: "message.role", description: "is required" },
          ],
        },
      ],
    });
  });

  it("A2A's own errors have the codes and statuses of section 5.4", () => {
    const errors = [
      TaskNotFoundError,
      TaskNotCancelableError,
      UnsupportedOperationError,
      ContentTypeNotSupportedError,
      VersionNotSupportedError,
    ].map((SdkError) => new SdkError("Why"));
    const table = errors.map((error) => {
      const { code, status, isHttp = false } = errorFormOf(error);
      return [error.reason, code, status, isHttp];
    });
    expect(table).toEqual([
      ["TASK_NOT_FOUND", -32_001, 404, false],
      ["TASK_NOT_CANCELABLE", -32_002, 400, false],
      ["UNSUPPORTED_OPERATION", -32_004, 400, false],
      ["CONTENT_TYPE_NOT_SUPPORTED", -32_005, 400, false],
      ["VERSION_NOT_SUPPORTED", -32_009, 400, false],
    ]);
  });
});
