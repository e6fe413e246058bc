import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import worker from "../../src/index.ts";
import { getDatabase } from "../../src/platform/d1/client.ts";
import { saveLastSeen } from "../../src/sessions/sessions.store.ts";
import { HOUR_MS } from "../../src/kernel/units.ts";
import { answerOf, del, get, ORIGIN, patch, post, ROOT, type Answer } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { expectError, expectProblems } from "../support/expect-errors.ts";
import { create, stopClock } from "../support/tasks.ts";

const CONSOLE = {
  "Sec-Fetch-Site": "same-origin",
  "Content-Type": "application/json",
  "X-Bosun-Console": "1",
};

beforeEach(async () => {
  vi.useRealTimers();
  await env.DB.exec("DELETE FROM sessions");
});

let signIns = 0;

/** Signs in from an address of its own, because attempts per address are limited. */
async function signIn(
  apiKey: string,
  headers: Record<string, string> = {},
): Promise<{ answer: Answer; cookie: string; id: string }> {
  signIns += 1;
  const from = { "CF-Connecting-IP": `192.0.2.${signIns}` };
  const options = { key: null, headers: { ...from, ...headers } };
  const answer = await post("/agents/sessions", { apiKey }, options);
  const [cookie = ""] = (answer.headers.get("Set-Cookie") ?? "").split(";");
  return { answer, cookie, id: answer.body.data?.session.sessionId };
}

async function countSessions(): Promise<unknown> {
  return env.DB.prepare("SELECT count(*) AS count FROM sessions").first("count");
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

  it("a key sees and ends its own sessions and those of the keys that it created", async () => {
    const parent = await keyWith(["tasks:read", "keys:manage"]);
    const made = await post(
      "/agents/keys",
      { name: "child", scopes: ["tasks:read"] },
      { key: parent },
    );
    const child: string = made.body.data.key;
    const other = await keyWith(["tasks:read", "keys:manage"]);
    const [ofParent, ofChild, ofOther] = [
      await signIn(parent),
      await signIn(child),
      await signIn(other),
    ];
    const seenBy = async (key: string) =>
      (await get("/agents/sessions", { key })).body.data.sessions
        .map(({ sessionId }: { sessionId: string }) => sessionId)
        .toSorted();
    expect(await seenBy(child)).toEqual([ofChild.id]);
    expect(await seenBy(parent)).toEqual([ofParent.id, ofChild.id].toSorted());
    expect(await seenBy(ROOT)).toEqual([ofParent.id, ofChild.id, ofOther.id].toSorted());

    const foreign = await del(`/agents/sessions/${ofParent.id}`, { key: child });
    expectError(foreign, 404, "SESSION_NOT_FOUND");
    const missing = await del(`/agents/sessions/${"0".repeat(64)}`, { key: child });
    expect(foreign.body.error.message.replace(ofParent.id, "")).toBe(
      missing.body.error.message.replace("0".repeat(64), ""),
    );
    expect((await del(`/agents/sessions/${ofChild.id}`, { key: parent })).status).toBe(200);
    expectError(
      await get("/agents/tasks", withCookie(ofChild.cookie)),
      401,
      "AUTHENTICATION_FAILED",
    );
    expect((await get("/agents/tasks", withCookie(ofParent.cookie))).status).toBe(200);
  });

  it("signing out with keys=all also ends the sessions of keys that the key created", async () => {
    const parent = await keyWith(["tasks:read", "keys:manage"]);
    const body = { name: "child", scopes: ["tasks:read"] };
    const child: string = (await post("/agents/keys", body, { key: parent })).body.data.key;
    for (const key of [parent, child, ROOT]) await signIn(key);
    expect((await del("/agents/sessions?keys=own", { key: parent })).body.data.ended).toBe(1);
    expect((await del("/agents/sessions?keys=all", { key: parent })).body.data.ended).toBe(1);
    await signIn(child);
    expect((await del("/agents/sessions")).body.data.ended).toBe(1);
    expect((await del("/agents/sessions?keys=all")).body.data.ended).toBe(1);
    expectProblems(await del("/agents/sessions?keys=every"), { keys: "must be one of own, all" });
  });

  it("a session of the root key ends if the root key is replaced", async () => {
    const { cookie } = await signIn(ROOT);
    const bindings = { ...env, ROOT_API_KEY: `bsn_root_${"1".repeat(64)}` };
    const ask = async (headers: Record<string, string>) => {
      const request = new Request(`${ORIGIN}/agents/sessions`, { headers });
      return answerOf(await worker.fetch(request, bindings, createExecutionContext()));
    };
    expectError(await ask({ ...CONSOLE, Cookie: cookie }), 401, "AUTHENTICATION_FAILED");
    const listed = await ask({ Authorization: `Bearer ${bindings.ROOT_API_KEY}` });
    expect(listed.body.data.sessions).toEqual([]);
  });

  it("MCP and A2A do not accept the cookie", async () => {
    const { cookie } = await signIn(ROOT);
    const body = { jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} };
    for (const path of ["/mcp", "/a2a"]) {
      const answer = await post(path, body, { ...withCookie(cookie), documented: false });
      expect(answer.status).toBe(401);
    }
  });
});

