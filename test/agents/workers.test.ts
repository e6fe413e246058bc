import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { WORKER_ONLINE_MS } from "../../src/agents/limits.ts";
import { get, post } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { passTime, stopClock } from "../support/tasks.ts";
import { claimOne, waitingTask, workerAgent } from "../tasks/workers/fixtures.ts";

beforeAll(stopClock);

const detailOf = async (id: string) => (await get(`/agents/${id}`)).body.data;
const listedOf = async (id: string) => (await get(`/agents?search=${id}`)).body.data.agents[0];

/** Claims with a key of the agent without waiting, and waits until the key's use is recorded. */
async function claimWith(key: string, agentId: string): Promise<void> {
  await post("/agents/tasks/claim", { agentId, worker: "laptop", waitSeconds: 0 }, { key });
  await vi.waitUntil(async () => {
    const sql = "SELECT last_used_at AS at FROM keys WHERE id = ?";
    return (await env.DB.prepare(sql).bind(keyId(key)).first("at")) !== null;
  });
}

describe("the workers of an agent", () => {
  it("a worker agent that was never seen is offline", async () => {
    const id = await workerAgent();
    expect(await listedOf(id)).toMatchObject({ id, online: false });
    expect(await listedOf(id)).not.toHaveProperty("lastSeenAt");
    expect(await detailOf(id)).toMatchObject({ online: false, workers: [] });
  });

  it("an agent whose worker has just claimed is online in the list and when read, until the window ends", async () => {
    const id = await workerAgent();
    const key = await keyWith(["tasks:work"], { agentId: id });
    const lastSeenAt = new Date().toISOString();
    await claimWith(key, id);
    expect(await listedOf(id)).toMatchObject({ online: true, lastSeenAt });
    expect(await detailOf(id)).toMatchObject({
      online: true,
      lastSeenAt,
      workers: [{ name: "laptop", keyId: keyId(key), lastSeenAt, waiting: false, taskIds: [] }],
    });
    passTime(WORKER_ONLINE_MS + 1);
    expect(await listedOf(id)).toMatchObject({ online: false, lastSeenAt });
    expect(await detailOf(id)).toMatchObject({ online: false, lastSeenAt });
  });

  it("an agent's details list each worker's name and tasks, even after the queue is reloaded", async () => {
    const id = await workerAgent();
    const taskId = await waitingTask(id);
    await claimOne(id, { worker: "laptop" });
    const { workers, online } = await detailOf(id);
    expect(online).toBe(true);
    expect(workers).toMatchObject([{ name: "laptop", waiting: false, taskIds: [taskId] }]);
    await evictDurableObject(env.QUEUES.get(env.QUEUES.idFromName(id)));
    const reloaded = await detailOf(id);
    expect(reloaded).toMatchObject({ online: true });
    expect(reloaded.workers).toEqual([{ name: "laptop", waiting: false, taskIds: [taskId] }]);
  });

  it("a worker whose claim waits for a task is shown as waiting", async () => {
    const id = await workerAgent();
    const claiming = post("/agents/tasks/claim", {
      agentId: id,
      worker: "waiter",
      waitSeconds: 20,
    });
    await vi.waitUntil(async () => (await detailOf(id)).workers[0]?.waiting === true, 5_000);
    expect(await detailOf(id)).toMatchObject({ online: true, workers: [{ name: "waiter" }] });
    await waitingTask(id);
    expect((await claiming).status).toBe(200);
    expect((await detailOf(id)).workers).toMatchObject([{ name: "waiter", waiting: false }]);
  });

  it("other agents show no presence", async () => {
    for (const agent of [await detailOf("researcher"), await listedOf("researcher")]) {
      for (const field of ["online", "lastSeenAt", "workers"]) {
        expect(agent).not.toHaveProperty(field);
      }
    }
  });
});
