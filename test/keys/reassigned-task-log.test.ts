import { beforeAll, describe, expect, it } from "vitest";
import { ALL_TASKS, clientOf, errorNameOf } from "../interfaces/a2a/fixtures.ts";
import { fold } from "../../src/tasks/model/fold.ts";
import type { NewTaskEvent, TaskEvent } from "../../src/tasks/model/events.ts";
import { choice, buildCreated, newEvent, T0, UNQUEUED } from "../tasks/model/fixtures.ts";
import { get, patch, post, send } from "../support/client.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";
import { stopClock, wake } from "../support/tasks.ts";
import { eventsOf } from "../support/task-state.ts";
import { claimOne, report, waitingTask } from "../tasks/workers/fixtures.ts";

beforeAll(stopClock);

const WORKER = { type: "worker" } as const;
let teams = 0;

/**
 * Creates a task that the first of two worker agents in a team has claimed, with reported progress.
 */
async function heldTask() {
  teams += 1;
  const [teamId, first, second] = [`crew-${teams}`, `first-${teams}`, `second-${teams}`];
  for (const id of [first, second]) {
    const answer = await post("/agents", { id, name: `Name of ${id}`, executor: WORKER });
    expect(answer.status, answer.text).toBe(201);
  }
  await send("PUT", `/agents/teams/${teamId}`, { agents: [first, second] });
  const context = { text: "The order." };
  const id = await waitingTask(first, { teamId, context });
  const { lease } = await claimOne(first, { worker: "secret worker" });
  const work = { own: "secret work" };
  await report(id, lease.token, { type: "progress", progress: 10, phase: "secret phase", work });
  return { id, first, second, teamId, token: lease.token };
}

/**
 * The same task, after the first agent asked a question, got an answer and failed, and an operator
 * reassigned the task.
 */
async function reassigned() {
  const held = await heldTask();
  const { id, first, second } = held;
  await report(id, held.token, { type: "blocked", kind: "input", question: "A secret question?" });
  await post(`/agents/tasks/${id}/respond`, { response: "A secret answer." });
  const { lease } = await claimOne(first, { worker: "secret worker" });
  const error = { message: "A secret failure.", retryable: true, details: { log: "secret" } };
  const failed = await report(id, lease.token, { type: "failed", error });
  expect(failed.status, failed.text).toBe(200);
  await patch(`/agents/tasks/${id}`, { notes: "A note of the task." });
  const retried = await post(`/agents/tasks/${id}/retry`, { reassign: true });
  expect(retried.body.data.agentId, retried.text).toBe(second);
  return held;
}

