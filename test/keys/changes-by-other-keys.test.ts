import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { WEBHOOKS_PER_KEY_MAX } from "../../src/events/limits.ts";
import { del, get, patch, post, send } from "../support/client.ts";
import { divert } from "../support/divert.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { expectError } from "../support/expect-errors.ts";
import { stopClock } from "../support/tasks.ts";
import { HOOK_URL, createResource, MANAGER, newId, revoke, toolOf, webhookOf } from "./fixtures.ts";
import { DATABASE_PROTOTYPE } from "../support/database-prototypes.ts";

beforeAll(stopClock);

describe("a webhook whose destination another key changes", () => {
  const changes: readonly (readonly [
    string,
    (id: string, key: string) => ReturnType<typeof post>,
  ])[] = [
    ["url", (id, key) => patch(`/agents/webhooks/${id}`, { url: `${HOOK_URL}/moved` }, { key })],
    ["headers", (id, key) => patch(`/agents/webhooks/${id}`, { headers: { "X-A": "b" } }, { key })],
  ];
  const ofRoot = async () => {
    const answer = await post("/agents/webhooks", { url: HOOK_URL });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.data.id as string;
  };
  const ownerOf = async (id: string) =>
    (await get(`/agents/webhooks/${id}`)).body.data.createdBy as string;

  it.each(changes)("a webhook is disabled with the key that changes its %s", async (_, change) => {
    const [key, id] = [await keyWith(MANAGER), await ofRoot()];
    const changed = await change(id, key);
    expect(changed.status, changed.text).toBe(200);
    expect(await ownerOf(id)).toBe(keyId(key));
    const { data } = (await revoke(key, "?cascade=true")).body;
    expect(data.created.webhooks).toEqual([
      { id, description: "", createdBy: keyId(key), enabled: false },
    ]);
    expect((await get(`/agents/webhooks/${id}`)).body.data.enabled).toBe(false);
    await del(`/agents/webhooks/${id}`);
  });

  it("a webhook whose headers the root key changes is disabled with the key that chose its url", async () => {
    const key = await keyWith(MANAGER);
    const { id } = await webhookOf(key);
    const changed = await patch(`/agents/webhooks/${id}`, { headers: { "X-A": "b" } });
    expect(changed.status, changed.text).toBe(200);
    expect(await ownerOf(id)).toBe(keyId(key));
    await revoke(key);
    expect((await get(`/agents/webhooks/${id}`)).body.data.enabled).toBe(false);
  });

  it("a webhook keeps its owner when other fields change or its url stays the same", async () => {
    const [key, id] = [await keyWith(MANAGER), await ofRoot()];
    const body = { url: HOOK_URL, description: "x", types: ["task.completed"], enabled: true };
    const changed = await patch(`/agents/webhooks/${id}`, body, { key });
    expect(changed.status, changed.text).toBe(200);
    expect(await ownerOf(id)).toBe("root");
    await del(`/agents/webhooks/${id}`);
  });

  it.each(changes)(
    "a key that owns the maximum number of webhooks cannot change the %s of another key's webhook",
    async (_, change) => {
      const [key, id] = [await keyWith(MANAGER), await ofRoot()];
      const own: string[] = [];
      while (own.length < WEBHOOKS_PER_KEY_MAX) own.push((await webhookOf(key)).id);
      expectError(await change(id, key), 409, "WEBHOOK_LIMIT_REACHED");
      expect((await get(`/agents/webhooks/${id}`)).body.data).toMatchObject({
        url: HOOK_URL,
        createdBy: "root",
      });
      const [first = ""] = own;
      expect((await change(first, key)).status).toBe(200);
      const renamed = await patch(`/agents/webhooks/${id}`, { description: "x" }, { key });
      expect(renamed.status, renamed.text).toBe(200);
      for (const one of [...own, id]) await del(`/agents/webhooks/${one}`);
    },
  );

  it("a key that owns the maximum number of webhooks cannot enable a webhook whose key has ended", async () => {
    const [key, heir] = [await keyWith(MANAGER), await keyWith(MANAGER)];
    const { id } = await webhookOf(key);
    await revoke(key);
    const own: string[] = [];
    while (own.length < WEBHOOKS_PER_KEY_MAX) own.push((await webhookOf(heir)).id);
    const refused = await patch(`/agents/webhooks/${id}`, { enabled: true }, { key: heir });
    expectError(refused, 409, "WEBHOOK_LIMIT_REACHED");
    for (const one of [...own, id]) await del(`/agents/webhooks/${one}`);
  });

  it.each(changes)(
    "a webhook of an ended key stays disabled if another key changes its %s",
    async (_, change) => {
      const [key, heir] = [await keyWith(MANAGER), await keyWith(MANAGER)];
      const { id } = await webhookOf(key);
      await revoke(key);
      const { disabled } = (await get(`/agents/webhooks/${id}`)).body.data;
      expect((await change(id, heir)).status).toBe(200);
      const { data } = (await get(`/agents/webhooks/${id}`)).body;
      expect(data).toMatchObject({ enabled: false, disabled, createdBy: keyId(heir) });
      await del(`/agents/webhooks/${id}`);
    },
  );
});

