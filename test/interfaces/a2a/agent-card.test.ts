import { AgentCard } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { parseAgentCard } from "../../../src/executors/a2a/agent-card.ts";
import { get, ORIGIN, patch, post, send } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { clientOf } from "./fixtures.ts";

const PATH = "/.well-known/agent-card.json";

const LEGACY_FIELDS = {
  url: `${ORIGIN}/a2a`,
  preferredTransport: "JSONRPC",
  protocolVersion: "0.3.0",
  additionalInterfaces: [{ url: `${ORIGIN}/a2a`, transport: "JSONRPC" }],
  supportsAuthenticatedExtendedCard: true,
  security: [{ key: [] }],
};

describe("the agent card", () => {
  it("the agent card is public and describes the endpoints and authentication", async () => {
    const { status, headers, body } = await get(PATH, { key: null });
    expect([status, headers.get("Content-Type")]).toEqual([200, "application/json"]);
    expect(headers.get("Cache-Control")).toMatch(/^public, max-age=[1-9]/);
    expect(body).toMatchObject({
      name: "Bosun",
      version: "0.2.0",
      supportedInterfaces: [
        { url: `${ORIGIN}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { url: `${ORIGIN}/a2a/v1`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
        { url: `${ORIGIN}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      ],
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
      securitySchemes: { key: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
      securityRequirements: [{ schemes: { key: { list: [] } } }],
    });
    // Without a key, the card lists no agents.
    expect(body.skills.map(({ id }: { id: string }) => id)).toEqual(["task"]);
  });

  it("the agent card has the fields that A2A 0.3 clients read", async () => {
    const { body } = await get(PATH, { key: null });
    expect(body).toMatchObject({
      ...LEGACY_FIELDS,
      securitySchemes: { key: { type: "http", scheme: "Bearer" } },
      defaultInputModes: expect.arrayContaining(["text/plain"]),
    });
  });

  it("the agent card keeps all its A2A 1.0 fields when the SDK parses and serialises it", async () => {
    const { body: card } = await get(PATH, { key: null });
    const body = Object.fromEntries(
      Object.entries(card).filter(([name]) => !Object.hasOwn(LEGACY_FIELDS, name)),
    );
    const { key } = card.securitySchemes;
    const securitySchemes = { key: { httpAuthSecurityScheme: key.httpAuthSecurityScheme } };
    // The SDK omits an empty list of scopes, as ProtoJSON requires.
    const securityRequirements = [{ schemes: { key: {} } }];
    expect(AgentCard.toJSON(AgentCard.fromJSON(card))).toEqual({
      ...body,
      securityRequirements,
      securitySchemes,
    });
  });

  it("Bosun accepts its own agent card when it registers an A2A agent", async () => {
    const { body } = await get(PATH, { key: null });
    expect(parseAgentCard(body, new URL(`${ORIGIN}${PATH}`))).toMatchObject({
      ok: true,
      value: { endpoint: { url: `${ORIGIN}/a2a`, binding: "JSONRPC", streaming: true } },
    });
  });

  it("a request with the agent card's current ETag gets 304", async () => {
    const before = await get(PATH, { key: null });
    const etag = before.headers.get("ETag") ?? "";
    const same = await get(PATH, { key: null, headers: { "If-None-Match": etag } });
    expect([same.status, same.text, same.headers.get("ETag")]).toEqual([304, "", etag]);
  });

  it.each([
    ["*", 304],
    ["W/TAG", 304],
    ['"other", W/TAG', 304],
    ['"a,b" ,TAG', 304],
    ['"other"', 200],
    ["", 200],
  ])("a request for the agent card with If-None-Match: %s gets %d", async (header, status) => {
    const etag = (await get(PATH, { key: null })).headers.get("ETag") ?? "";
    const headers = { "If-None-Match": header.replace("TAG", etag) };
    expect((await get(PATH, { key: null, headers })).status).toBe(status);
  });

  it("the agent card accepts only GET, HEAD and OPTIONS", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      const answer = await send(method, PATH, undefined, { key: null });
      expect(answer).toMatchObject({
        status: 405,
        body: { error: { code: "METHOD_NOT_ALLOWED" } },
      });
      expect(answer.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
    }
    expect((await send("OPTIONS", PATH, undefined, { key: null })).status).toBe(204);
    const head = await send("HEAD", PATH, undefined, { key: null });
    expect([head.status, head.text]).toEqual([200, ""]);
  });
});

describe.each(["JSONRPC", "HTTP+JSON"] as const)("the extended card over %s", (binding) => {
  const idsFor = async (key?: string) => {
    const client = await clientOf(binding, key);
    const { skills } = await client.getAgentCard();
    return skills.map(({ id }) => id);
  };

  it("the extended card shows the enabled agents, and a new one until it is disabled", async () => {
    const crew = ["data-analyst", "integrator", "researcher", "storyteller"];
    expect(await idsFor()).toEqual(["task", ...crew]);
    const cook = `cook-${binding.toLowerCase().replace("+", "-")}`;
    await post("/agents", { id: cook, skills: ["stew"], executor: { type: "worker" } });
    expect(await idsFor()).toContain(cook);
    await patch(`/agents/${cook}`, { enabled: false });
    expect(await idsFor()).not.toContain(cook);
  });

  it("the extended card shows a bound key only its own agent", async () => {
    const own = await keyWith(["tasks:write"], { agentId: "researcher" });
    expect(await idsFor(own)).toEqual(["task", "researcher"]);
  });

  it("the extended card shows a bound key its own agent even if 60 other agents precede it", async () => {
    const ids = Array.from({ length: 60 }, (_, number) => `aa-${number}`);
    await Promise.all(ids.map((id) => post("/agents", { id, executor: { type: "worker" } })));
    const own = await keyWith(["tasks:write"], { agentId: "storyteller" });
    expect(await idsFor(own)).toEqual(["task", "storyteller"]);
    await Promise.all(ids.map((id) => send("DELETE", `/agents/${id}`)));
  });

  it("the extended card requires tasks:write", async () => {
    await expect(idsFor(await keyWith(["tasks:read"]))).rejects.toThrow("tasks:write");
  });
});
