import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { HOUR_MS } from "../../src/kernel/units.ts";
import { del, get, patch, post, ROOT, type Answer } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { expectError } from "../support/expect-errors.ts";
import { stopClock } from "../support/tasks.ts";

const CONSOLE = {
  "Sec-Fetch-Site": "same-origin",
  "Content-Type": "application/json",
  "X-Bosun-Console": "1",
};

beforeEach(async () => {
  vi.useRealTimers();
  await env.DB.exec("DELETE FROM sessions");
});

async function signIn(apiKey: string): Promise<{ answer: Answer; cookie: string }> {
  const answer = await post("/agents/sessions", { apiKey }, { key: null });
  const [cookie = ""] = (answer.headers.get("Set-Cookie") ?? "").split(";");
  return { answer, cookie };
}

const withCookie = (cookie: string, headers: Record<string, string> = CONSOLE) => ({
  key: null,
  headers: { ...headers, Cookie: cookie },
});

describe("a console session", () => {
  it("a person who signs in with a key gets a cookie that has the rights of the key", async () => {
    const key = await keyWith(["tasks:read"]);
    const { answer, cookie } = await signIn(key);
    expect(answer.status).toBe(201);
    expect(answer.headers.get("Set-Cookie")).toMatch(
      /^__Host-bosun=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(answer.body.data.key).toEqual({ id: keyId(key), name: "test", scopes: ["tasks:read"] });
    expect((await get("/agents/tasks", withCookie(cookie))).status).toBe(200);
    expectError(await get("/agents/tools", withCookie(cookie)), 403, "INSUFFICIENT_SCOPE");
    const me = await get("/agents/sessions/current", withCookie(cookie));
    expect(me.body.data.session).toMatchObject({ keyId: keyId(key), current: true });
  });

  it("neither the cookie nor the key is stored", async () => {
    const key = await keyWith(["tasks:read"]);
    const { cookie } = await signIn(key);
    const rows = await env.DB.prepare("SELECT * FROM sessions").all();
    expect(rows.results).toHaveLength(1);
    const stored = JSON.stringify(rows.results);
    expect(stored).not.toContain(cookie.split("=")[1]);
    expect(stored).not.toContain(key.split("_")[2]);
  });

  it("a request of another origin with the cookie changes nothing", async () => {
    const { cookie } = await signIn(ROOT);
    const task = { task: "Read this" };
    for (const headers of [
      { ...CONSOLE, "Sec-Fetch-Site": "cross-site" },
      { ...CONSOLE, "Sec-Fetch-Site": "same-site" },
      { "Content-Type": "application/json", "X-Bosun-Console": "1" },
      { ...CONSOLE, "X-Bosun-Console": "0" },
    ]) {
      const answer = await post("/agents/tasks", task, withCookie(cookie, headers));
      expectError(answer, 403, "CROSS_SITE_REQUEST");
    }
    const listed = await get("/agents/tasks");
    expect(listed.body.data.total).toBe(0);
    expect((await post("/agents/tasks", task, withCookie(cookie))).status).toBe(201);
  });

  it("an event states the key and the session that caused it", async () => {
    const { answer, cookie } = await signIn(ROOT);
    const { sessionId } = answer.body.data.session;
    const created = await post("/agents/tasks", { task: "Read this" }, withCookie(cookie));
    const task = `/agents/tasks/${created.body.data.taskId}`;
    expect((await post(`${task}/cancel`, {}, withCookie(cookie))).status).toBe(200);
    const { events } = (await get(`${task}/events`)).body.data;
    const by = { keyId: "root", keyName: "root", sessionId };
    for (const type of ["created", "cancelled"]) {
      const event = events.find((one: { type: string }) => one.type === type);
      expect(event.data.by).toEqual(by);
    }
  });

  it("the cookie is ignored if a request has an Authorization header", async () => {
    const { cookie } = await signIn(ROOT);
    const answer = await get("/agents/tasks", {
      key: "bsn_wrong",
      headers: { ...CONSOLE, Cookie: cookie },
    });
    expectError(answer, 401, "AUTHENTICATION_FAILED");
  });

  it("a session ends with its key", async () => {
    const key = await keyWith(["tasks:read"]);
    const { cookie } = await signIn(key);
    expect((await del(`/agents/keys/${keyId(key)}`)).status).toBe(200);
    expectError(await get("/agents/tasks", withCookie(cookie)), 401, "AUTHENTICATION_FAILED");
    expect((await get("/agents/sessions")).body.data.sessions).toEqual([]);
  });

  it("a session ends after 12 hours without a request", async () => {
    stopClock();
    const { cookie } = await signIn(ROOT);
    vi.advanceTimersByTime(11 * HOUR_MS);
    expect((await get("/agents/tasks", withCookie(cookie))).status).toBe(200);
    vi.advanceTimersByTime(13 * HOUR_MS);
    expectError(await get("/agents/tasks", withCookie(cookie)), 401, "AUTHENTICATION_FAILED");
  });

  it("signing out ends the session and removes the cookie", async () => {
    const { cookie } = await signIn(ROOT);
    const ended = await del("/agents/sessions/current", withCookie(cookie));
    expect(ended.body.data).toEqual({ ended: 1 });
    expect(ended.headers.get("Set-Cookie")).toMatch(/^__Host-bosun=; Path=\/; Max-Age=0;/);
    expectError(await get("/agents/tasks", withCookie(cookie)), 401, "AUTHENTICATION_FAILED");
  });

  it("signing out everywhere ends all sessions of the key and no others", async () => {
    const key = await keyWith(["tasks:read"]);
    const [one, two, other] = [await signIn(key), await signIn(key), await signIn(ROOT)];
    const ended = await del("/agents/sessions", withCookie(one.cookie));
    expect(ended.body.data).toEqual({ ended: 2 });
    for (const { cookie } of [one, two])
      expectError(await get("/agents/tasks", withCookie(cookie)), 401, "AUTHENTICATION_FAILED");
    expect((await get("/agents/tasks", withCookie(other.cookie))).status).toBe(200);
  });

  it("a key without keys:manage sees and ends only its own sessions", async () => {
    const key = await keyWith(["tasks:read"]);
    const [own, root] = [await signIn(key), await signIn(ROOT)];
    const listed = (await get("/agents/sessions", { key })).body.data.sessions;
    expect(listed).toMatchObject([{ keyId: keyId(key), current: false }]);
    const foreign = root.answer.body.data.session.sessionId;
    expectError(await del(`/agents/sessions/${foreign}`, { key }), 404, "SESSION_NOT_FOUND");
    expect((await get("/agents/sessions")).body.data.sessions).toHaveLength(2);
    const id = own.answer.body.data.session.sessionId;
    expect((await del(`/agents/sessions/${id}`)).status).toBe(200);
    expectError(await get("/agents/tasks", withCookie(own.cookie)), 401, "AUTHENTICATION_FAILED");
  });
});

describe("a sign-in", () => {
  it.each(["nonsense", `bsn_${"0".repeat(16)}_${"0".repeat(64)}`, "bsn_root_wrong"])(
    "the key %s is rejected after half a second, and no session is stored",
    async (apiKey) => {
      const startedAt = performance.now();
      const { answer, cookie } = await signIn(apiKey);
      expectError(answer, 401, "AUTHENTICATION_FAILED");
      expect(performance.now() - startedAt).toBeGreaterThan(450);
      expect(cookie).toBe("");
      const { count } =
        (await env.DB.prepare("SELECT count(*) AS count FROM sessions").first<{
          count: number;
        }>()) ?? {};
      expect(count).toBe(0);
    },
  );

  it("a page of another origin cannot sign in", async () => {
    const headers = { "Sec-Fetch-Site": "cross-site" };
    const answer = await post("/agents/sessions", { apiKey: ROOT }, { key: null, headers });
    expectError(answer, 403, "CROSS_SITE_REQUEST");
  });

  it("the 21st attempt in a minute from one address is rejected with 429", async () => {
    const headers = { "CF-Connecting-IP": "203.0.113.7" };
    for (let attempt = 1; attempt <= 20; attempt += 1)
      expect(
        (await post("/agents/sessions", { apiKey: ROOT }, { key: null, headers })).status,
      ).toBe(201);
    const answer = await post("/agents/sessions", { apiKey: ROOT }, { key: null, headers });
    expectError(answer, 429, "RATE_LIMIT_EXCEEDED");
    expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
  });

  it("a session needs no row written for a second request soon after the first", async () => {
    const { cookie } = await signIn(ROOT);
    const before = await env.DB.prepare("SELECT last_seen_at FROM sessions").first();
    expect((await patch("/agents/nobody", {}, withCookie(cookie))).status).toBe(400);
    expect(await env.DB.prepare("SELECT last_seen_at FROM sessions").first()).toEqual(before);
  });
});
