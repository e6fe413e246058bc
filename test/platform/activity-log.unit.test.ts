import { expect, it, vi } from "vitest";
import { formatActivity, logActivity, type Activity } from "../../src/platform/activity-log.ts";

const NOW = new Date("2026-11-27T12:30:05.678Z");
const REQUEST: Activity = { kind: "request", subject: "GET /health", outcome: "200" };

it("a line contains the error, the duration, the agent, the task, the key and the request", () => {
  const taskId = "0f".repeat(32);
  const activity: Activity = {
    ...REQUEST,
    subject: `PATCH /agents/tasks/${taskId}`,
    outcome: "409",
    code: "INVALID_STATE",
    message: "The task is completed.",
    durationMs: 12,
    agentId: "sales",
    taskId,
    keyId: "root",
  };
  expect(formatActivity(activity, "r-1", NOW)).toBe(
    '12:30:05Z request PATCH /agents/tasks/0f0f0f0f0f0f: 409, 12 ms INVALID_STATE "The task is completed." agent=sales task=0f0f0f0f0f0f key=root request=r-1',
  );
});

it("a line omits unknown values", () => {
  expect(formatActivity({ ...REQUEST, agentId: null, code: null }, null, NOW)).toBe(
    "12:30:05Z request GET /health: 200",
  );
});

it("user text stays on one line and cannot control the terminal", () => {
  const hostile = "one\ntwo \u001B[31mred\u001B[0m \u009B1m \u202Eoverride \u2028";
  const texts = { subject: hostile, outcome: hostile, detail: hostile, code: hostile };
  const line = formatActivity({ ...REQUEST, ...texts, message: hostile }, hostile, NOW);
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  expect(line).toContain("one\\u000atwo \\u001b[31mred");
});

it("text that is cut inside a surrogate pair ends with a replacement character", () => {
  const line = formatActivity({ ...REQUEST, message: `${"a".repeat(199)}😀b` }, null, NOW);
  expect(line).toMatch(/"a{199}\uFFFD…"$/);
});

it("nothing is written unless LOG_ACTIVITY is true", () => {
  const info = vi.spyOn(console, "info").mockReturnValue();
  const describe = vi.fn<() => Activity>(() => REQUEST);
  for (const LOG_ACTIVITY of ["false", "", "TRUE"]) logActivity({ LOG_ACTIVITY }, describe);
  expect([describe.mock.calls, info.mock.calls]).toEqual([[], []]);
  logActivity({ LOG_ACTIVITY: "true" }, describe);
  expect(info.mock.calls).toEqual([[expect.stringMatching(/Z request GET \/health: 200$/)]]);
  info.mockRestore();
});

it("a key in a path or a message is shortened", () => {
  const key = `bsn_root_${"0f".repeat(32)}`;
  const line = formatActivity({ ...REQUEST, subject: `GET /mcp/${key}`, message: key }, null, NOW);
  expect(line).toBe(
    '12:30:05Z request GET /mcp/bsn_root_0f0f0f0f0f0f: 200 "bsn_root_0f0f0f0f0f0f"',
  );
});

it("a detail that is not one word is quoted, so that it cannot imitate a field", () => {
  const line = formatActivity({ ...REQUEST, detail: "x key=root" }, null, NOW);
  expect(line).toBe('12:30:05Z request GET /health: 200 "x key=root"');
});
