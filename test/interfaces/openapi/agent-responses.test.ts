import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { del, get, patch, post, send } from "../../support/client.ts";
import { expectSuccess } from "./expect-success.ts";

/** A public IP address, so no name is resolved. */
const PUBLIC = "https://93.184.216.34/v1";

const EXECUTORS = [
  { type: "builtin" },
  { type: "worker" },
  { type: "model", model: "small", baseUrl: PUBLIC, apiKey: "sk-secret", temperature: 0.5 },
  { type: "model", model: "@cf/small", provider: "workers-ai", instructions: "Be brief." },
];

describe("documented responses about agents, teams and keys", () => {
  it.each(EXECUTORS)(
    "responses about an agent with the executor $type match the OpenAPI document",
    async (executor) => {
      const id = `agent-${crypto.randomUUID()}`;
      const at = `/agents/${id}`;
      const body = { id, executor, maxConcurrentTasks: 2, skills: ["counting"] };
      expectSuccess(await post("/agents", body));
      expectSuccess(await get(at));
      expectSuccess(await patch(at, { maxConcurrentTasks: null }));
      await env.DB.prepare("UPDATE agents SET rating_sum = 9, rating_count = 2 WHERE id = ?")
        .bind(id)
        .run();
      expectSuccess(await get(at));
      expectSuccess(await get(`/agents?search=${id}`));
      expectSuccess(await del(at));
    },
  );

  it("the response about an agent with the executor a2a matches the OpenAPI document", async () => {
    const id = `agent-${crypto.randomUUID()}`;
    await post("/agents", { id });
    await env.DB.prepare("UPDATE agents SET executor = 'a2a', executor_settings = ? WHERE id = ?")
      .bind(JSON.stringify({ cardUrl: `${PUBLIC}/card` }), id)
      .run();
    const answer = await get(`/agents/${id}`);
    expect(answer.body.data.executor.type).toBe("a2a");
    expectSuccess(answer);
  });

  it("responses about teams match the OpenAPI document", async () => {
    const at = "/agents/teams/documented";
    const made = await send("PUT", at, { agents: ["researcher"] });
    expect(made.status).toBe(201);
    expectSuccess(made);
    expectSuccess(await send("PUT", at, { name: "Documented", agents: [] }));
    expectSuccess(await get(at));
    expectSuccess(await get("/agents/teams?limit=2"));
    expectSuccess(await del(at));
  });

  it("responses about bound and unbound keys match the OpenAPI document", async () => {
    const scopes = ["tools:read", "tasks:work"];
    const bodies = [
      { name: "free", scopes: ["keys:manage"], expiresAt: "2031-01-01T00:00:00+01:00" },
      { name: "bound", scopes, agentId: "researcher" },
      { name: "team", scopes, teamId: "insights" },
    ];
    for (const body of bodies) {
      expectSuccess(await post("/agents/keys", body));
    }
    const list = await get("/agents/keys");
    expectSuccess(list);
    const [{ id }] = list.body.data.keys;
    const changed = await patch(`/agents/keys/${id}`, { limits: { openStreams: 5 } });
    expectSuccess(changed);
    expectSuccess(await del(`/agents/keys/${id}`));
  });
});
