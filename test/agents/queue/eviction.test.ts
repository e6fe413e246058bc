import { evictAllDurableObjects } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { post } from "../../support/client.ts";
import { read, stopClock, untilStatus } from "../../support/tasks.ts";
import { agent, claimed, tasksWithStatus, createTaskFor } from "./fixtures.ts";

beforeAll(stopClock);

const PRIORITIES = ["low", "urgent", "medium", "high"];

describe("a queue whose object is thrown out of memory after every move", () => {
  it("still knows who waits, how urgently, and who holds a place", async () => {
    const worker = await agent("worker", 3);
    const ids: Record<string, string> = {};
    for (const priority of PRIORITIES) {
      ids[priority] = await createTaskFor(worker, { priority });
      await evictAllDurableObjects();
    }
    expect(await claimed(worker)).toEqual([ids["urgent"]]);
    await evictAllDurableObjects();
    expect(await claimed(worker, { tasksMax: 9 })).toEqual([ids["high"], ids["medium"]]);
    await evictAllDurableObjects();
    expect(await worker.queue.readCounts()).toEqual({ waiting: 1, running: 3, limit: 3 });
    expect(await claimed(worker)).toEqual([]);

    await evictAllDurableObjects();
    expect((await post(`/agents/tasks/${ids["urgent"]}/cancel`)).status).toBe(200);
    await evictAllDurableObjects();
    expect(await claimed(worker)).toEqual([ids["low"]]);
  });

  it("starts one task after the other, and never more than there are places", async () => {
    const builtin = await agent("builtin", 1);
    const ids: string[] = [];
    for (const priority of PRIORITIES) {
      ids.push(await createTaskFor(builtin, { priority }));
      await evictAllDurableObjects();
    }
    const order: string[] = [];
    while (order.length < PRIORITIES.length) {
      const [working, ...others] = await tasksWithStatus("in_progress", ids);
      if (working === undefined) throw new Error("nobody works");
      expect(others).toEqual([]);
      order.push((await read(working)).priority);
      await evictAllDurableObjects();
      await untilStatus(working, "completed");
      await evictAllDurableObjects();
    }
    // The first had come before there were others.
    expect(order).toEqual(["low", "urgent", "high", "medium"]);
    expect(await builtin.queue.readCounts()).toEqual({ waiting: 0, running: 0, limit: 1 });
  });
});