describe("a webhook whose secret another key rotates", () => {
  const rotate = async (id: string, key?: string) => {
    const answer = await post(
      `/agents/webhooks/${id}/secret`,
      {},
      key === undefined ? {} : { key },
    );
    expect(answer.status, answer.text).toBe(200);
  };

  it("a webhook whose secret the root key rotates is disabled with the key that chose its url", async () => {
    const key = await keyWith(MANAGER);
    const { id } = await webhookOf(key);
    await rotate(id);
    const { data } = (await revoke(key, "?cascade=true")).body;
    expect(data.created.webhooks).toEqual([
      { id, description: "", createdBy: keyId(key), enabled: false },
    ]);
    expect((await get(`/agents/webhooks/${id}`)).body.data.enabled).toBe(false);
    await del(`/agents/webhooks/${id}`);
  });

  it("a webhook stays enabled when a key that only rotated its secret is revoked", async () => {
    const [owner, key] = [await keyWith(MANAGER), await keyWith(MANAGER)];
    const { id } = await webhookOf(owner);
    await rotate(id, key);
    expect((await revoke(key, "?cascade=true")).body.data.created.webhooks).toEqual([]);
    expect((await get(`/agents/webhooks/${id}`)).body.data).toMatchObject({
      enabled: true,
      createdBy: keyId(owner),
    });
    await del(`/agents/webhooks/${id}`);
  });

  it("a webhook whose key has ended stays disabled when its secret is rotated", async () => {
    const key = await keyWith(MANAGER);
    const { id } = await webhookOf(key);
    await revoke(key);
    const before = (await get(`/agents/webhooks/${id}`)).body.data;
    await rotate(id, await keyWith(MANAGER));
    expect((await get(`/agents/webhooks/${id}`)).body.data).toEqual(before);
    await del(`/agents/webhooks/${id}`);
  });

  it("a key that owns the maximum number of webhooks can rotate the secret of another key's webhook", async () => {
    const key = await keyWith(MANAGER);
    const { id } = await webhookOf(await keyWith(MANAGER));
    const own: string[] = [];
    while (own.length < WEBHOOKS_PER_KEY_MAX) own.push((await webhookOf(key)).id);
    await rotate(id, key);
    expect((await get(`/agents/webhooks/${id}`)).body.data.createdBy).not.toBe(keyId(key));
    for (const one of [...own, id]) await del(`/agents/webhooks/${one}`);
  });
});

