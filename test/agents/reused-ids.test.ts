import { unaudited } from "../../src/platform/d1/audited-batch.ts";
import { ROOT_ACTOR } from "../support/actor.ts";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { deleteAgent, insertAgent } from "../../src/agents/agents.store.ts";
import { deleteTeam, saveTeam as storeTeam } from "../../src/agents/teams/teams.store.ts";
import { getDatabase } from "../../src/platform/d1/client.ts";
import { grantAccess } from "../../src/tools/access.ts";
import { del, get, post } from "../support/client.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";
import { expectError } from "../support/expect-errors.ts";
import { create, read, stopClock } from "../support/tasks.ts";
import { putTeam, registerNewAgent, rowsOf } from "./fixtures.ts";

beforeAll(stopClock);

const grant = (agentId: string) =>
  post("/agents/tools/access", { agentId, toolId: "json-workbench" });

/** Deletes the stored id of a deleted agent or team. Earlier releases did not store these ids. */
async function forget(table: "deleted_agents" | "deleted_teams", id: string): Promise<void> {
  await env.DB.prepare(`DELETE FROM ${table} WHERE id = ?`).bind(id).run();
}

/** The database, except that `happen` runs once, after the first batch. */
function thenOnce(db: D1Database, happen: () => Promise<unknown>): D1Database {
  let isOver = false;
  return new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (name !== "batch") return member.bind(target);
      return async (...given: unknown[]) => {
        const results: unknown = await Reflect.apply(member, target, given);
        if (!isOver) await happen();
        isOver = true;
        return results;
      };
    },
  });
}

describe("the id of a deleted agent", () => {
  it("the id of a deleted agent is not reused by registration or by a grant", async () => {
    await registerNewAgent({ id: "former" });
    const id = await create({ agentId: "former" });
    await del("/agents/former");
    for (const answer of [await post("/agents", { id: "former" }), await grant("former")]) {
      expectError(answer, 409, "AGENT_EXISTS");
      expect(answer.body.error.message).toBe(
        'The id "former" belonged to a deleted agent and cannot be reused, because tasks and keys may still refer to it. Choose another id.',
      );
    }
    expectError(await get("/agents/former"), 404, "AGENT_NOT_FOUND");
    expect(await rowsOf("grants", "agent_id", "former")).toBe(0);
    expect(await rowsOf("agents", "id", "former")).toBe(0);
    expect((await read(id)).agentId).toBe("former");
    const body = { name: "x", scopes: ["tasks:read"], agentId: "former" };
    expectError(await post("/agents/keys", body), 404, "AGENT_NOT_FOUND");
  });

  it("the id of a deleted agent is not reused even if no task or key names it", async () => {
    await registerNewAgent({ id: "unnamed" });
    await del("/agents/unnamed");
    expectError(await post("/agents", { id: "unnamed" }), 409, "AGENT_EXISTS");
  });

  it("the id of an agent that an earlier release deleted is not reused while a task names it", async () => {
    await registerNewAgent({ id: "older" });
    await create({ agentId: "older" });
    await del("/agents/older");
    await forget("deleted_agents", "older");
    expectError(await post("/agents", { id: "older" }), 409, "AGENT_EXISTS");
    expectError(await grant("older"), 409, "AGENT_EXISTS");
  });

  it("the id of an agent that an earlier release deleted is not reused while a key names it", async () => {
    await registerNewAgent({ id: "keyed" });
    const key = await keyWith(UNMANAGING, { agentId: "keyed" });
    await del("/agents/keyed");
    await forget("deleted_agents", "keyed");
    await env.DB.prepare("UPDATE keys SET revoked_at = NULL WHERE agent_id = 'keyed'").run();
    expectError(await post("/agents", { id: "keyed" }), 409, "AGENT_EXISTS");
    expect(key).not.toBe("");
  });

  it("an agent's id is not reused if the deletion happens between the check and the registration", async () => {
    await registerNewAgent({ id: "raced" });
    const db = getDatabase(env.DB);
    await deleteAgent(db, "raced", Date.now(), unaudited(db));
    const agent = { id: "raced", name: "raced", description: "", skills: [], teams: ["studio"] };
    const executor = { type: "builtin" } as const;
    const terms = { maxConcurrentTasks: null, requireReview: false, requireTask: false };
    const rest = { enabled: true, sealed: null, noProgress: null, ...terms };
    const made = { createdAt: Date.now(), createdBy: "root" };
    const registered = { ...agent, ...rest, ...made, executor };
    const inserted = insertAgent(db, registered, unaudited(db));
    expect(await inserted).toBeNull();
    expect(await rowsOf("agents", "id", "raced")).toBe(0);
    expect(await rowsOf("members", "agent_id", "raced")).toBe(0);
  });

  it("a grant creates no agent and no access if the agent is deleted during the grant", async () => {
    await registerNewAgent({ id: "contested" });
    const plain = getDatabase(env.DB);
    const db = thenOnce(env.DB, () =>
      deleteAgent(plain, "contested", Date.now(), unaudited(plain)),
    );
    const terms = { proficiency: "expert", capabilities: ["query"], grantedAt: 1 } as const;
    const wanted = { agentId: "contested", toolId: "json-workbench", ...terms };
    const granted = await grantAccess({ ...env, DB: db }, wanted, ROOT_ACTOR);
    expect(granted).toMatchObject({ ok: false, failure: { kind: "agent_exists", deleted: true } });
    expect(await rowsOf("agents", "id", "contested")).toBe(0);
    expect(await rowsOf("grants", "agent_id", "contested")).toBe(0);
  });

  it("an agent that an earlier release registered again after its deletion can still be read and granted access", async () => {
    await registerNewAgent({ id: "twice-born" });
    await env.DB.prepare("INSERT INTO deleted_agents VALUES ('twice-born', 1)").run();
    expect((await grant("twice-born")).status).toBe(201);
    expect((await get("/agents/twice-born")).status).toBe(200);
  });
});

describe("the id of a deleted team", () => {
  it("the id of a deleted team is not reused", async () => {
    await putTeam("disbanded", { agents: ["researcher"] });
    await create({ teamId: "disbanded" });
    await del("/agents/teams/disbanded");
    const answer = await putTeam("disbanded", { agents: ["researcher"] });
    expectError(answer, 409, "TEAM_EXISTS");
    expect(answer.body.error.message).toBe(
      'The id "disbanded" belonged to a deleted team and cannot be reused, because tasks and keys may still refer to it. Choose another id.',
    );
    expect(await rowsOf("teams", "id", "disbanded")).toBe(0);
    expect(await rowsOf("members", "team_id", "disbanded")).toBe(0);
  });

  it("the id of a team that an earlier release deleted is not reused while a task names it", async () => {
    await putTeam("older-team", { agents: ["researcher"] });
    await create({ teamId: "older-team" });
    await del("/agents/teams/older-team");
    await forget("deleted_teams", "older-team");
    expectError(await putTeam("older-team", { agents: [] }), 409, "TEAM_EXISTS");
  });

  it("a team's id is not reused if the deletion happens between the check and the change", async () => {
    await putTeam("raced-team", { agents: ["researcher"] });
    const db = getDatabase(env.DB);
    await deleteTeam(db, "raced-team", Date.now(), unaudited(db));
    const team = { id: "raced-team", name: null, agents: ["researcher"] };
    const put = storeTeam(db, team, unaudited(db));
    expect(await put).toBeNull();
    expect(await rowsOf("teams", "id", "raced-team")).toBe(0);
    expect(await rowsOf("members", "team_id", "raced-team")).toBe(0);
  });
});
