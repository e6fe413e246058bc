import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../src/index.ts";
import { answerOf, ROOT, type Answer } from "../support/client.ts";

const LOCAL = "http://127.0.0.1:8787";

/** Sends a request directly to the Worker, so that Host and Origin are not changed. */
async function ask(
  url: string,
  headers: Record<string, string> = {},
  { method = "GET", bindings = env }: { method?: string; bindings?: Env } = {},
): Promise<Answer> {
  const request = new Request(url, {
    method,
    headers: { Authorization: `Bearer ${ROOT}`, ...headers },
  });
  return answerOf(await worker.fetch(request, bindings, createExecutionContext()));
}

function expectRejected(answer: Answer, header: string, value: string): void {
  expect(answer.status, answer.text).toBe(403);
  expect(answer.body).toMatchObject({ success: false, error: { code: "HOST_NOT_ALLOWED" } });
  expect(answer.body.error.message).toContain(`The ${header} header is ${JSON.stringify(value)}`);
  expect(answer.headers.get("X-Request-Id")).toMatch(/./);
}

const ROUTES = [
  ["GET", "/agents/keys"],
  ["GET", "/agents/tasks"],
  ["POST", "/agents/tools/table-analyst/invoke"],
  ["POST", "/a2a"],
  ["GET", "/a2a/v1/tasks"],
  ["POST", "/mcp"],
  ["OPTIONS", "/mcp"],
  ["GET", "/docs"],
  ["GET", "/docs/settings.json"],
  ["GET", "/openapi.json"],
  ["GET", "/health"],
  ["GET", "/.well-known/agent-card.json"],
  ["GET", "/agents/tasks/x/deliverables/y?expires=1&signature=x"],
  ["GET", "/agents/tools/results/x?expires=1&signature=x"],
  ["GET", "/agents/tools/x/credentials/callback?state=x"],
  ["GET", "/nowhere"],
] as const;

describe("names over plain HTTP", () => {
  it.each(ROUTES)(
    "over plain HTTP, %s %s rejects a Host that is not a loopback name",
    async (method, path) => {
      const host = "evil.example:8787";
      expectRejected(await ask(`http://${host}${path}`, {}, { method }), "Host", host);
    },
  );

  it.each(ROUTES)(
    "over plain HTTP, %s %s rejects an Origin that is not a loopback name",
    async (method, path) => {
      const origin = "http://evil.example:8787";
      const answer = await ask(`${LOCAL}${path}`, { Origin: origin }, { method });
      expectRejected(answer, "Origin", origin);
    },
  );

  it.each([
    "http://localhost:8787",
    "http://LOCALHOST",
    "http://bosun.localhost:9000",
    "http://a.b.localhost",
    "http://127.0.0.1",
    "http://127.255.3.4:1",
    "http://[::1]:8787",
  ])("over plain HTTP, the loopback name of %s is accepted as Host and Origin", async (origin) => {
    expect((await ask(`${origin}/agents/keys`)).status).toBe(200);
    expect((await ask(`${LOCAL}/agents/keys`, { Origin: origin })).status).toBe(200);
  });

  it.each([
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evillocalhost",
    "evil-localhost:8787",
    "128.0.0.1",
    "0.0.0.0:8787",
    "10.0.0.1",
    "192.168.1.7:8787",
    "[::]",
    "[::ffff:127.0.0.1]:8787",
    "[fe80::1]",
    "bosun.test",
  ])("over plain HTTP, the name %s is rejected as Host and Origin", async (host) => {
    const [byHost, byOrigin] = [
      await ask(`http://${host}/agents/keys`),
      await ask(`${LOCAL}/agents/keys`, { Origin: `http://${host}` }),
    ];
    expect([byHost.status, byHost.body.error.code]).toEqual([403, "HOST_NOT_ALLOWED"]);
    expectRejected(byOrigin, "Origin", `http://${host}`);
  });

  it.each(["null", "", "evil", "http://", "file://", "chrome-extension://abcdef", "https://x"])(
    "over plain HTTP, the Origin %j is rejected",
    async (origin) => {
      expectRejected(await ask(`${LOCAL}/health`, { Origin: origin }), "Origin", origin);
    },
  );

  it("both the URL and a differing Host header are checked", async () => {
    const host = "evil.example:8787";
    expectRejected(await ask(`${LOCAL}/agents/keys`, { Host: host }), "Host", host);
    const answer = await ask(`http://${host}/agents/keys`, { Host: "localhost:8787" });
    expectRejected(answer, "Host", host);
  });

  it("names are checked before the key and the length of the URL", async () => {
    const host = "evil.example";
    expectRejected(await ask(`http://${host}/agents/keys`, { Authorization: "x" }), "Host", host);
    const path = `/agents/keys?x=${"x".repeat(9_000)}`;
    expectRejected(await ask(`http://${host}${path}`), "Host", host);
  });
});

describe("names over HTTPS", () => {
  it("over HTTPS, REST accepts other names and origins", async () => {
    expect((await ask("https://bosun.example.com/agents/keys")).status).toBe(200);
    const headers = { Origin: "https://other.example", Host: "bosun.example.com" };
    expect((await ask("https://bosun.example.com/agents/keys", headers)).status).toBe(200);
  });

  it("LOOPBACK_ONLY also rejects other names over HTTPS, because a local server trusts X-Forwarded-Proto", async () => {
    const bindings = { ...env, LOOPBACK_ONLY: "true" };
    const host = "evil.example:8787";
    expectRejected(await ask(`https://${host}/agents/keys`, {}, { bindings }), "Host", host);
    const origin = `https://${host}`;
    const byOrigin = await ask("https://localhost:8787/health", { Origin: origin }, { bindings });
    expectRejected(byOrigin, "Origin", origin);
    expect((await ask("https://localhost:8787/agents/keys", {}, { bindings })).status).toBe(200);
  });
});
