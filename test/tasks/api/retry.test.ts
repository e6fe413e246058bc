import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { patch, post } from "../../support/client.ts";
import {
  LARGE_OUTPUT,
  passTime,
  read,
  stopClock,
  taskIn,
  untilStatus,
} from "../../support/tasks.ts";
import { eventsOf, fileKeysOf, rowOf } from "../../support/task-state.ts";

beforeAll(stopClock);

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/**
 * Creates a team with only these agents, and grants each one all capabilities of the text analyst.
 */
async function team(teamId: string, ...agentIds: string[]): Promise<void> {
  await env.DB.prepare("INSERT INTO teams (id, name) VALUES (?1, ?1)").bind(teamId).run();
  for (const agentId of agentIds) {
    const granted = await post("/agents/tools/access", { agentId, toolId: "text-analyst" });
    if (granted.status !== 201) throw new Error(granted.text);
    await env.DB.prepare("INSERT INTO members (team_id, agent_id) VALUES (?, ?)")
      .bind(teamId, agentId)
      .run();
  }
}

describe("a failed task", () => {
  it("a retried task starts a new attempt as pending and still shows the failed one", async () => {
    const id = await taskIn("failed");
    const failed = await read(id);
    passTime(60_000);
    const answer = await post(`/agents/tasks/${id}/retry`);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      status: "pending",
      progress: 0,
      attempt: 2,
      agentId: failed.agentId,
      attempts: [
        {
          attempt: 1,
          agentId: failed.agentId,
          error: failed.error,
          timeline: { startedAt: failed.timeline.startedAt },
        },
      ],
    });
    expect(answer.body.data).not.toHaveProperty("error");
    expect(answer.body.data.timeline).toEqual({ createdAt: failed.createdAt });
    expect(await rowOf(id)).toMatchObject({ status: "pending", attempt: 2, ended_at: null });
    await untilStatus(id, "review");
    expect((await read(id)).attempt).toBe(2);
  });

  it("a retry can change the context: keys are replaced, and null deletes a key", async () => {
    const id = await taskIn("failed", { context: { year: 1702, draft: true, place: "Bergen" } });
    const answer = await post(`/agents/tasks/${id}/retry`, {
      context: { year: 1703, draft: null },
    });
    expect(answer.body.data.context).toMatchObject({ year: 1703, place: "Bergen" });
    expect(answer.body.data.context).not.toHaveProperty("draft");
  });

  it("a retry keeps the files of the earlier attempt alongside its own", async () => {
    const id = await taskIn("failed", LARGE_OUTPUT);
    await post(`/agents/tasks/${id}/retry`);
    await untilStatus(id, "review");
    const keys = await fileKeysOf(id);
    expect(keys).toHaveLength(2);
    expect(new Set(keys.map((key) => key.split("/").at(-1))).size).toBe(1);
  });
});

describe("a retry with reassign", () => {
  it("reassigned retries go to other members of the team, and never to the same agent twice", async () => {
    await team("pair", "pair-1", "pair-2");
    const id = await taskIn("failed", { teamId: "pair" });
    const first: string = (await read(id)).agentId;
    const second = first === "pair-1" ? "pair-2" : "pair-1";

    const answer = await post(`/agents/tasks/${id}/retry`, { reassign: true });
    expect(answer.body.data).toMatchObject({ status: "pending", attempt: 2, agentId: second });
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      type: "retried",
      data: { reassign: true, choice: { agentId: second, reasons: expect.any(Array) } },
    });

    await untilStatus(id, "review");
    await post(`/agents/tasks/${id}/review`, { decision: "reject" });
    const nobody = await post(`/agents/tasks/${id}/retry`, { reassign: true });
    expect(nobody.status).toBe(409);
    expect(nobody.body.error).toMatchObject({
      code: "NO_OTHER_AGENT",
      context: { status: "failed", allowed: ["retry", "update"] },
    });
    const same = await post(`/agents/tasks/${id}/retry`);
    expect(same.body.data).toMatchObject({ status: "pending", attempt: 3, agentId: second });
  });

  it("a reassigned retry skips disabled agents", async () => {
    await team("trio", "trio-1", "trio-2", "trio-3");
    const id = await taskIn("failed", { teamId: "trio", agentId: "trio-1" });
    await env.DB.prepare("UPDATE agents SET enabled = 0 WHERE id = 'trio-2'").run();
    const answer = await post(`/agents/tasks/${id}/retry`, { reassign: true });
    expect(answer.body.data.agentId).toBe("trio-3");
  });
});

describe("a deadline that has passed", () => {
  it("an expired deadline prevents a retry until PATCH sets a new deadline, which leaves the task failed", async () => {
    const id = await taskIn("failed", { deadline: inAnHour() });
    passTime(3_600_000);
    const refused = await post(`/agents/tasks/${id}/retry`);
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({
      code: "DEADLINE_PASSED",
      context: { status: "failed", allowed: ["retry", "update"] },
    });

    const deadline = inAnHour();
    const patched = await patch(`/agents/tasks/${id}`, { deadline });
    expect(patched.body.data).toMatchObject({ status: "failed", deadline });
    expect((await post(`/agents/tasks/${id}/retry`)).body.data).toMatchObject({
      status: "pending",
      deadline,
    });
    await untilStatus(id, "review");
  });
});

it.each(["pending", "in_progress", "blocked", "review", "completed", "cancelled"] as const)(
  "a task that is %s is not retried",
  async (status) => {
    const id = await taskIn(status);
    const before = await eventsOf(id);
    const answer = await post(`/agents/tasks/${id}/retry`, { reassign: true });
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({ code: "INVALID_STATE", context: { status } });
    expect(await eventsOf(id)).toEqual(before);
  },
);