describe("the end of a session in another isolate", () => {
  /** Ends the session as another isolate would, so this isolate's cache is outdated. */
  const endElsewhere = (id: string) =>
    env.DB.prepare("DELETE FROM sessions WHERE id = ?").bind(id).run();

  it("a session that ended in another isolate is rejected within ten seconds", async () => {
    stopClock();
    const { cookie, id } = await signIn(ROOT);
    expect((await get("/agents/tasks", withCookie(cookie))).status).toBe(200);
    await endElsewhere(id);
    vi.advanceTimersByTime(10_000);
    expectError(await get("/agents/tasks", withCookie(cookie)), 401, "AUTHENTICATION_FAILED");
  });

  it.each([
    ["the person signs out", async ({ id }: { id: string }) => del(`/agents/sessions/${id}`)],
    ["another isolate ends the session", async ({ id }: { id: string }) => endElsewhere(id)],
    ["the session expires", async () => vi.advanceTimersByTime(12 * HOUR_MS)],
  ])("an open stream of the root key ends within ten seconds after %s", async (_, end) => {
    stopClock();
    const session = await signIn(ROOT);
    const headers = { ...CONSOLE, Cookie: session.cookie, Accept: "text/event-stream" };
    const taskId = await create({ agentId: "researcher" });
    const request = new Request(`${ORIGIN}/agents/tasks/${taskId}/events`, { headers });
    const response = await worker.fetch(request, env, createExecutionContext());
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    onTestFinished(() => reader?.cancel().catch(() => {}));
    expect((await reader?.read())?.done).toBe(false);
    await end(session);
    vi.advanceTimersByTime(1_000);
    const ended = async (): Promise<string> => {
      while ((await reader?.read())?.done === false);
      return "ended";
    };
    expect(await Promise.race([ended(), scheduler.wait(10_000).then(() => "open")])).toBe("ended");
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
      expect(await countSessions()).toBe(0);
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

  it("a person who signs in again in the same browser has only the new session", async () => {
    const first = await signIn(ROOT);
    const second = await signIn(ROOT, { ...CONSOLE, Cookie: first.cookie });
    expect(second.cookie).not.toBe(first.cookie);
    expectError(await get("/agents/tasks", withCookie(first.cookie)), 401, "AUTHENTICATION_FAILED");
    expect((await get("/agents/tasks", withCookie(second.cookie))).status).toBe(200);
    expect(await countSessions()).toBe(1);
  });

  it("a sign-in deletes expired sessions of all keys, and keeps a hundred of its own key", async () => {
    const now = Date.now();
    const add = async (name: string, keyHash: string, lastSeenAt: number) =>
      env.DB.prepare("INSERT INTO sessions VALUES (?, ?, 'x', ?, ?, '')")
        .bind(name, keyHash, lastSeenAt, lastSeenAt)
        .run();
    await add("expired", "another", now - 12 * HOUR_MS);
    await add("valid", "another", now - 12 * HOUR_MS + 60_000);
    for (let place = 0; place < 100; place += 1)
      await add(`${place}`, "root", now - 60_000 + place);
    await signIn(ROOT);
    const { results } = await env.DB.prepare("SELECT id FROM sessions").all<{ id: string }>();
    const ids = new Set(results.map(({ id }) => id));
    expect(ids.size).toBe(101);
    expect(["expired", "0"].filter((id) => ids.has(id))).toEqual([]);
    expect(["valid", "1", "99"].filter((id) => !ids.has(id))).toEqual([]);
  });

  it("requests record the session at most once in ten minutes, in all isolates together", async () => {
    stopClock();
    const { cookie } = await signIn(ROOT);
    const lastSeen = () =>
      env.DB.prepare("SELECT last_seen_at FROM sessions").first("last_seen_at");
    const start = Number(await lastSeen());
    vi.advanceTimersByTime(10 * 60_000 - 1);
    await requestAndWait(cookie);
    expect(await lastSeen()).toBe(start);
    vi.advanceTimersByTime(1);
    await requestAndWait(cookie);
    expect(await lastSeen()).toBe(start + 10 * 60_000);
    const db = getDatabase(env.DB);
    const { id = "" } =
      (await env.DB.prepare("SELECT id FROM sessions").first<{ id: string }>()) ?? {};
    await saveLastSeen(db, id, start + 15 * 60_000);
    expect(await lastSeen()).toBe(start + 10 * 60_000);
  });

  it("requests of a session record the use of its key together with that of the session", async () => {
    stopClock();
    const key = await keyWith(["tasks:read"]);
    const { cookie } = await signIn(key);
    const lastUsed = () =>
      env.DB.prepare("SELECT last_used_at FROM keys WHERE id = ?")
        .bind(keyId(key))
        .first("last_used_at");
    const start = Date.now();
    vi.advanceTimersByTime(10 * 60_000 - 1);
    await requestAndWait(cookie);
    expect(await lastUsed()).not.toBe(Date.now());
    vi.advanceTimersByTime(1);
    await requestAndWait(cookie);
    expect(await lastUsed()).toBe(start + 10 * 60_000);
  });

  /** Sends a request and waits for the work that continues after the response. */
  async function requestAndWait(cookie: string): Promise<void> {
    const context = createExecutionContext();
    const headers = { ...CONSOLE, Cookie: cookie };
    const response = await worker.fetch(
      new Request(`${ORIGIN}/agents/tasks`, { headers }),
      env,
      context,
    );
    expect(response.status).toBe(200);
    await waitOnExecutionContext(context);
  }

  it("a session needs no row written for a second request soon after the first", async () => {
    const { cookie } = await signIn(ROOT);
    const before = await env.DB.prepare("SELECT last_seen_at FROM sessions").first();
    expect((await patch("/agents/nobody", {}, withCookie(cookie))).status).toBe(400);
    expect(await env.DB.prepare("SELECT last_seen_at FROM sessions").first()).toEqual(before);
  });
});
