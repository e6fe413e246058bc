import { evictAllDurableObjects, listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { del, get, patch, post, send } from "../../support/client.ts";
import { keyId, keyWith } from "../../support/keys.ts";
import { registerTools } from "../../support/catalogue.ts";
import { expectProblems, expectError } from "../../support/expect-errors.ts";
import { create, passTime, stopClock } from "../../support/tasks.ts";
import { jsonWorkbench } from "../../../src/builtin/tools/json-workbench/definition.ts";
import {
  DAY_MS,
  expectReplay,
  expire,
  isReplay,
  keyed,
  keysNamed,
  loseAnswer,
  objectOf,
  stored,
} from "./fixtures.ts";

beforeAll(stopClock);

const keyBody = (name: string) => ({ name, scopes: ["tools:read"] });
const QUERY = { capability: "query", parameters: { document: "[5]", path: "$[0]" } };
const INVOKE = "/agents/tools/json-workbench/invoke";

describe("the retention of a key", () => {
  it("a key replays its response for a day, and then the request counts as new", async () => {
    const first = await keyed("day", "/agents/keys", keyBody("day"));
    passTime(DAY_MS - 1);
    expectReplay(await keyed("day", "/agents/keys", keyBody("day")), first);
    passTime(1);
    const second = await keyed("day", "/agents/keys", keyBody("day"));
    expect([second.status, isReplay(second)]).toEqual([201, false]);
    expect(second.body.data.id).not.toBe(first.body.data.id);
    expect(await keysNamed("day")).toBe(2);
    expectReplay(await keyed("day", "/agents/keys", keyBody("day")), second);
  });

  it("the object of an expired key stores nothing", async () => {
    await keyed("swept", "/agents/keys", keyBody("swept"));
    expect(await stored("swept")).toHaveLength(2);
    passTime(DAY_MS);
    expect(await expire("swept")).toBe(true);
    expect(await stored("swept")).toEqual([]);
    expect(await expire("swept")).toBe(false);
  });

  it("a late alarm does not delete a newer reservation of the key", async () => {
    await keyed("late", "/agents/keys", keyBody("late"));
    passTime(DAY_MS + 1_000);
    const second = await keyed("late", "/agents/keys", keyBody("late"));
    await expire("late");
    expectReplay(await keyed("late", "/agents/keys", keyBody("late")), second);
    passTime(DAY_MS);
    expect(await expire("late")).toBe(true);
    expect(await stored("late")).toEqual([]);
  });
});

describe("rejected requests", () => {
  it("errors that only a different request can avoid are replayed, even after changes", async () => {
    const id = await create();
    const path = `/agents/tasks/${id}/respond`;
    const first = await keyed("refused", path, { response: "1702" });
    expectError(first, 409, "INVALID_STATE");
    await post(`/agents/tasks/${id}/cancel`);
    await evictAllDurableObjects();
    const again = await keyed("refused", path, { response: "1702" });
    expectReplay(again, first);
    expect(again.body.error.context.status).toBe("pending");
  });

  it("an error that a later attempt can avoid releases the key", async () => {
    await registerTools({ ...jsonWorkbench, rateLimit: { requests: 1, period: "hour" } });
    await post(INVOKE, QUERY);
    expectError(await keyed("limited", INVOKE, QUERY), 429, "RATE_LIMIT_EXCEEDED");
    expect(await stored("limited")).toEqual([]);
    passTime(3_600_000);
    const later = await keyed("limited", INVOKE, QUERY);
    expect([later.status, isReplay(later)]).toEqual([200, false]);
    await registerTools(jsonWorkbench);
  });

  it("validation and scope errors leave no trace, and the key accepts the corrected request", async () => {
    const lesser = await keyWith(["tools:read"]);
    const before = (await listDurableObjectIds(env.ONCE)).length;
    expectProblems(await keyed("corrected", "/agents/keys", { name: "" }), {
      name: /./,
      scopes: /./,
    });
    const unscoped = await keyed("corrected", "/agents/keys", keyBody("corrected"), {
      key: lesser,
    });
    expectError(unscoped, 403, "INSUFFICIENT_SCOPE");
    expect((await listDurableObjectIds(env.ONCE)).length).toBe(before);
    expect((await keyed("corrected", "/agents/keys", keyBody("corrected"))).status).toBe(201);
  });

  it("a first request with a timestamp in the past leaves the key unused, and a replay does not check its timestamp again", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const body = { ...keyBody("short-lived"), expiresAt };
    const first = await keyed("short-lived", "/agents/keys", body);
    passTime(60_000);
    const late = await keyed("too-late", "/agents/keys", body);
    expectProblems(late, { expiresAt: "must be in the future" });
    expect(await stored("too-late")).toEqual([]);
    expectReplay(await keyed("short-lived", "/agents/keys", body), first);
    expect(first.status).toBe(201);
    expect((await keyed("too-late", "/agents/keys", keyBody("too-late"))).status).toBe(201);
  });
});

