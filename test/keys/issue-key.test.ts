import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { resolveKeyLimits } from "../../src/keys/model/key-limits.ts";
import { isUnboundScope, SCOPES } from "../../src/keys/model/key.ts";
import { get, post } from "../support/client.ts";
import { keyWith } from "../support/keys.ts";
import { expectProblems, expectError } from "../support/expect-errors.ts";
import { stopClock } from "../support/tasks.ts";

const issue = (body: JsonObject, key?: string) =>
  post(
    "/agents/keys",
    { name: "ci", scopes: ["tools:read"], ...body },
    key === undefined ? {} : { key },
  );

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The limits of a key that sets none of its own. */
const LIMITS = resolveKeyLimits(null);

describe("issuing a key", () => {
  beforeAll(stopClock);

  it("issuing a key returns 201 with the key, which contains its id, and with its scopes and limits", async () => {
    const { status, body } = await issue({ scopes: ["tools:read", "tasks:write"] });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      key: expect.stringMatching(/^bsn_[0-9a-f]{16}_[0-9a-f]{64}$/),
      name: "ci",
      scopes: ["tools:read", "tasks:write"],
      limits: LIMITS,
      createdAt: new Date().toISOString(),
      createdBy: "root",
    });
    expect(body.data.key.split("_")[1]).toBe(body.data.id);
  });

  it("every issued key is different", async () => {
    const keys = [await keyWith(["tools:read"]), await keyWith(["tools:read"])];
    expect(new Set(keys).size).toBe(2);
  });

  it("a new key shows its agent or team and its expiry", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    expect((await issue({ agentId: "researcher", expiresAt })).body.data).toMatchObject({
      agentId: "researcher",
      expiresAt,
    });
    expect((await issue({ teamId: "studio" })).body.data.teamId).toBe("studio");
  });

  it("only the SHA-256 hash of a key is stored", async () => {
    const { id, key } = (await issue({ name: "hashed" })).body.data;
    const row = await env.DB.prepare("SELECT * FROM keys WHERE id = ?").bind(id).first();
    expect(row?.["hash"]).toBe(await sha256(key));
    expect(JSON.stringify(row)).not.toContain(key.split("_")[2]);
  });

  it("a scope named twice counts once", async () => {
    const { data } = (await issue({ scopes: ["tools:read", "tools:read"] })).body;
    expect(data.scopes).toEqual(["tools:read"]);
  });

  it.each([
    ["no name", { name: "" }, "name", "must not be empty"],
    ["an unknown scope", { scopes: ["admin"] }, "scopes[0]", 'got "admin"'],
    ["no scope", { scopes: [] }, "scopes", "must have at least 1 item"],
    [
      "an agent and a team",
      { agentId: "researcher", teamId: "studio" },
      "teamId",
      "a key cannot be bound to both",
    ],
    [
      "an expiry that has passed",
      { expiresAt: "2020-01-01T00:00:00Z" },
      "expiresAt",
      "in the future",
    ],
    [
      "an expiry without a zone",
      { expiresAt: "2999-01-01T00:00:00" },
      "expiresAt",
      "with a time zone",
    ],
    ["an expiry that is not a date", { expiresAt: "soon" }, "expiresAt", 'got "soon"'],
    ["an unknown field", { admin: true }, "admin", "is not a known field"],
  ])("issuing a key rejects %s", async (_, body, path, message) => {
    expectProblems(await issue(body), { [path]: message });
  });

  it("issuing a key rejects missing fields", async () => {
    expectProblems(await post("/agents/keys", {}), {
      name: "is required: a string",
      scopes: "is required: an array",
    });
  });

  it("issuing a key for an unknown agent or team returns 404", async () => {
    expectError(await issue({ agentId: "stranger" }), 404, "AGENT_NOT_FOUND");
    expectError(await issue({ teamId: "pirates" }), 404, "TEAM_NOT_FOUND");
  });

  it.each(SCOPES.filter(isUnboundScope))(
    "a key bound to an agent or a team cannot have the scope %s",
    async (scope) => {
      for (const binding of [{ agentId: "researcher" }, { teamId: "studio" }]) {
        const answer = await issue({ scopes: ["tools:read", scope], ...binding });
        expectProblems(answer, {
          scopes: "must not contain approvals:decide, audit:read or a scope that ends in :manage",
        });
      }
      expect((await issue({ scopes: [scope] })).status).toBe(201);
    },
  );

  it("a key cannot create a key with scopes that it lacks itself", async () => {
    const key = await keyWith(["keys:manage", "tools:read"]);
    const refused = await issue({ scopes: ["tools:read", "tasks:read", "tools:manage"] }, key);
    expectError(refused, 403, "INSUFFICIENT_SCOPE");
    expect(refused.body.error.message).toContain("tasks:read, tools:manage");
    expect((await issue({ scopes: ["keys:manage", "tools:read"] }, key)).status).toBe(201);
  });

  it("a rejected request creates no key", async () => {
    const count = async () => (await get("/agents/keys?limit=100")).body.data.keys.length;
    const before = await count();
    await issue({ agentId: "stranger" });
    await issue({ scopes: ["admin"] });
    await issue({ scopes: ["tasks:read"] }, await keyWith(["keys:manage"]));
    expect(await count()).toBe(before + 1);
  });
});
