import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Answer } from "../support/client.ts";

/** Every documented error code. */
const CODES = new Set([
  "VALIDATION_ERROR",
  "INVALID_JSON",
  "AUTHENTICATION_FAILED",
  "BUDGET_EXCEEDED",
  "INSUFFICIENT_SCOPE",
  "TOOL_ACCESS_DENIED",
  "CAPABILITY_NOT_GRANTED",
  "LIMIT_EXISTS",
  "LIMIT_NOT_FOUND",
  "SPENDING_LIMIT_EXCEEDED",
  "TOO_MANY_LIMITS",
  "USAGE_LIMIT_EXCEEDED",
  "POLICY_DENIED",
  "POLICY_EXISTS",
  "POLICY_LIMIT_REACHED",
  "POLICY_NOT_FOUND",
  "APPROVAL_PENDING",
  "APPROVAL_DENIED",
  "APPROVED_CALL_FAILED",
  "APPROVAL_LIMIT_REACHED",
  "APPROVAL_DECIDED",
  "APPROVER_NOT_ALLOWED",
  "APPROVAL_NOT_FOUND",
  "AGENT_MISMATCH",
  "KEY_MISMATCH",
  "AGENT_DISABLED",
  "AGENT_PAUSED",
  "TASK_REQUIRED",
  "BUDGET_RAISE_DENIED",
  "NOT_FOUND",
  "TOOL_NOT_FOUND",
  "CAPABILITY_NOT_FOUND",
  "AGENT_NOT_FOUND",
  "TEAM_NOT_FOUND",
  "TASK_NOT_FOUND",
  "ACCESS_NOT_FOUND",
  "DELIVERABLE_NOT_FOUND",
  "KEY_NOT_FOUND",
  "CREDENTIALS_NOT_FOUND",
  "RESULT_NOT_FOUND",
  "WEBHOOK_NOT_FOUND",
  "WEBHOOK_LIMIT_REACHED",
  "WEBHOOK_DISABLED",
  "DELIVERY_NOT_FOUND",
  "CALL_NOT_FOUND",
  "SESSION_NOT_FOUND",
  "CROSS_SITE_REQUEST",
  "TOOL_CREDENTIALS_REQUIRED",
  "TOOL_EXISTS",
  "TOOL_BUILT_IN",
  "AGENT_EXISTS",
  "METHOD_NOT_ALLOWED",
  "PAYLOAD_TOO_LARGE",
  "URI_TOO_LONG",
  "UNSUPPORTED_MEDIA_TYPE",
  "INVALID_STATE",
  "TASK_NOT_COMPLETED",
  "DEADLINE_PASSED",
  "NO_OTHER_AGENT",
  "LEASE_LOST",
  "IDEMPOTENCY_KEY_REUSED",
  "IDEMPOTENCY_KEY_IN_USE",
  "PRECONDITION_FAILED",
  "RATE_LIMIT_EXCEEDED",
]);

/** Patterns that must not appear in any response: SQL, stack traces, secrets. */
const FORBIDDEN = /D1_ERROR|SQLITE_|Failed query|\bat \S+ \(|\.ts:\d+:\d+|for-tests-only/;

/**
 * Asserts what must hold for every response: it has a documented form and is not an internal error.
 */
export function expectValidResponse({ status, headers, text, body }: Answer): void {
  expect(status, text).toBeLessThan(500);
  expect(text).not.toMatch(FORBIDDEN);
  expect(headers.get("X-Request-Id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  // HEAD responses, 204 responses and files have no JSON body.
  if (body === null && status < 400) return;
  if (text === "") return;
  // The page behind a link for a decision.
  if (headers.get("Content-Type")?.startsWith("text/html") === true) return;
  expect(body.metadata.requestId).toBe(headers.get("X-Request-Id"));
  expect(body.success).toBe(status < 400);
  if (status < 400) {
    expect(typeof body.data).toBe("object");
    return;
  }
  expect(CODES).toContain(body.error.code);
  expect(body.error.message).toMatch(/\S/);
  expect(typeof body.error.retryable).toBe("boolean");
  const problems = body.error.details ?? [];
  if (body.error.code === "VALIDATION_ERROR") expect(problems.length).toBeGreaterThan(0);
  for (const { path, message } of problems) {
    expect(typeof path).toBe("string");
    expect(message).toMatch(/\S/);
  }
}

/**
 * Returns a function that reads the rows of the D1 tables, except internal and search tables, as
 * JSON by table name. It omits the keys' `last_used_at`, which can be written after the response,
 * even by requests that change nothing else.
 */
export async function tableReader(): Promise<() => Promise<Record<string, string>>> {
  const columns = await env.DB.prepare(
    `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master AS m, pragma_table_info(m.name) AS c
     WHERE m.type = 'table' AND m.name NOT LIKE 'tools\\_%' ESCAPE '\\'
       AND m.name NOT LIKE '\\_%' ESCAPE '\\' AND m.name NOT LIKE 'sqlite%'
       AND NOT (m.name = 'keys' AND c.name = 'last_used_at')`,
  ).all<{ table: string; column: string }>();
  const tables = [...Map.groupBy(columns.results, ({ table }) => table)].map(([table, of]) => {
    const row = of.map(({ column }) => `"${column}"`).join(", ");
    return `(SELECT json_group_array(json_array(${row})) FROM "${table}") AS "${table}"`;
  });
  const look = env.DB.prepare(`SELECT ${tables.join(", ")}`);
  return async () => (await look.first<Record<string, string>>()) ?? {};
}

/** Counts the tasks ever created, and finds the meters of tools that are not in the catalogue. */
export async function storedObjects(): Promise<{ tasks: number; strangeMeters: string[] }> {
  const [tasks, meters, tools] = await Promise.all([
    listDurableObjectIds(env.TASKS),
    listDurableObjectIds(env.METERS),
    env.DB.prepare("SELECT id FROM tools").all<{ id: string }>(),
  ]);
  const known = new Set(tools.results.map(({ id }) => String(env.METERS.idFromName(id))));
  const strangeMeters = meters.map(String).filter((id) => !known.has(id));
  return { tasks: tasks.length, strangeMeters };
}