describe("a response that is lost or unreadable", () => {
  it("a key whose Worker ended between the work and its response gets 409, and the work is not repeated", async () => {
    const body = keyBody("lost");
    await keyed("lost", "/agents/keys", body);
    await loseAnswer("lost");
    const soon = await keyed("lost", "/agents/keys", body);
    expectError(soon, 409, "IDEMPOTENCY_KEY_IN_USE");
    expect([soon.body.error.retryable, soon.headers.get("Retry-After")]).toEqual([true, "1"]);
    passTime(120_000);
    const later = await keyed("lost", "/agents/keys", body);
    expectError(later, 409, "IDEMPOTENCY_KEY_IN_USE");
    expect(later.body.error.retryable).toBe(false);
    expect(later.body.error.message).toMatch(/may or may not have been applied.*new key/);
    expect(later.headers.has("Retry-After")).toBe(false);
    expect(await keysNamed("lost")).toBe(1);
    passTime(DAY_MS);
    expect((await keyed("lost", "/agents/keys", body)).status).toBe(201);
  });

  it("a response whose sealing key has been removed is replayed only once the key is back", async () => {
    const first = await keyed("resealed", "/agents/keys", keyBody("resealed"));
    const sealing = env.CREDENTIALS_KEY;
    const other = `other:${btoa("another-key-that-is-32-bytes-lng")}`;
    Object.assign(env, { CREDENTIALS_KEY: other });
    const unreadable = await keyed("resealed", "/agents/keys", keyBody("resealed"));
    Object.assign(env, { CREDENTIALS_KEY: `${other},${sealing}` });
    expectReplay(await keyed("resealed", "/agents/keys", keyBody("resealed")), first);
    Object.assign(env, { CREDENTIALS_KEY: sealing });
    expectError(unreadable, 409, "IDEMPOTENCY_KEY_IN_USE");
    expect(unreadable.body.error.retryable).toBe(false);
  });
});

describe("the owner of a key", () => {
  it("two API keys do not share an Idempotency-Key", async () => {
    const theirKey = await keyWith(["keys:manage", "tools:read"]);
    const mine = await keyed("shared", "/agents/keys", keyBody("shared"));
    const theirs = await keyed("shared", "/agents/keys", keyBody("shared"), { key: theirKey });
    expect([theirs.status, isReplay(theirs)]).toEqual([201, false]);
    expect(theirs.body.data.id).not.toBe(mine.body.data.id);
    const other = { name: "other", scopes: ["tools:read"] };
    expectError(await keyed("shared", "/agents/keys", other), 422, "IDEMPOTENCY_KEY_REUSED");
  });

  it("a revoked API key gets no replay", async () => {
    const key = await keyWith(["keys:manage", "tools:read"]);
    const body = keyBody("revoked");
    expect((await keyed("revoked", "/agents/keys", body, { key })).status).toBe(201);
    await del(`/agents/keys/${keyId(key)}`);
    const after = await keyed("revoked", "/agents/keys", body, { key });
    expectError(after, 401, "AUTHENTICATION_FAILED");
  });

  it("a key that was used on one path is rejected on another, even with the same body", async () => {
    const [one, two] = [await create(), await create()];
    expect((await keyed("path", `/agents/tasks/${one}/cancel`, {})).status).toBe(200);
    const other = await keyed("path", `/agents/tasks/${two}/cancel`, {});
    expectError(other, 422, "IDEMPOTENCY_KEY_REUSED");
  });
});

