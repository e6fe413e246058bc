import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { del, patch, post } from "../../support/client.ts";
import { create, passTime, read, stopClock, untilStatus, wake } from "../../support/tasks.ts";
import { eventsOf, rowOf, typesOf } from "../../support/task-state.ts";

beforeAll(stopClock);

async function team(teamId: string, ...agentIds: string[]): Promise<void> {
  await env.DB.prepare("INSERT INTO teams (id, name) VALUES (?1, ?1)").bind(teamId).run();
  for (const agentId of agentIds) await join(teamId, agentId);
}

/**
 * Registers an agent with skills, adds it to a team, and grants it a tool so that it can be
 * assigned tasks.
 */
async function join(teamId: string, agentId: string, ...skills: string[]): Promise<void> {
  const granted = await post("/agents/tools/access", { agentId, toolId: "text-analyst" });
  if (granted.status !== 201) throw new Error(granted.text);
  await env.DB.batch([
    env.DB.prepare("UPDATE agents SET skills = ? WHERE id = ?").bind(
      JSON.stringify(skills),
      agentId,
    ),
    env.DB.prepare("INSERT INTO members (team_id, agent_id) VALUES (?, ?)").bind(teamId, agentId),
  ]);
}

function setEnabled(agentId: string, enabled: boolean): Promise<unknown> {
  return env.DB.prepare("UPDATE agents SET enabled = ? WHERE id = ?")
    .bind(enabled ? 1 : 0, agentId)
    .run();
}

const agentOf = async (taskId: string): Promise<string | undefined> => (await read(taskId)).agentId;

describe("a task that names no agent", () => {
  it("a task that names no agent goes to a member of its team even if other agents are more suitable", async () => {
    await team("poets", "poet");
    const id = await create({
      task: "Summarise the research",
      context: { text: "Two wharves." },
      teamId: "poets",
    });
    expect(await agentOf(id)).toBe("poet");
  });

  it("a task that names no agent goes to the agent with a skill that its text mentions", async () => {
    await team("skilled", "aaron", "zelda");
    await env.DB.prepare(`UPDATE agents SET skills = '["knitting"]' WHERE id = 'zelda'`).run();
    expect(await agentOf(await create({ task: "Knitting a hat", teamId: "skilled" }))).toBe(
      "zelda",
    );
    expect(await agentOf(await create({ task: "Bake a cake", teamId: "skilled" }))).toBe("aaron");
  });

  it("a task that names no agent goes to the agent with the tools that its context needs", async () => {
    await team("equipped", "abel", "zeno");
    await post("/agents/tools/access", { agentId: "zeno", toolId: "table-analyst" });
    expect(await agentOf(await create({ context: { csv: "a\n1" }, teamId: "equipped" }))).toBe(
      "zeno",
    );
  });

  it("a task that names no agent goes to the agent with the fewest tasks", async () => {
    await team("idle", "anna", "zoe");
    const agents = [];
    for (let count = 0; count < 4; count += 1)
      agents.push(await agentOf(await create({ teamId: "idle" })));
    expect(agents).toEqual(["anna", "zoe", "anna", "zoe"]);
  });

  it("a task that names no agent goes to the agent with the better rating", async () => {
    await team("rated", "alma", "zora");
    const id = await create({
      teamId: "rated",
      agentId: "zora",
      context: { text: "Two wharves." },
    });
    await untilStatus(id, "completed");
    await post(`/agents/tasks/${id}/feedback`, { rating: 5 });
    expect(await agentOf(await create({ teamId: "rated" }))).toBe("zora");
  });

  it("the assigned event of a task that names no agent states the reasons for the choice", async () => {
    await team("reasoned", "ruth");
    await env.DB.prepare(`UPDATE agents SET skills = '["harbours"]' WHERE id = 'ruth'`).run();
    const id = await create({
      task: "Describe the harbours",
      teamId: "reasoned",
      context: { text: "One." },
    });
    await wake(id);
    const assigned = (await eventsOf(id)).find(({ type }) => type === "assigned");
    expect(assigned?.data).toEqual({
      agentId: "ruth",
      agentName: "ruth",
      reasons: [
        "skills: harbours",
        "tools for 1 of 1 required category (research)",
        "0 live tasks",
        "not rated yet",
      ],
      candidates: [{ agentId: "ruth", score: expect.any(Number) }],
      terms: { executor: "builtin", maxConcurrentTasks: null, requireReview: false },
    });
  });
});

describe("a task that names its agent", () => {
  it("a task that names a disabled agent waits for it and goes to no other", async () => {
    await team("loyal", "una", "uma");
    const id = await create({ agentId: "una", context: { text: "Only for Una." } });
    await env.DB.prepare("UPDATE agents SET enabled = 0 WHERE id = 'una'").run();
    for (let wakes = 0; wakes < 3; wakes += 1) await wake(id);
    expect((await read(id)).status).toBe("pending");
    await env.DB.prepare("UPDATE agents SET enabled = 1 WHERE id = 'una'").run();
    passTime(60_000);
    await untilStatus(id, "completed");
    expect((await read(id)).agentId).toBe("una");
  });

  it("a task that names its agent goes to another agent if it is retried with reassign", async () => {
    await team("fickle", "ona", "oma");
    const id = await create({
      agentId: "ona",
      teamId: "fickle",
      context: { text: "One.", requireReview: true },
    });
    await untilStatus(id, "review");
    await post(`/agents/tasks/${id}/review`, { decision: "reject" });
    const { body } = await post(`/agents/tasks/${id}/retry`, { reassign: true });
    expect(body.data.agentId).toBe("oma");
  });
});

