import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { registerTeam } from "../support/catalogue.ts";
import { get, post } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { expectError } from "../support/expect-errors.ts";
import { passTime, stopClock } from "../support/tasks.ts";

beforeAll(stopClock);

describe("the expiry of a key", () => {
  it("a key works until its expiry and no longer, to the millisecond", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const key = await keyWith(["tools:read"], { expiresAt });
    passTime(59_999);
    expect((await get("/agents/tools", { key })).status).toBe(200);
    passTime(1);
    const refused = await get("/agents/tools", { key });
    expectError(refused, 401, "AUTHENTICATION_FAILED");
    expect(refused.body.error.message).toBe(`This API key expired at ${expiresAt}.`);
  });

  it("an expiry in another time zone is the same instant", async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const body = {
      name: "zoned",
      scopes: ["tools:read"],
      expiresAt: inAnHour.replace("Z", "-01:00"),
    };
    const { expiresAt } = (await post("/agents/keys", body)).body.data;
    expect(expiresAt).toBe(new Date(Date.now() + 7_200_000).toISOString());
  });

  it("a key without an expiry still works after ten years", async () => {
    const key = await keyWith(["tools:read"]);
    passTime(10 * 365 * 86_400_000);
    expect((await get("/agents/tools", { key })).status).toBe(200);
  });
});

/** Changes the database as another isolate would. The caches of this isolate do not change. */
const inOtherIsolate = (sql: string, ...values: (string | number)[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

describe("the key cache of an isolate", () => {
  it("a key that another isolate revoked is rejected at most 10 s after its last lookup", async () => {
    const key = await keyWith(["tools:read"]);
    expect((await get("/agents/tools", { key })).status).toBe(200);
    await inOtherIsolate("UPDATE keys SET revoked_at = ? WHERE id = ?", Date.now(), keyId(key));
    passTime(9_999);
    // The key is still cached. Using it does not extend the cache entry.
    expect((await get("/agents/tools", { key })).status).toBe(200);
    passTime(1);
    expectError(await get("/agents/tools", { key }), 401, "AUTHENTICATION_FAILED");
  });

  it("a change to a team's members in another isolate takes effect for a team's key within 10 s", async () => {
    await registerTeam("crew", "storyteller");
    const key = await keyWith(["tools:read"], { teamId: "crew" });
    const access = (agentId: string) => get(`/agents/tools/access/${agentId}`, { key });
    expect([(await access("storyteller")).status, (await access("researcher")).status]).toEqual([
      200, 404,
    ]);
    await inOtherIsolate("UPDATE members SET agent_id = 'researcher' WHERE team_id = 'crew'");
    passTime(10_000);
    expect([(await access("storyteller")).status, (await access("researcher")).status]).toEqual([
      404, 200,
    ]);
  });

  it("a cached key is not looked up again", async () => {
    const key = await keyWith(["tools:read"]);
    expect((await get("/agents/tools", { key })).status).toBe(200);
    await inOtherIsolate("ALTER TABLE keys RENAME TO keys_away");
    try {
      expect((await get("/agents/tools", { key })).status).toBe(200);
    } finally {
      await inOtherIsolate("ALTER TABLE keys_away RENAME TO keys");
    }
  });
});
