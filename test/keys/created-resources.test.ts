import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import worker from "../../src/index.ts";
import { get, ORIGIN, patch, post } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { expectProblems, expectError } from "../support/expect-errors.ts";
import { passTime, stopClock } from "../support/tasks.ts";
import { agentOf, childOf, MANAGER, revoke, toolOf, webhookOf } from "./fixtures.ts";

beforeAll(stopClock);

const opens = async (key: string) => (await get("/agents/keys?limit=1", { key })).status === 200;

describe("the creator of a resource", () => {
  it("keys, webhooks, agents and tools show the key that created them", async () => {
    const key = await keyWith(MANAGER);
    const by = keyId(key);
    const shown = [await childOf(key), await webhookOf(key), await agentOf(key), await toolOf(key)];
    expect(shown.map(({ createdBy }) => createdBy)).toEqual([by, by, by, by]);
    const [, webhook, agent, tool] = shown;
    for (const path of [`webhooks/${webhook.id}`, `${agent.id}`, `tools/${tool.id}`]) {
      expect((await get(`/agents/${path}`, { key })).body.data.createdBy).toBe(by);
    }
  });

  it("a key without tools:manage does not see who registered a tool", async () => {
    const tool = await toolOf(await keyWith(MANAGER));
    const reader = await keyWith(["tools:read"]);
    const { data } = (await get(`/agents/tools/${tool.id}`, { key: reader })).body;
    expect(data.id).toBe(tool.id);
    expect(data).not.toHaveProperty("createdBy");
  });
});

describe("a key that expires", () => {
  const expiring = (ms: number) =>
    keyWith(MANAGER, { expiresAt: new Date(Date.now() + ms).toISOString() });

  it("by default, keys created by a key that expires expire at the same time", async () => {
    const parent = await expiring(60_000);
    const end = new Date(Date.now() + 60_000).toISOString();
    const child = await childOf(parent);
    expect(child.expiresAt).toBe(end);
    passTime(60_000);
    expect(await opens(child.key)).toBe(false);
  });

  it("a key that expires can create keys that expire sooner, but none that expire later", async () => {
    const parent = await expiring(60_000);
    const [end, sooner, later] = [60_000, 59_999, 60_001].map((ms) =>
      new Date(Date.now() + ms).toISOString(),
    );
    for (const expiresAt of [sooner, end]) {
      expect((await childOf(parent, { expiresAt: expiresAt ?? "" })).expiresAt).toBe(expiresAt);
    }
    const body = { name: "late", scopes: ["keys:manage"], expiresAt: later ?? "" };
    expectProblems(await post("/agents/keys", body, { key: parent }), {
      expiresAt: `must not be later than ${end}`,
    });
  });
});

describe("keys with more scopes", () => {
  it("a key with only keys:manage cannot revoke a key with more scopes", async () => {
    const [manager, other] = [await keyWith(["keys:manage"]), await keyWith(MANAGER)];
    const refused = await revoke(other, "", manager);
    expectError(refused, 403, "INSUFFICIENT_SCOPE");
    expect(refused.body.error.message).toContain("webhooks:manage");
    expect(await opens(other)).toBe(true);
  });
});