describe("a task without a suitable agent", () => {
  it("a task without a suitable agent keeps searching until one appears, and then completes", async () => {
    await team("empty");
    const id = await create({ teamId: "empty", context: { text: "Two wharves." } });
    expect(await read(id)).toMatchObject({ status: "pending" });
    expect(await agentOf(id)).toBeUndefined();
    expect(await rowOf(id)).toMatchObject({ status: "pending", agent_id: null });
    for (let looks = 0; looks < 3; looks += 1) {
      passTime(60_000);
      expect(await wake(id)).toBe(true);
    }
    expect(await typesOf(id)).toEqual(["created"]);

    await join("empty", "latecomer");
    passTime(60_000);
    await wake(id);
    expect(await read(id)).toMatchObject({ status: "in_progress", agentId: "latecomer" });
    expect(await rowOf(id)).toMatchObject({ status: "in_progress", agent_id: "latecomer" });
    await untilStatus(id, "completed");
  });

  it("a task without a suitable agent fails at its deadline with NO_AGENT_AVAILABLE, and completes if it is retried with an agent", async () => {
    await team("vacant");
    const deadline = new Date(Date.now() + 90_000).toISOString();
    const id = await create({ teamId: "vacant", deadline, context: { text: "Two wharves." } });
    passTime(90_000);
    expect(await wake(id)).toBe(true);
    expect(await rowOf(id)).toMatchObject({ status: "failed" });
    expect((await read(id)).error).toMatchObject({
      code: "NO_AGENT_AVAILABLE",
      retryable: true,
      at: deadline,
    });
    await join("vacant", "rescuer");
    const later = new Date(Date.now() + 600_000).toISOString();
    expect((await patch(`/agents/tasks/${id}`, { deadline: later })).status).toBe(200);
    expect((await post(`/agents/tasks/${id}/retry`)).status).toBe(200);
    await untilStatus(id, "completed");
    expect(await agentOf(id)).toBe("rescuer");
  });
});

describe("an agent that is disabled after an assignment", () => {
  it("an agent that is disabled after its assignment declines the task, and another agent takes it", async () => {
    await team("substitutes", "sara", "tom");
    const id = await create({ teamId: "substitutes", context: { text: "Two wharves." } });
    expect(await agentOf(id)).toBe("sara");
    await setEnabled("sara", false);
    await wake(id);
    expect(await typesOf(id)).toEqual(["created", "assigned", "declined"]);
    expect(await read(id)).toMatchObject({ status: "pending" });
    passTime(1_000);
    await untilStatus(id, "completed");
    expect(await agentOf(id)).toBe("tom");
    expect((await eventsOf(id))[2]?.data).toEqual({ agentId: "sara", reason: expect.any(String) });
  });

  it("an agent that declined a task does not get it again in the same attempt, even if the agent is re-enabled", async () => {
    await team("loner", "lone");
    const id = await create({ teamId: "loner", context: { text: "Two wharves." } });
    await setEnabled("lone", false);
    await wake(id);
    await setEnabled("lone", true);
    passTime(60_000);
    await wake(id);
    expect(await typesOf(id)).toEqual(["created", "assigned", "declined"]);
    expect(await agentOf(id)).toBeUndefined();
  });

  it("a disabled agent gets no new tasks, and a task that names it is rejected", async () => {
    await team("halved", "hal", "ida");
    await setEnabled("hal", false);
    expect(await agentOf(await create({ teamId: "halved" }))).toBe("ida");
    const named = await post("/agents/tasks", { task: "Do it", agentId: "hal" });
    expect(named.status).toBe(400);
    expect(named.body.error.details).toMatchObject([{ path: "agentId" }]);
  });
});

describe("a grant that is revoked during a task", () => {
  it("a revoked grant stops the agent's next calls, and the task completes with a summary that says so", async () => {
    const agentId = "half-way";
    await post("/agents/tools/access", { agentId, toolId: "table-analyst" });
    const csv = "city,people,area\nBergen,291940,465\nOslo,717710,454\nTromso,78745,2521\n";
    const id = await create({ agentId, context: { csv }, deliverables: ["analysis"] });
    const callsOf = async (): Promise<{ ok: boolean; problem?: string }[]> =>
      (await eventsOf(id)).flatMap(({ data }) => data.calls ?? []);
    while ((await callsOf()).length === 0) await wake(id);
    const before = await callsOf();
    expect(before.every(({ ok }) => ok)).toBe(true);

    const revoked = await del(`/agents/tools/access/${agentId}/table-analyst`);
    expect(revoked.body.data).toEqual({ agentId, toolId: "table-analyst", revoked: true });
    await untilStatus(id, "completed");
    const later = (await callsOf()).slice(before.length);
    expect(later.length).toBeGreaterThan(0);
    for (const { ok, problem } of later) {
      expect(ok).toBe(false);
      expect(problem).toContain("has no access");
    }
    expect((await read(id)).result.summary).toContain("refused");
  });
});
