import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { STEPS_A_WAKE_MS } from "../../../src/domain/limits.ts";
import { post } from "../../support/client.ts";
import { create, passTime, read, ring, stopClock, untilStatus } from "../../support/tasks.ts";
import { alarmAt, eventsOf, rowOf, typesOf } from "../look.ts";

// In this folder agents do not pause between steps.
beforeAll(stopClock);

const TEXT = { text: "The wharf was rebuilt in 1702. Merchants paid for it." };

/** Does something whenever a step has called the store of files, which only the fourth of five does. */
function whenDrafted(act: () => void): () => void {
  const put: unknown = Reflect.get(env.FILES, "put");
  const spy = vi.spyOn(env.FILES, "put").mockImplementation(async (...args: unknown[]) => {
    if (typeof put !== "function") throw new Error("a store of files has put");
    const stored: unknown = await Reflect.apply(put, env.FILES, args);
    act();
    return stored as R2Object;
  });
  return () => spy.mockRestore();
}

describe("steps without a pause", () => {
  it("are all done in one alarm, each with an event of its own", async () => {
    const id = await create({ context: TEXT });
    expect(await ring(id)).toBe(true);
    expect(await rowOf(id)).toMatchObject({ status: "completed" });
    expect(await typesOf(id)).toEqual([
      "created",
      "assigned",
      "started",
      ...Array.from({ length: 4 }, () => "progressed"),
      "completed",
    ]);
    expect(await alarmAt(id)).toBeNull();
  });

  it("give way to their alarm's end once they have lasted, and lists show how far they got", async () => {
    const id = await create({ context: TEXT, deliverables: ["summary"] });
    const restore = whenDrafted(() => passTime(STEPS_A_WAKE_MS));
    await ring(id);
    restore();
    expect((await typesOf(id)).at(-1)).toBe("progressed");
    expect(await rowOf(id)).toMatchObject({ status: "in_progress" });
    expect(await alarmAt(id)).toBe(Date.now());
    await ring(id);
    expect(await rowOf(id)).toMatchObject({ status: "completed" });
  });

  it("are not begun once the deadline has passed in the one before", async () => {
    const deadline = new Date(Date.now() + STEPS_A_WAKE_MS / 2).toISOString();
    const id = await create({ context: TEXT, deliverables: ["summary"], deadline });
    const restore = whenDrafted(() => passTime(STEPS_A_WAKE_MS / 2));
    await ring(id);
    restore();
    expect(await rowOf(id)).toMatchObject({ status: "failed" });
    expect((await read(id)).error).toMatchObject({ code: "DEADLINE_EXCEEDED", at: deadline });
  });

  it("are not begun once somebody has cancelled the task in the one before", async () => {
    const id = await create({ context: TEXT, deliverables: ["summary"] });
    const cancelled: Promise<unknown>[] = [];
    const restore = whenDrafted(() => cancelled.push(post(`/agents/tasks/${id}/cancel`)));
    await ring(id);
    restore();
    await Promise.all(cancelled);
    const events = await eventsOf(id);
    expect(cancelled).toHaveLength(1);
    expect(["cancelled", "completed"]).toContain(events.at(-1)?.type);
    expect(await rowOf(id)).toMatchObject({ status: events.at(-1)?.type });
  });

  it("go on after people were asked", async () => {
    const id = await create({ context: { ...TEXT, askFirst: "Which year?" } });
    await ring(id);
    expect(await rowOf(id)).toMatchObject({ status: "blocked" });
    await post(`/agents/tasks/${id}/respond`, { response: "1702" });
    await ring(id);
    expect(await rowOf(id)).toMatchObject({ status: "completed" });
    await untilStatus(id, "completed");
  });
});
