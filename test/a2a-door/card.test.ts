import { AgentCard } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { offerOf } from "../../src/agents/executors/a2a/offer.ts";
import { get, ORIGIN, patch, post, send } from "../support/client.ts";

const PATH = "/.well-known/agent-card.json";

describe("the agent card", () => {
  it("is for everybody, and says where and how to come in", async () => {
    const { status, headers, body } = await get(PATH, { key: null });
    expect([status, headers.get("Content-Type")]).toEqual([200, "application/json"]);
    expect(headers.get("Cache-Control")).toMatch(/^public, max-age=[1-9]/);
    expect(body).toMatchObject({
      name: "Bosun",
      version: "0.1.0",
      supportedInterfaces: [
        { url: `${ORIGIN}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { url: `${ORIGIN}/a2a/v1`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
      ],
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false },
      securitySchemes: { key: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
      securityRequirements: [{ schemes: { key: { list: [] } } }],
    });
    const ids = body.skills.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(["data-analyst", "integrator", "researcher", "storyteller"]);
    for (const { name, description, tags } of body.skills) {
      expect([name, description, tags.length > 0]).toEqual([
        expect.stringMatching(/\S/),
        expect.stringMatching(/\S/),
        true,
      ]);
    }
  });

  it("is one by the SDK's schema: nothing is lost in it, and nothing foreign", async () => {
    const { body } = await get(PATH, { key: null });
    // Of an empty list of scopes the SDK writes nothing, as ProtoJSON does.
    const securityRequirements = [{ schemes: { key: {} } }];
    const capabilities = { ...body.capabilities };
    expect(AgentCard.toJSON(AgentCard.fromJSON(body))).toEqual({
      ...body,
      securityRequirements,
      capabilities,
    });
  });

  it("is one that Bosun itself would register as an agent", async () => {
    const { body } = await get(PATH, { key: null });
    expect(offerOf(body, new URL(`${ORIGIN}${PATH}`))).toMatchObject({
      ok: true,
      value: { endpoint: { url: `${ORIGIN}/a2a`, binding: "JSONRPC", streaming: true } },
    });
  });

  it("shows agents as they come and go, and is not sent again while it is the same", async () => {
    const before = await get(PATH, { key: null });
    const etag = before.headers.get("ETag") ?? "";
    const same = await get(PATH, { key: null, headers: { "If-None-Match": etag } });
    expect([same.status, same.text, same.headers.get("ETag")]).toEqual([304, "", etag]);
    await post("/agents", {
      id: "cook",
      name: "Cook",
      skills: ["stew"],
      executor: { type: "worker" },
    });
    const after = await get(PATH, { key: null, headers: { "If-None-Match": etag } });
    expect(after.status).toBe(200);
    const cook = after.body.skills.find(({ id }: { id: string }) => id === "cook");
    expect(cook).toMatchObject({ name: "Cook", tags: ["stew"] });
    await patch("/agents/cook", { enabled: false });
    expect((await get(PATH, { key: null })).text).not.toContain("Cook");
  });

  it("is read and no more", async () => {
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