describe("a reassigned task for a key bound to the new agent", () => {
  it("the new agent's key sees only the time and error code of another agent's attempt, and not its content", async () => {
    const { id, first, second } = await reassigned();
    const key = await keyWith(UNMANAGING, { agentId: second });
    const task = await get(`/agents/tasks/${id}`, { key });
    expect(task.body.data).toMatchObject({
      agentId: second,
      context: { text: "The order." },
      notes: "A note of the task.",
    });
    expect(task.body.data.attempts).toEqual([
      {
        attempt: 1,
        error: {
          code: "AGENT_ERROR",
          message: "Another agent's attempt failed.",
          retryable: true,
          attempt: 1,
          at: expect.any(String),
        },
        timeline: { startedAt: expect.any(String), failedAt: expect.any(String) },
      },
    ]);
    await wake(id);
    const looks = [
      task,
      await get(`/agents/tasks/${id}/events`, { key }),
      await get(`/agents/tasks/${id}/events?after=1&limit=2`, { key }),
      await get(`/agents/tasks/${id}/deliverables`, { key }),
      await get("/agents/events?from=oldest&limit=100", { key }),
      await post("/agents/tasks/claim", { waitSeconds: 0 }, { key }),
    ];
    expect(looks.at(-1)?.body.data.tasks).toMatchObject([{ taskId: id, answers: [], work: {} }]);
    for (const { text } of looks) expect(text).not.toMatch(new RegExp(`secret|${first}`));
  });

  it("the new agent's key sees no events from before the agent got the task, while unbound and team keys see the whole log", async () => {
    const { id, second, teamId } = await reassigned();
    const key = await keyWith(UNMANAGING, { agentId: second });
    const whole = await eventsOf(id);
    const handover = whole.findLast(({ type }) => type === "retried")?.seq ?? 0;
    expect(handover).toBeGreaterThan(5);
    const seen = (await get(`/agents/tasks/${id}/events`, { key })).body.data;
    expect(seen.events[0]).toMatchObject({ seq: handover, type: "retried" });
    expect(seen.events.map(({ seq }: { seq: number }) => seq)).toEqual(
      whole.slice(handover - 1).map(({ seq }) => seq),
    );
    const ofTeam = await keyWith(UNMANAGING, { teamId });
    const { data } = (await get(`/agents/tasks/${id}/events`, { key: ofTeam })).body;
    expect(data.events).toHaveLength(whole.length);
    expect(JSON.stringify(whole)).toContain("A secret question?");
  });

  it("the new agent's key sees the comment of the reviewer who rejected an attempt", async () => {
    const { id, first, second, token } = await heldTask();
    const result = { summary: "A secret summary." };
    await report(id, token, { type: "review", result });
    await post(`/agents/tasks/${id}/review`, { decision: "reject", comment: "Too short." });
    await post(`/agents/tasks/${id}/retry`, { reassign: true });
    const key = await keyWith(UNMANAGING, { agentId: second });
    const { text, body } = await get(`/agents/tasks/${id}`, { key });
    expect(body.data.attempts).toMatchObject([
      { error: { code: "REVIEW_REJECTED", message: "Too short." } },
    ]);
    expect(text).not.toMatch(new RegExp(`secret|${first}`));
  });

  it.each(["JSONRPC", "HTTP+JSON"] as const)(
    "the new agent's key sees no A2A task of the other agent (%s)",
    async (binding) => {
      const { id, first, second } = await reassigned();
      const client = await clientOf(binding, await keyWith(UNMANAGING, { agentId: second }));
      const error = await errorNameOf(client.getTask({ tenant: "", id }));
      expect(error.name).toBe("TaskNotFoundError");
      const own = await client.getTask({ tenant: "", id: `${id}-2` });
      const listed = await client.listTasks({ ...ALL_TASKS, contextId: id, historyLength: 50 });
      expect(listed.tasks.map((task) => task.id)).toEqual([`${id}-2`]);
      for (const look of [own, listed]) {
        expect(JSON.stringify(look)).not.toMatch(new RegExp(`secret|${first}`));
      }
      const root = await clientOf(binding);
      const earlier = await root.getTask({ tenant: "", id });
      expect(JSON.stringify(earlier)).toContain("A secret question?");
    },
  );
});

describe("the visible part of the log", () => {
  const logOf = (...events: readonly NewTaskEvent[]) =>
    fold(events.map((one, index): TaskEvent => ({ ...one, seq: index + 1, at: T0 + index })));
  const assigned = (agentId: string) =>
    newEvent("assigned", { ...choice(agentId), terms: UNQUEUED });
  const declined = (agentId: string) => newEvent("declined", { agentId, reason: "disabled" });
  const nobody = newEvent("created", buildCreated({ choice: null }));
  const ada = newEvent("created", buildCreated());

  it.each([
    ["all of it, for the first agent", [nobody, assigned("ada")], 0],
    [
      "all of it, for an agent that gets the task back",
      [ada, assigned("ada"), declined("ada"), assigned("ada")],
      0,
    ],
    [
      "the assignment, for an agent that takes over",
      [ada, assigned("ada"), declined("ada"), assigned("bob")],
      4,
    ],
    [
      "the last assignment, for an agent that had it before another",
      [ada, assigned("ada"), declined("ada"), assigned("bob"), declined("bob"), assigned("ada")],
      6,
    ],
  ] as const)("the part of the log that an agent may see is %s", (_, events, since) => {
    expect(logOf(...events)?.assignedSinceSeq).toBe(since);
  });
});