describe("an agent whose executor another key changes", () => {
  const model = (more: JsonObject = {}) => ({
    executor: {
      type: "model",
      provider: "openai-compatible",
      baseUrl: HOOK_URL,
      model: "m",
      ...more,
    },
  });
  /** Creates an agent that the root key registers with a model as its executor. */
  const ofRoot = async () => {
    const id = newId();
    const answer = await post("/agents", { id, ...model() });
    expect(answer.status, answer.text).toBe(201);
    return id;
  };
  const after = async (id: string, body: JsonObject, key: string) => {
    const changed = await patch(`/agents/${id}`, body, { key });
    expect(changed.status, changed.text).toBe(200);
    return changed.body.data.createdBy;
  };

  it.each([
    ["model", { model: "other" }],
    ["address", { baseUrl: "https://93.184.216.35/v1" }],
    ["API key", { apiKey: "sk-other" }],
    ["headers", { headers: { "X-Team": "one" } }],
  ])(
    "an agent belongs to the key that changes its %s, and revoking that key with cascade disables the agent",
    async (_, change) => {
      const [key, id] = [await keyWith(MANAGER), await ofRoot()];
      expect(await after(id, model(change), key)).toBe(keyId(key));
      const { data } = (await revoke(key, "?cascade=true")).body;
      expect(data.created.agents).toEqual([
        { id, name: id, createdBy: keyId(key), enabled: false },
      ]);
    },
  );

  it("an agent keeps its owner when other fields change or its executor stays the same", async () => {
    const [key, id] = [await keyWith(MANAGER), await ofRoot()];
    expect(await after(id, { description: "x", ...model() }, key)).toBe("root");
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["an API key", {}, { apiKey: "sk-new" }],
    [
      "an API key in addition to stored headers",
      { headers: { "X-Team": "one" } },
      { apiKey: "sk-new" },
    ],
    [
      "other values for its headers",
      { headers: { "X-Team": "one" } },
      { headers: { "X-Team": "two" } },
    ],
    ["its first headers", {}, { headers: { "X-Team": "one" } }],
    [
      "a header whose name differs only in case",
      { headers: { "x-team": "one" } },
      { headers: { "X-Team": "one" } },
    ],
    ["another model", {}, { model: "other" }],
  ])(
    "an agent that gets %s from the root key is disabled with the key that chose its address",
    async (_, before, given) => {
      const key = await keyWith(MANAGER);
      const id = newId();
      await createResource("/agents", { id, ...model(before) }, key);
      const changed = await patch(`/agents/${id}`, model(given));
      expect(changed.status, changed.text).toBe(200);
      const { data } = (await revoke(key, "?cascade=true")).body;
      expect(data.created.agents).toEqual([
        { id, name: id, createdBy: keyId(key), enabled: false },
      ]);
    },
  );

  it.each([
    ["a model", model({ apiKey: "sk-own" }), { executor: { type: "builtin" } }],
    ["a worker", { executor: { type: "worker" } }, { executor: { type: "builtin" } }],
    ["a model with a new API key", model({ apiKey: "sk-own" }), model({ apiKey: "sk-other" })],
  ])(
    "an agent belongs to the key that last writes its executor, even after a concurrent change by another key (%s)",
    async (name, own, change) => {
      const [key, other] = [await keyWith(MANAGER), await keyWith(MANAGER)];
      const options = name.endsWith("API key") ? { key: other } : {};
      const id = newId();
      await createResource("/agents", { id, ...own }, key);
      const { apiKey: _apiKey, ...executor } = own.executor as JsonObject;
      const overtaken = { isDone: false };
      divert(DATABASE_PROTOTYPE, "batch", async (real) => {
        if (!overtaken.isDone) {
          overtaken.isDone = true;
          expect((await patch(`/agents/${id}`, change, options)).status).toBe(200);
        }
        return real();
      });
      expect(await after(id, { executor }, key)).toBe(keyId(key));
      expect(overtaken.isDone).toBe(true);
      const { data } = (await revoke(key, "?cascade=true")).body;
      expect(data.created.agents).toMatchObject([{ id, enabled: false }]);
    },
  );
});

describe("a tool whose connector or credentials another key changes", () => {
  const OTHER = "https://93.184.216.35";
  const capability = (baseUrl: string) => ({
    id: "look",
    parameters: [],
    request: { method: "GET", path: "/", baseUrl },
  });
  const ofOther = async () => (await toolOf(await keyWith(MANAGER))).id as string;
  const ownerOf = async (id: string) =>
    (await get(`/agents/tools/${id}`)).body.data.createdBy as string;

  it.each([
    ["connector", { connector: { baseUrl: OTHER } }],
    ["connector's headers", { connector: { headers: { "X-A": "b" } } }],
    ["request's baseUrl", { capabilities: [capability(OTHER)] }],
  ])(
    "a tool belongs to the key that changes its %s, and is listed when that key is revoked",
    async (_, change) => {
      const [key, id] = [await keyWith(MANAGER), await ofOther()];
      const changed = await patch(`/agents/tools/${id}`, change, { key });
      expect(changed.status, changed.text).toBe(200);
      expect(changed.body.data.createdBy).toBe(keyId(key));
      const { data } = (await revoke(key)).body;
      expect(data.created.tools).toEqual([{ id, name: "Made", createdBy: keyId(key) }]);
    },
  );

  it("a tool belongs to the key that sets its credentials", async () => {
    const [key, id] = [await keyWith(MANAGER), await ofOther()];
    const body = { type: "api-key", value: "of-another-key" };
    const put = await send("PUT", `/agents/tools/${id}/credentials`, body, { key });
    expect(put.status, put.text).toBe(201);
    expect(await ownerOf(id)).toBe(keyId(key));
  });

  it("a tool that gets credentials from the root key is listed when the key that chose its address is revoked", async () => {
    const key = await keyWith(MANAGER);
    const { id } = await toolOf(key);
    const body = { type: "api-key", value: "of-the-root-key" };
    const put = await send("PUT", `/agents/tools/${id}/credentials`, body);
    expect(put.status, put.text).toBe(201);
    const { data } = (await revoke(key)).body;
    expect(data.created.tools).toEqual([{ id, name: "Made", createdBy: keyId(key) }]);
  });

  it("a tool keeps its owner when other fields change", async () => {
    const [key, id] = [await keyWith(MANAGER), await ofOther()];
    const owner = await ownerOf(id);
    const changed = await patch(`/agents/tools/${id}`, { description: "x" }, { key });
    expect(changed.status, changed.text).toBe(200);
    expect(await ownerOf(id)).toBe(owner);
  });
});
