import { env } from "cloudflare:workers";
import { evictAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { get, patch, post } from "../../../support/client.ts";
import { LARGE_OUTPUT, create, passTime, read, stopClock, wake } from "../../../support/tasks.ts";
import { alarmAt, objectOf, rowOf } from "../../../support/task-state.ts";

// In this folder, agents pause for 500 ms before each step, and ended tasks are kept for one day.
const DAY_MS = 86_400_000;

beforeAll(stopClock);

async function completed(): Promise<string> {
  const id = await create(LARGE_OUTPUT);
  await complete(id);
  return id;
}

async function complete(id: string): Promise<void> {
  for (let steps = 0; steps < 20 && (await read(id)).status !== "completed"; steps += 1) {
    passTime(500);
    await wake(id);
  }
  expect((await read(id)).status).toBe("completed");
}

async function filesOf(id: string): Promise<number> {
  return (await env.FILES.list({ prefix: `tasks/${id}/` })).objects.length;
}

function tablesOf(id: string): Promise<unknown[]> {
  return runInDurableObject(objectOf(id), (_, { storage }) =>
    storage.sql
      .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")
      .toArray(),
  );
}

describe("an ended task", () => {
  it("an ended task is completely kept until the end of its retention", async () => {
    const id = await completed();
    passTime(DAY_MS - 1);
    await wake(id);
    expect((await get(`/agents/tasks/${id}/deliverables`)).status).toBe(200);
    expect(await rowOf(id)).toMatchObject({ status: "completed" });
    expect(await filesOf(id)).toBeGreaterThan(0);
    expect(await alarmAt(id)).toBe(Date.now() + 1);
  });

  it("an ended task is deleted with its log, files and row, and has no alarm afterwards", async () => {
    const id = await completed();
    const other = await completed();
    await evictAllDurableObjects();
    passTime(DAY_MS - 2_600);
    passTime(2_600);
    expect(await wake(id)).toBe(true);
    expect((await get(`/agents/tasks/${id}`)).status).toBe(404);
    expect((await get(`/agents/tasks/${id}/events`)).status).toBe(404);
    expect(await rowOf(id)).toBeNull();
    expect(await filesOf(id)).toBe(0);
    expect(await tablesOf(id)).toEqual([]);
    expect(await alarmAt(id)).toBeNull();
    expect(await filesOf(other)).toBeGreaterThan(0);
  });

  it("an ended task is deleted with its A2A push configurations", async () => {
    const [id, other] = [await completed(), await completed()];
    for (const taskId of [id, other]) {
      const params = { taskId, id: "mine", url: "https://93.184.216.34/" };
      const call = { jsonrpc: "2.0", id: 1, method: "CreateTaskPushNotificationConfig", params };
      const answer = await post("/a2a", call, { headers: { "A2A-Version": "1.0" } });
      expect(answer.body.result).toMatchObject({ taskId, id: "mine" });
    }
    const keepers = async () => {
      const { results } = await env.DB.prepare("SELECT task_id AS taskId FROM webhooks").all();
      return results.map(({ taskId }) => taskId);
    };
    expect(new Set(await keepers())).toEqual(new Set([id, other]));
    await env.DB.prepare(
      `INSERT INTO webhooks (id, format, url, description, task_id, sealed, enabled, created_by, created_at)
       SELECT 'whk_standard', 'standard', url, '', task_id, sealed, 0, created_by, created_at
       FROM webhooks WHERE task_id = ?`,
    )
      .bind(id)
      .run();
    passTime(DAY_MS);
    expect(await wake(id)).toBe(true);
    const { results: kept } = await env.DB.prepare("SELECT task_id, format FROM webhooks").all();
    expect(kept).toHaveLength(2);
    expect(kept).toContainEqual({ task_id: id, format: "standard" });
    expect(kept).toContainEqual({ task_id: other, format: "a2a" });
  });

  it("an ended task is deleted with the files of every attempt and round", async () => {
    const context = { ...Object(LARGE_OUTPUT["context"]), requireReview: true };
    const id = await create({ ...LARGE_OUTPUT, context });
    const toReview = async (): Promise<void> => {
      for (let steps = 0; steps < 20 && (await read(id)).status !== "review"; steps += 1) {
        passTime(500);
        await wake(id);
      }
    };
    await toReview();
    await post(`/agents/tasks/${id}/review`, { decision: "request_changes" });
    await toReview();
    await post(`/agents/tasks/${id}/review`, { decision: "reject" });
    await post(`/agents/tasks/${id}/retry`);
    await toReview();
    expect(await filesOf(id)).toBeGreaterThanOrEqual(3);
    await post(`/agents/tasks/${id}/cancel`);
    passTime(DAY_MS);
    await wake(id);
    expect(await filesOf(id)).toBe(0);
    expect((await get(`/agents/tasks/${id}`)).status).toBe(404);
  });
});

it("a failed task continues if it is retried before the end of its retention", async () => {
  const deadline = new Date(Date.now() + 1_000).toISOString();
  const id = await create({ deadline, context: { text: "Two wharves." } });
  passTime(1_000);
  expect((await read(id)).status).toBe("failed");
  passTime(DAY_MS - 1_000);
  await patch(`/agents/tasks/${id}`, {
    deadline: new Date(Date.now() + 10 * DAY_MS).toISOString(),
  });
  await post(`/agents/tasks/${id}/retry`);
  passTime(1_000);
  await wake(id);
  expect((await read(id)).status).toBe("in_progress");
  await complete(id);
});

it("a task that waits for people is not deleted, however long it waits", async () => {
  const id = await create({ context: { askFirst: "Which year?" } });
  passTime(500);
  await wake(id);
  passTime(30 * DAY_MS);
  await wake(id);
  expect((await read(id)).status).toBe("blocked");
});

it("the Idempotency-Key of a deleted task creates a new task, which has a directory row", async () => {
  const make = () =>
    post(
      "/agents/tasks",
      { task: "Count", context: { text: "Two." } },
      { headers: { "Idempotency-Key": "again" } },
    );
  const id: string = (await make()).body.data.taskId;
  await complete(id);
  passTime(DAY_MS);
  await wake(id);
  expect(await rowOf(id)).toBeNull();

  const again = await make();
  expect(again.status).toBe(201);
  expect(again.headers.has("Idempotency-Replayed")).toBe(false);
  expect(again.body.data.taskId).toBe(id);
  expect(await rowOf(id)).toMatchObject({ status: "pending", seq: 1 });
});
