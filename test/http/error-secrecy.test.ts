import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { del, get, patch, post, type Answer } from "../support/client.ts";
import { create, stopClock } from "../support/tasks.ts";

/**
 * Patterns that must not appear in any response: SQL, a stack trace, a file path, the name of an
 * internal error, or a secret.
 */
const FORBIDDEN = [
  /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|json_each|SQLITE|D1_ERROR)\b/,
  /\bat \S+ \(|\.ts:\d+|node_modules|file:\/\//,
  /DrizzleQueryError|TypeError|RangeError|ReferenceError|params:/,
  /for-tests-only/,
];

function expectClean(answer: Answer): void {
  const headers = JSON.stringify([...answer.headers]);
  for (const pattern of FORBIDDEN) {
    expect(answer.text).not.toMatch(pattern);
    expect(headers).not.toMatch(pattern);
  }
}

const HOSTILE = [
  "'; DROP TABLE tools; --",
  '" OR 1=1 --',
  "%27%22%5C",
  "\\",
  '"',
  "*",
  "NEAR(a b)",
  "a AND",
  "{}",
  "${7*7}",
];

describe("internal details in responses", () => {
  let id = "";

  beforeAll(async () => {
    stopClock();
    id = await create();
  });

  it.each(HOSTILE)(
    "the responses to the text %s contain no SQL, stack trace or secret",
    async (text) => {
      const escaped = encodeURIComponent(text);
      const answers = [
        await get(`/agents/tools?search=${escaped}`),
        await get(`/agents/tools?search=${encodeURIComponent(text.slice(0, 2))}`),
        await get(`/agents/tools?agentId=${escaped}&category=${escaped}`),
        await get(`/agents/tools/${escaped}`),
        await get(`/agents/tools/access/${escaped}`),
        await del(`/agents/tools/access/${escaped}/${escaped}`),
        await get(`/agents/tasks?agentId=${escaped}&teamId=${escaped}&cursor=${escaped}`),
        await get(`/agents/tasks/${escaped}`),
        await get(`/agents/tasks/${id}/deliverables/${escaped}`),
        await patch(`/agents/tasks/${id}`, { notes: text, context: { [text]: text } }),
        await post("/agents/tasks", { task: text, agentId: text, teamId: text }),
        await post("/agents/tools/access", { agentId: text, toolId: text, capabilities: [text] }),
        await post(`/agents/tools/${escaped}/invoke`, { capability: text, parameters: {} }),
        await post("/agents/keys", { name: text, scopes: [text], agentId: text }),
        await del(`/agents/keys/${escaped}`),
        await get("/agents/tools", { key: text.replaceAll(/[^\x21-\x7e]/g, "_") }),
      ];
      for (const answer of answers) {
        expect(answer.status).toBeLessThan(500);
        const echoed = {
          ...answer,
          text: answer.text.replaceAll(JSON.stringify(text).slice(1, -1), ""),
        };
        expectClean(echoed);
      }
      expect((await get("/agents/tools")).body.data.total).toBe(6);
    },
  );

  it("the list of keys contains neither keys nor hashes", async () => {
    const wanted = { name: "once", scopes: ["tools:read"] };
    const { key } = (await post("/agents/keys", wanted)).body.data;
    const list = await get("/agents/keys?limit=100");
    expect(list.text).not.toContain(key.split("_")[2]);
    for (const listed of list.body.data.keys) {
      expect(Object.keys(listed)).not.toContain("hash");
      expect(Object.keys(listed)).not.toContain("key");
    }
    expectClean(list);
  });

  it("a database failure gets a retryable 503 without internal details and is logged with its cause and the request's id, without SQL and values", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    await env.DB.prepare("ALTER TABLE tools RENAME TO tools_away").run();
    try {
      const answers = [
        await get("/agents/tools"),
        await get("/agents/tools?search=workbench"),
        await get("/agents/tools/json-workbench"),
        await post("/agents/tools/json-workbench/invoke", { capability: "diff", parameters: {} }),
        await post("/agents/tools/access", { agentId: "a", toolId: "json-workbench" }),
      ];
      for (const answer of answers) {
        expect([answer.status, answer.body.error.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
        expect(answer.body.error.retryable).toBe(true);
        expect(answer.body.metadata.requestId).toBe(answer.headers.get("X-Request-Id"));
        expectClean(answer);
      }
      const requestIds = answers.map(({ headers }) => headers.get("X-Request-Id"));
      expect(log.mock.calls.map(([entry]) => entry.requestId)).toEqual(requestIds);
      for (const [{ error }] of log.mock.calls) {
        expect(error.message).toContain("no such table: tools");
        expect(`${error.stack} ${error.cause}`).not.toMatch(/Failed query|params|json-workbench/);
      }
    } finally {
      await env.DB.prepare("ALTER TABLE tools_away RENAME TO tools").run();
      log.mockRestore();
    }
    expect((await get("/agents/tools")).status).toBe(200);
  });
});
