import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { SEED_AGENTS, SEED_TEAMS } from "../../src/agents/model/seed-agents.ts";
import { buildSeedStatements } from "../../src/platform/d1/seed.ts";
import { BUILTIN_TOOLS } from "../../src/builtin/tools/definitions.ts";
import { del, get, post } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { expectProblems, expectError } from "../support/expect-errors.ts";
import { stopClock } from "../support/tasks.ts";
import { MODEL, putTeam, registerNewAgent, rowsOf } from "./fixtures.ts";

beforeAll(stopClock);

async function seed(): Promise<void> {
  const statements = buildSeedStatements(
    { tools: BUILTIN_TOOLS, teams: SEED_TEAMS, agents: SEED_AGENTS },
    Date.now(),
  );
  await env.DB.batch(statements.map((sql) => env.DB.prepare(sql)));
}

const grant = (agentId: string) =>
  post("/agents/tools/access", { agentId, toolId: "json-workbench" });

describe("deleting an agent", () => {
  it("deleting an agent deletes its memberships and grants, and later requests for it return 404", async () => {
    await registerNewAgent({
      id: "gone",
      teams: ["studio"],
      executor: { ...MODEL, apiKey: "s3cret" },
    });
    await grant("gone");
    const { status, body } = await del("/agents/gone");
    expect([status, body.data]).toEqual([200, { id: "gone", deleted: true }]);
    expectError(await get("/agents/gone"), 404, "AGENT_NOT_FOUND");
    expectError(await get("/agents/tools/access/gone"), 404, "AGENT_NOT_FOUND");
    expectError(await del("/agents/gone"), 404, "AGENT_NOT_FOUND");
    expect(await rowsOf("members", "agent_id", "gone")).toBe(0);
    expect(await rowsOf("grants", "agent_id", "gone")).toBe(0);
    expect((await get("/agents/teams/studio")).body.data.agents).not.toContain("gone");
    expectError(
      await post("/agents/tasks", { task: "x", agentId: "gone" }),
      404,
      "AGENT_NOT_FOUND",
    );
  });

  it("deleting an agent revokes its keys at once, and no other keys", async () => {
    await registerNewAgent({ id: "keyholder" });
    const key = await keyWith(["tools:read"], { agentId: "keyholder" });
    const other = await keyWith(["tools:read"], { agentId: "researcher" });
    expect((await get("/agents/tools", { key })).status).toBe(200);
    await del("/agents/keyholder");
    const refused = await get("/agents/tools", { key });
    expectError(refused, 401, "AUTHENTICATION_FAILED");
    expect(refused.body.error.message).toContain("revoked");
    expect((await get("/agents/tools", { key: other })).status).toBe(200);
    expectError(await del(`/agents/keys/${keyId(key)}`), 404, "KEY_NOT_FOUND");
  });

  it("one of two concurrent deletions of an agent succeeds, and the other returns 404", async () => {
    await registerNewAgent({ id: "twice" });
    const both = await Promise.all([del("/agents/twice"), del("/agents/twice")]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 404]));
  });

  it("a deleted seeded agent is not restored by the next seed or by registration", async () => {
    expect((await del("/agents/storyteller")).status).toBe(200);
    await seed();
    expectError(await get("/agents/storyteller"), 404, "AGENT_NOT_FOUND");
    expect(await rowsOf("grants", "agent_id", "storyteller")).toBe(0);
    expect(await rowsOf("members", "agent_id", "storyteller")).toBe(0);
    expectError(await post("/agents", { id: "storyteller" }), 409, "AGENT_EXISTS");
    await seed();
    expectError(await get("/agents/storyteller"), 404, "AGENT_NOT_FOUND");
  });
});

