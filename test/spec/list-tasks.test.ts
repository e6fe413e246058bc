import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { getDatabase } from "../../src/platform/d1/client.ts";
import { TASK_STATUSES } from "../../src/tasks/model/task.ts";
import { saveDirectoryRow } from "../../src/tasks/directory/directory.store.ts";
import { interceptCalls } from "../fault-injection/interpose-bindings.ts";
import { get, post } from "../support/client.ts";
import { create, passTime, setClock, stopClock, taskIn } from "../support/tasks.ts";

/** Well below a request's time limit for the directory. */
const SLOW_MS = 200;

async function list(query = "") {
  return (await get(`/agents/tasks${query}`)).body.data;
}

const ids = (data: { tasks: { taskId: string }[] }) => data.tasks.map(({ taskId }) => taskId);

/**
 * Inserts the row of a task that waits in a queue, because the seeded agents' tasks do not wait.
 */
async function assignedTask(): Promise<string> {
  const id = env.TASKS.newUniqueId().toString();
  const row = { seq: 2, status: "assigned", task: "Wait", priority: "low", attempt: 1 } as const;
  const agent = { agentId: "researcher", agentName: "Researcher", teamId: null };
  const usage = { keyId: null, storedBytes: 0, contextId: null, details: null };
  const names = { title: null, labels: null, externalId: null };
  const instants = { deadline: null, rating: null, startedAt: null, endedAt: null };
  await saveDirectoryRow(getDatabase(env.DB), {
    id,
    ...row,
    ...agent,
    ...instants,
    ...usage,
    ...names,
    createdAt: Date.now(),
  });
  return id;
}

describe("List tasks · query", () => {
  beforeAll(stopClock);

  it.each(TASK_STATUSES)("the task list filters by the status %s", async (status) => {
    const id = status === "assigned" ? await assignedTask() : await taskIn(status);
    const data = await list(`?status=${status}&limit=100`);
    expect(ids(data)).toContain(id);
    expect(new Set(data.tasks.map((task: { status: string }) => task.status))).toEqual(
      new Set([status]),
    );
  });

  it("a task list with an unknown status is rejected", async () => {
    const { status, body } = await get("/agents/tasks?status=done");
    expect(status).toBe(400);
    expect(body.error.details).toEqual([
      {
        path: "status",
        message: expect.stringMatching(/^must be one of pending, .*; got "done"$/),
      },
    ]);
  });

  it("the task list filters by agent", async () => {
    const [mine, other] = [
      await create({ agentId: "storyteller" }),
      await create({ agentId: "researcher" }),
    ];
    const found = ids(await list("?agentId=storyteller&limit=100"));
    expect(found).toContain(mine);
    expect(found).not.toContain(other);
  });

  it("the task list filters by team", async () => {
    const [mine, other, none] = [
      await create({ teamId: "studio" }),
      await create({ teamId: "insights" }),
      await create(),
    ];
    const found = ids(await list("?teamId=studio&limit=100"));
    expect(found).toContain(mine);
    expect(found).not.toContain(other);
    expect(found).not.toContain(none);
  });

  it.each(["low", "medium", "high", "urgent"])(
    "the task list filters by the priority %s",
    async (priority) => {
      const id = await create({ priority });
      const data = await list(`?priority=${priority}&limit=100`);
      expect(ids(data)).toContain(id);
      expect(data.tasks.every((task: { priority: string }) => task.priority === priority)).toBe(
        true,
      );
    },
  );

  it("the task list filters by creation date, both bounds included", async () => {
    const year = new Date().getUTCFullYear() + 3;
    const created: string[] = [];
    for (const instant of ["05-01T23:59:59.999Z", "05-02T00:00:00.000Z", "05-02T23:59:59.999Z"]) {
      setClock(`${year}-${instant}`);
      created.push(await create());
    }
    const [before, first, last] = created;
    expect(ids(await list(`?startDate=${year}-05-02`))).toEqual([last, first]);
    expect(ids(await list(`?startDate=${year}-05-01&endDate=${year}-05-01`))).toEqual([before]);
    expect(ids(await list(`?startDate=${year}-05-02&endDate=${year}-05-02`))).toEqual([
      last,
      first,
    ]);
    const instant = `${year}-05-02T00:00:00Z`;
    expect(ids(await list(`?startDate=${instant}&endDate=${instant}`))).toEqual([first]);
    const berlin = encodeURIComponent(`${year}-05-02T02:00:00+02:00`);
    expect(ids(await list(`?startDate=${berlin}&endDate=${berlin}`))).toEqual([first]);
  });

  it("the task list returns at most limit tasks, newest first", async () => {
    passTime(1_000);
    const older = await create();
    passTime(1_000);
    const newer = await create();
    expect(ids(await list("?limit=2"))).toEqual([newer, older]);
  });

  it("the task list returns at most 50 tasks by default", async () => {
    const missing = 51 - (await list("?limit=1")).total;
    for (let index = 0; index < missing; index += 1) await assignedTask();
    const data = await list();
    expect(data.tasks).toHaveLength(50);
    expect(data.limit).toBe(50);
  });

  it("the task list skips offset tasks", async () => {
    const all = ids(await list("?limit=20"));
    expect(ids(await list("?limit=5&offset=7"))).toEqual(all.slice(7, 12));
    expect(ids(await list("?offset=10000"))).toEqual([]);
  });
});

describe("List tasks · response", () => {
  it("a page of the task list has its total, limit, offset and nextCursor", async () => {
    const { data } = (await get("/agents/tasks?limit=3&offset=1")).body;
    expect(data).toEqual({
      tasks: expect.any(Array),
      total: expect.any(Number),
      totalExact: true,
      limit: 3,
      offset: 1,
      nextCursor: expect.any(String),
    });
    expect(data.tasks).toHaveLength(3);
    expect(data.total).toBeGreaterThan(3);
  });

  it("the creator's next list shows the new task, even if the directory was slow", async () => {
    const back = interceptCalls(async (binding, real) => {
      if (binding === "DB") await scheduler.wait(SLOW_MS);
      return real();
    });
    const id = await create().finally(back);
    expect(ids(await list())).toContain(id);
  });

  it("the creator's next list shows the new task, as it was created", async () => {
    passTime(1_000);
    const body = { task: "Count the gulls", agentId: "researcher", priority: "urgent" };
    const { data } = (await post("/agents/tasks", body)).body;
    expect((await list("?limit=1")).tasks).toEqual([
      {
        ...body,
        taskId: data.taskId,
        status: "pending",
        agentName: "Researcher",
        attempt: 1,
        createdAt: data.createdAt,
        progress: 0,
        waitingFor: null,
      },
    ]);
  });

  it.each(["blocked", "review", "failed", "completed"] as const)(
    "the list shows the same state as the task: %s",
    async (status) => {
      const id = await taskIn(status);
      const task = (await get(`/agents/tasks/${id}`)).body.data;
      const { tasks } = await list(`?status=${status}&limit=100`);
      const { progress, waitingFor, error, spend } = task;
      expect(waitingFor === null).toBe(status === "failed" || status === "completed");
      expect(tasks.find(({ taskId }: { taskId: string }) => taskId === id)).toMatchObject({
        progress,
        waitingFor,
        ...(error === undefined ? {} : { error }),
        ...(spend === undefined ? {} : { spend }),
      });
    },
  );
});