describe("a stored response", () => {
  it("neither the response nor the request can be read from storage", async () => {
    const first = await keyed("at-rest", "/agents/keys", keyBody("a-telling-name"));
    const rows = JSON.stringify(await stored("at-rest"));
    const { key, id } = first.body.data;
    for (const secret of [key, key.split("_")[2], id, "a-telling-name", "/agents/keys"]) {
      expect(rows).not.toContain(secret);
      expect(rows).not.toContain(btoa(secret).replace(/=+$/, ""));
    }
  });

  it("a stored response opens only for the request that it belongs to", async () => {
    await keyed("swapped-from", "/agents/keys", keyBody("swapped-from"));
    await keyed("swapped-to", "/agents/keys", keyBody("swapped-to"));
    const sealed = new Map(await stored("swapped-from")).get("answer:0");
    await runInDurableObject(objectOf("swapped-to"), (_, { storage }) => {
      storage.kv.put("answer:0", sealed);
    });
    const swapped = await keyed("swapped-to", "/agents/keys", keyBody("swapped-to"));
    expectError(swapped, 409, "IDEMPOTENCY_KEY_IN_USE");
  });
});

describe("the header", () => {
  it.each([
    ["empty", "", '""'],
    ["of 256 characters", "k".repeat(256), "kkk"],
    ["with a space", "a b", '"a b"'],
    ["beyond ASCII", "é", "got"],
  ])(
    "an Idempotency-Key (%s) is rejected, and the request is not executed",
    async (_, idempotencyKey, got) => {
      const answer = await keyed(idempotencyKey, "/agents/keys", keyBody("bad-header"));
      expectProblems(answer, { "Idempotency-Key": got });
      expect(await keysNamed("bad-header")).toBe(0);
    },
  );

  it("methods other than POST ignore the Idempotency-Key header", async () => {
    const id = await create();
    const headers = { "Idempotency-Key": "a b" };
    const before = (await listDurableObjectIds(env.ONCE)).length;
    const notes = { notes: "seen" };
    expect((await get(`/agents/tasks/${id}`, { headers })).status).toBe(200);
    expect((await patch(`/agents/tasks/${id}`, notes, { headers })).status).toBe(200);
    expect((await patch(`/agents/tasks/${id}`, notes, { headers })).status).toBe(200);
    const team = { name: "Once", agents: [] };
    expect((await send("PUT", "/agents/teams/once", team, { headers })).status).toBe(201);
    expect((await del("/agents/teams/once", { headers })).status).toBe(200);
    expect((await listDurableObjectIds(env.ONCE)).length).toBe(before);
  });

  it("a POST without an Idempotency-Key creates no object", async () => {
    const before = (await listDurableObjectIds(env.ONCE)).length;
    expect((await post("/agents/keys", keyBody("plain"))).status).toBe(201);
    expect((await post(INVOKE, QUERY)).status).toBe(200);
    expect((await listDurableObjectIds(env.ONCE)).length).toBe(before);
  });
});

describe("a replay of an invocation", () => {
  it("a replay of an invocation has no rate limit headers", async () => {
    const first = await keyed("invoked", INVOKE, QUERY);
    expect(first.headers.has("RateLimit")).toBe(true);
    passTime(1_000);
    const again = await keyed("invoked", INVOKE, QUERY);
    expectReplay(again, first);
    expect(again.headers.has("RateLimit")).toBe(false);
  });
});