describe("teams", () => {
  it("PUT of a team returns 201 when it creates the team, and 200 when it replaces the members", async () => {
    await registerNewAgent({ id: "m-1" });
    await registerNewAgent({ id: "m-2" });
    const first = await putTeam("crew", { name: "Crew", agents: ["m-2", "m-1", "m-2"] });
    const whole = { id: "crew", name: "Crew", agents: ["m-1", "m-2"] };
    expect([first.status, first.body.data]).toEqual([201, whole]);
    const second = await putTeam("crew", { agents: ["m-2"] });
    expect([second.status, second.body.data]).toEqual([200, { ...whole, agents: ["m-2"] }]);
    expect((await get("/agents/teams/crew")).body.data).toEqual(second.body.data);
    expect((await get("/agents/m-2")).body.data.teams).toEqual(["crew"]);
    expect((await get("/agents/m-1")).body.data.teams).toEqual([]);
    expect((await putTeam("nameless", { agents: [] })).body.data).toEqual({
      id: "nameless",
      name: "nameless",
      agents: [],
    });
  });

  it("teams are listed by id, with the size of each team and the total", async () => {
    await putTeam("zz-1", { agents: ["researcher"] });
    const { data } = (await get("/agents/teams?limit=100")).body;
    expect(data.teams.at(-1)).toEqual({ id: "zz-1", name: "zz-1", totalAgents: 1 });
    expect(data).toMatchObject({ total: data.teams.length, limit: 100, offset: 0 });
    const last = (await get(`/agents/teams?limit=1&offset=${data.total - 1}`)).body.data;
    expect(last.teams).toEqual([data.teams.at(-1)]);
  });

  it.each([
    [{}, { agents: "is required" }],
    [{ agents: "m-1" }, { agents: "must be an array" }],
    [{ agents: [], name: "" }, { name: "must not be empty" }],
    [{ agents: [], leader: "m-1" }, { leader: "is not a known field" }],
    [{ agents: Array.from({ length: 1_001 }, () => "a") }, { agents: "at most 1000" }],
  ])("PUT of a team rejects the body %j and creates no team", async (body, problems) => {
    expectProblems(await putTeam("refused", body), problems);
    expectError(await get("/agents/teams/refused"), 404, "TEAM_NOT_FOUND");
  });

  it("a team with an invalid id or an unknown agent is not created", async () => {
    expectProblems(await putTeam("%20x", { agents: [] }), { teamId: "must be an id" });
    const answer = await putTeam("stray", { agents: ["researcher", "stranger"] });
    expectError(answer, 404, "AGENT_NOT_FOUND");
    expect(answer.body.error.message).toContain('"stranger"');
    expectError(await get("/agents/teams/stray"), 404, "TEAM_NOT_FOUND");
  });

  it("two concurrent PUTs of a team leave it with the members of one of them", async () => {
    await Promise.all([
      putTeam("raced", { agents: ["researcher"] }),
      putTeam("raced", { agents: ["integrator", "data-analyst"] }),
    ]);
    const { agents } = (await get("/agents/teams/raced")).body.data;
    expect([["researcher"], ["data-analyst", "integrator"]]).toContainEqual(agents);
  });

  it("deleting a team deletes its memberships and revokes its keys, while its agents and their own keys remain", async () => {
    await putTeam("doomed", { agents: ["researcher"] });
    const key = await keyWith(["tools:read"], { teamId: "doomed" });
    const own = await keyWith(["tools:read"], { agentId: "researcher" });
    expect((await get("/agents/tools", { key })).status).toBe(200);
    const { status, body } = await del("/agents/teams/doomed");
    expect([status, body.data]).toEqual([200, { id: "doomed", deleted: true }]);
    expectError(await get("/agents/tools", { key }), 401, "AUTHENTICATION_FAILED");
    expect((await get("/agents/tools", { key: own })).status).toBe(200);
    expect(await rowsOf("members", "team_id", "doomed")).toBe(0);
    expect((await get("/agents/researcher")).body.data.teams).not.toContain("doomed");
    expectError(await del("/agents/teams/doomed"), 404, "TEAM_NOT_FOUND");
  });

  it("a deleted seeded team is not restored by the next seed", async () => {
    expect((await del("/agents/teams/insights")).status).toBe(200);
    // The seed adds a missing agent and its memberships, as when a later release adds an agent to
    // the team.
    await env.DB.prepare("DELETE FROM agents WHERE id = 'researcher'").run();
    await seed();
    expectError(await get("/agents/teams/insights"), 404, "TEAM_NOT_FOUND");
    expect(await rowsOf("members", "team_id", "insights")).toBe(0);
  });
});