describe("the keys below a key", () => {
  it("a key revokes keys that it created directly or indirectly, and no other key", async () => {
    const parent = await keyWith(MANAGER);
    const key: string = (await childOf(parent, { scopes: [...MANAGER] })).key;
    const sibling: string = (await childOf(parent)).key;
    const child: string = (await childOf(key)).key;
    const grandchild: string = (await childOf(child)).key;
    const earlier = await keyWith(MANAGER);
    await env.DB.prepare("UPDATE keys SET created_by = NULL WHERE id = ?")
      .bind(keyId(earlier))
      .run();
    for (const target of [parent, sibling, earlier]) {
      expectError(await revoke(target, "", key), 403, "KEY_MISMATCH");
      expectError(await revoke(target, "?cascade=true", key), 403, "KEY_MISMATCH");
      expect(await opens(target)).toBe(true);
    }
    // A revoked key in between does not break the chain.
    expect((await revoke(child, "", key)).status).toBe(200);
    expect((await revoke(grandchild, "", key)).status).toBe(200);
    expect((await revoke(earlier)).status).toBe(200);
  });

  it("a key that revokes itself with cascade revokes the keys below it, and not its parent", async () => {
    const parent = await keyWith(MANAGER);
    const key: string = (await childOf(parent)).key;
    const child: string = (await childOf(key)).key;
    expect((await revoke(key, "?cascade=true", key)).status).toBe(200);
    expect([await opens(parent), await opens(key), await opens(child)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("revoking a key", () => {
  /** Creates a key with one resource of each kind, and a grandchild key with a webhook. */
  async function family() {
    const key = await keyWith(MANAGER);
    const child = await childOf(key, { scopes: [...MANAGER] });
    // Lists are sorted by creation time, so the times must differ.
    passTime(1);
    const grandchild = await childOf(child.key, { scopes: [...MANAGER] });
    const webhook = await webhookOf(key);
    passTime(1);
    const below = await webhookOf(grandchild.key);
    return {
      key,
      child,
      grandchild,
      webhook,
      below,
      agent: await agentOf(key),
      tool: await toolOf(key),
    };
  }

  it("a revocation lists the resources that the key created, and disables only its webhooks", async () => {
    const { key, child, grandchild, webhook, below, agent, tool } = await family();
    const { data } = (await revoke(key)).body;
    const by = keyId(key);
    expect(data.created).toEqual({
      keys: [
        { id: child.id, name: "child", createdBy: by, revoked: false },
        { id: grandchild.id, name: "child", createdBy: child.id, revoked: false },
      ],
      webhooks: [
        { id: webhook.id, description: "", createdBy: by, enabled: false },
        { id: below.id, description: "", createdBy: grandchild.id, enabled: true },
      ],
      agents: [{ id: agent.id, name: agent.id, createdBy: by, enabled: true }],
      tools: [{ id: tool.id, name: "Made", createdBy: by }],
      more: false,
    });
    expect([await opens(key), await opens(child.key), await opens(grandchild.key)]).toEqual([
      false,
      true,
      true,
    ]);
    expect((await get(`/agents/${agent.id}`)).body.data.enabled).toBe(true);
  });

  it("revoking a key with cascade revokes all keys below it and disables the agents that it created", async () => {
    const { key, child, grandchild, below, agent, tool } = await family();
    const { data } = (await revoke(key, "?cascade=true")).body;
    expect(data.created.keys.map((one: JsonObject) => [one["id"], one["revoked"]])).toEqual([
      [child.id, true],
      [grandchild.id, true],
    ]);
    expect([await opens(child.key), await opens(grandchild.key)]).toEqual([false, false]);
    expect((await get(`/agents/webhooks/${below.id}`)).body.data.enabled).toBe(false);
    expect((await get(`/agents/${agent.id}`)).body.data.enabled).toBe(false);
    expect((await get(`/agents/tools/${tool.id}`)).status).toBe(200);
  });

  it("a revocation with cascade does not affect resources of other keys", async () => {
    const { key } = await family();
    const other = await family();
    await revoke(key, "?cascade=true");
    expect(await opens(other.child.key)).toBe(true);
    expect((await get(`/agents/webhooks/${other.webhook.id}`)).body.data.enabled).toBe(true);
    expect((await get(`/agents/${other.agent.id}`)).body.data.enabled).toBe(true);
  });

  it("a revocation can be repeated with cascade, and includes keys below an already revoked key", async () => {
    const { key, child, grandchild } = await family();
    await revoke(child.key);
    await revoke(key);
    expectError(await revoke(key), 404, "KEY_NOT_FOUND");
    const again = await revoke(key, "?cascade=true");
    expect(again.body.data.created.keys).toEqual([
      { id: grandchild.id, name: "child", createdBy: child.id, revoked: true },
    ]);
    expect(await opens(grandchild.key)).toBe(false);
  });

  it.each(["yes", "1", "TRUE"])("a revocation with cascade=%s is rejected", async (value) => {
    const key = await keyWith(["tools:read"]);
    const refused = await revoke(key, `?cascade=${value}`);
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, "cascade"]);
  });

  it("a revoked key that an isolate still caches cannot create a key", async () => {
    const key = await keyWith(["keys:manage"]);
    expect(await opens(key)).toBe(true);
    await env.DB.prepare("UPDATE keys SET revoked_at = ? WHERE id = ?")
      .bind(Date.now(), keyId(key))
      .run();
    expect(await opens(key)).toBe(true);
    const refused = await post("/agents/keys", { name: "x", scopes: ["keys:manage"] }, { key });
    expectError(refused, 401, "AUTHENTICATION_FAILED");
    expect(await opens(key)).toBe(false);
  });
});

describe("a webhook of a key that has ended", () => {
  it("a webhook is disabled with the reason as soon as its key is revoked", async () => {
    const key = await keyWith(MANAGER);
    const { id } = await webhookOf(key);
    const at = new Date().toISOString();
    await revoke(key);
    const { data } = (await get(`/agents/webhooks/${id}`)).body;
    const reason = `The key ${keyId(key)}, which owns the webhook, was revoked at ${at}.`;
    expect(data).toMatchObject({ enabled: false, disabled: { reason, at } });
    const { webhooks } = (await get("/agents/webhooks?limit=100")).body.data;
    expect(webhooks.find((one: JsonObject) => one["id"] === id).enabled).toBe(false);
  });

  it("a webhook is disabled with the reason as soon as its key expires", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const key = await keyWith(MANAGER, { expiresAt });
    const { id } = await webhookOf(key);
    passTime(59_999);
    expect((await get(`/agents/webhooks/${id}`)).body.data.enabled).toBe(true);
    passTime(1);
    const reason = `The key ${keyId(key)}, which owns the webhook, expired at ${expiresAt}.`;
    expect((await get(`/agents/webhooks/${id}`)).body.data.disabled).toEqual({
      reason,
      at: expiresAt,
    });
  });

  it("a webhook whose key has ended belongs to the key that enables it, not to a key that changes another field", async () => {
    const [key, heir] = [await keyWith(MANAGER), await keyWith(MANAGER)];
    const { id } = await webhookOf(key);
    await revoke(key);
    const renamed = await patch(`/agents/webhooks/${id}`, { description: "x" }, { key: heir });
    expect(renamed.body.data).toMatchObject({ enabled: false, createdBy: keyId(key) });
    const enabled = await patch(`/agents/webhooks/${id}`, { enabled: true }, { key: heir });
    expect(enabled.body.data).toMatchObject({ enabled: true, createdBy: keyId(heir) });
    expect(enabled.body.data).not.toHaveProperty("disabled");
    await patch(`/agents/webhooks/${id}`, { enabled: true });
    expect((await get(`/agents/webhooks/${id}`)).body.data.createdBy).toBe(keyId(heir));
  });
});

describe("lastUsedAt of a key", () => {
  async function use(key: string): Promise<void> {
    const context = createExecutionContext();
    const headers = { Authorization: `Bearer ${key}` };
    await worker.fetch(new Request(`${ORIGIN}/agents/tools`, { headers }), env, context);
    await waitOnExecutionContext(context);
  }
  const lastUsedAt = async (key: string) => {
    const { keys } = (await get("/agents/keys?limit=100")).body.data;
    return keys.find((one: JsonObject) => one["id"] === keyId(key)).lastUsedAt;
  };

  it("lastUsedAt is absent before the first use, and is accurate to ten minutes", async () => {
    const key = await keyWith(["tools:read"]);
    expect(await lastUsedAt(key)).toBeUndefined();
    await use(key);
    const first = new Date().toISOString();
    expect(await lastUsedAt(key)).toBe(first);
    passTime(599_999);
    await use(key);
    expect(await lastUsedAt(key)).toBe(first);
    passTime(1);
    await use(key);
    expect(await lastUsedAt(key)).toBe(new Date().toISOString());
  });

  it("concurrent uses of a key write nothing when the isolate has just recorded a use", async () => {
    const key = await keyWith(["tools:read"]);
    await use(key);
    await env.DB.prepare("UPDATE keys SET last_used_at = 1 WHERE id = ?").bind(keyId(key)).run();
    // This isolate has cached the use that it recorded. A read from the database would show the
    // older value.
    await Promise.all(Array.from({ length: 10 }, () => use(key)));
    expect(await lastUsedAt(key)).toBe(new Date(1).toISOString());
  });

  it("a rejected key does not count as used", async () => {
    const key = await keyWith(["tools:read"]);
    await use(`${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`);
    expect(await lastUsedAt(key)).toBeUndefined();
  });
});
