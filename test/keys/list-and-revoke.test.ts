import { beforeAll, describe, expect, it } from "vitest";
import { resolveKeyLimits } from "../../src/keys/model/key-limits.ts";
import { del, get, post } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { expectError } from "../support/expect-errors.ts";
import { passTime, stopClock } from "../support/tasks.ts";

beforeAll(stopClock);

describe("listing keys", () => {
  it("keys are listed newest first, without their secrets", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const older = await keyWith(["tools:read"], { agentId: "researcher", expiresAt });
    const createdAt = new Date().toISOString();
    passTime(1_000);
    const newer = await keyWith(["tasks:read"], { teamId: "studio" });
    const { data } = (await get("/agents/keys?limit=2")).body;
    expect(data).toEqual({
      keys: [
        {
          id: keyId(newer),
          name: "test",
          scopes: ["tasks:read"],
          teamId: "studio",
          limits: resolveKeyLimits(null),
          createdAt: new Date().toISOString(),
          createdBy: "root",
        },
        {
          id: keyId(older),
          name: "test",
          scopes: ["tools:read"],
          agentId: "researcher",
          limits: resolveKeyLimits(null),
          createdAt,
          createdBy: "root",
          expiresAt,
        },
      ],
    });
  });

  it("the list of keys can be read page by page", async () => {
    for (let count = 0; count < 3; count += 1) await keyWith(["tools:read"]);
    const page = async (query: string) =>
      (await get(`/agents/keys?${query}`)).body.data.keys.map(({ id }: { id: string }) => id);
    const all = await page("limit=100");
    expect([...(await page("limit=2")), ...(await page("limit=2&offset=2"))]).toEqual(
      all.slice(0, 4),
    );
  });

  it("the root key is not listed", async () => {
    const { data } = (await get("/agents/keys?limit=100")).body;
    expect(data.keys.length).toBeGreaterThan(0);
    for (const { id, name } of data.keys) expect([id, name]).not.toContain("root");
  });
});

describe("revoking a key", () => {
  it("revoking returns 200 with id and revoked, and the key is then rejected and no longer listed", async () => {
    const key = await keyWith(["tools:read"]);
    expect((await get("/agents/tools", { key })).status).toBe(200);
    const { status, body } = await del(`/agents/keys/${keyId(key)}`);
    expect([status, body.data]).toEqual([
      200,
      {
        id: keyId(key),
        revoked: true,
        created: { keys: [], webhooks: [], agents: [], tools: [], more: false },
      },
    ]);
    const refused = await get("/agents/tools", { key });
    expectError(refused, 401, "AUTHENTICATION_FAILED");
    expect(refused.body.error.message).toContain("revoked");
    expect((await get("/agents/keys?limit=100")).text).not.toContain(keyId(key));
  });

  it("revoking a key does not affect another key", async () => {
    const [gone, kept] = [await keyWith(["tools:read"]), await keyWith(["tools:read"])];
    await del(`/agents/keys/${keyId(gone)}`);
    expect((await get("/agents/tools", { key: kept })).status).toBe(200);
  });

  it("revoking an unknown or already revoked key returns 404", async () => {
    const key = await keyWith(["tools:read"]);
    await del(`/agents/keys/${keyId(key)}`);
    for (const id of [keyId(key), "0123456789abcdef", "root", "x"]) {
      const answer = await del(`/agents/keys/${id}`);
      expectError(answer, 404, "KEY_NOT_FOUND");
      expect(answer.body.error.message).toContain(`"${id}"`);
    }
  });

  it("revoking a key by the whole key instead of its id returns 404", async () => {
    const key = await keyWith(["tools:read"]);
    expectError(await del(`/agents/keys/${key}`), 404, "KEY_NOT_FOUND");
  });

  it("a key can revoke itself", async () => {
    const key = await keyWith(["keys:manage"]);
    expect((await del(`/agents/keys/${keyId(key)}`, { key })).status).toBe(200);
    expectError(await get("/agents/keys", { key }), 401, "AUTHENTICATION_FAILED");
  });

  it("an id without its secret, or with another key's secret, is rejected", async () => {
    const [one, other] = [await keyWith(["tools:read"]), await keyWith(["tools:read"])];
    const [, id, secret] = one.split("_");
    // Both valid keys are cached first, because the keys below must be rejected even then.
    for (const key of [one, other]) expect((await get("/agents/tools", { key })).status).toBe(200);
    for (const key of [
      `bsn_${id}_${other.split("_")[2]}`,
      `bsn_${keyId(other)}_${secret}`,
      `bsn_${id}_`,
      `bsn_${id}`,
      one.slice(0, -1),
      one.toUpperCase(),
    ]) {
      expectError(await get("/agents/tools", { key }), 401, "AUTHENTICATION_FAILED");
    }
    expect((await post("/agents/tasks", { task: "x" }, { key: one })).status).toBe(403);
  });
});
