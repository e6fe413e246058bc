import { env } from "cloudflare:workers";
import { evictDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { get, patch, post } from "../../support/client.ts";
import { divert } from "../../support/divert.ts";
import { create, passTime, stopClock, taskIn, wake } from "../../support/tasks.ts";
import { alarmAt, objectOf, rowOf } from "../../support/task-state.ts";
import { DATABASE_PROTOTYPE, STATEMENT_PROTOTYPE } from "../../support/database-prototypes.ts";

beforeAll(stopClock);

const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
vi.spyOn(console, "error").mockImplementation(() => {});

const lost = () => Promise.reject(new Error("D1_ERROR: Network connection lost."));
const unanswered = () => new Promise<never>(() => {});

/** Disconnects D1 from the Worker and all objects until the returned function reconnects it. */
function cutD1Off(answer: () => Promise<never> = lost): () => void {
  const methods: readonly [object, string][] = [
    [DATABASE_PROTOTYPE, "batch"],
    ...["run", "all", "raw", "first"].map((name): [object, string] => [STATEMENT_PROTOTYPE, name]),
  ];
  const whole = methods.map(([owner, name]): unknown => Reflect.get(owner, name));
  for (const [owner, name] of methods) Reflect.set(owner, name, answer);
  const bringBack = (): void => {
    for (const [place, [owner, name]] of methods.entries()) Reflect.set(owner, name, whole[place]);
  };
  onTestFinished(bringBack);
  return bringBack;
}

/** Makes D1 reject directory writes. Tasks can be created, but their rows cannot be written. */
async function directoryReadOnly(): Promise<() => Promise<void>> {
  await env.DB.prepare(
    "CREATE TRIGGER outage BEFORE INSERT ON directory BEGIN SELECT RAISE(ABORT, 'outage'); END",
  ).run();
  const back = async (): Promise<void> => {
    await env.DB.prepare("DROP TRIGGER IF EXISTS outage").run();
  };
  onTestFinished(back);
  return back;
}

describe("a D1 outage", () => {
  it("a task is read, changed and ended during a D1 outage, and its row follows within 60 s", async () => {
    const id = await taskIn("blocked");
    const bringBack = cutD1Off();
    expect((await get(`/agents/tasks/${id}`)).status).toBe(200);
    expect((await patch(`/agents/tasks/${id}`, { priority: "urgent" })).status).toBe(200);
    const cancelled = await post(`/agents/tasks/${id}/cancel`);
    expect(cancelled.status).toBe(200);
    expect(cancelled.body.data).toMatchObject({ status: "cancelled", priority: "urgent" });
    expect(warned).toHaveBeenCalledWith(
      expect.objectContaining({ event: "directory_write_failed", taskId: id }),
    );
    bringBack();
    expect(await rowOf(id)).toMatchObject({ status: "blocked", priority: "medium" });

    const at = await alarmAt(id);
    expect(at).toBeLessThanOrEqual(Date.now() + 60_000);
    passTime(60_000);
    await wake(id);
    expect(await rowOf(id)).toMatchObject({ status: "cancelled", priority: "urgent" });
    expect(await alarmAt(id)).toBeNull();
  });

  it("during a long D1 outage, the alarm keeps retrying the row until D1 is back", async () => {
    const id = await taskIn("blocked");
    const bringBack = cutD1Off();
    await post(`/agents/tasks/${id}/cancel`);
    for (let tries = 0; tries < 12; tries += 1) {
      passTime(60_000);
      expect(await wake(id)).toBe(true);
      expect(await alarmAt(id)).toBeLessThanOrEqual(Date.now() + 60_000);
    }
    bringBack();
    await wake(id);
    expect(await rowOf(id)).toMatchObject({ status: "cancelled" });
  });

  it("an evicted object still writes its pending row", async () => {
    const id = await taskIn("blocked");
    const bringBack = cutD1Off();
    await post(`/agents/tasks/${id}/cancel`);
    bringBack();
    await evictDurableObject(objectOf(id));
    await wake(id);
    expect(await rowOf(id)).toMatchObject({ status: "cancelled" });
  });

  it("a task is created while its row cannot be written, and the row follows", async () => {
    const back = await directoryReadOnly();
    const id = await create();
    expect(await rowOf(id)).toBeNull();
    await back();
    await wake(id);
    expect(await rowOf(id)).not.toBeNull();
  });

  it("a D1 that never responds delays a request by about one second", async () => {
    const id = await taskIn("blocked");
    const bringBack = cutD1Off(unanswered);
    const startedAt = performance.now();
    expect((await post(`/agents/tasks/${id}/cancel`)).body.data.status).toBe("cancelled");
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThan(900);
    expect(tookMs).toBeLessThan(2_000);
    bringBack();
    passTime(60_000);
    await wake(id);
    expect(await rowOf(id)).toMatchObject({ status: "cancelled" });
  });

  it("during a D1 outage, the alarm is still set for the deadline to the millisecond", async () => {
    const id = await taskIn("blocked", { deadline: new Date(Date.now() + 15_000).toISOString() });
    cutD1Off();
    await patch(`/agents/tasks/${id}`, { priority: "low" });
    passTime(10_000);
    await wake(id);
    expect(await alarmAt(id)).toBe(Date.now() + 5_000);
  });

  it("during a D1 outage, lists and creations return 503 without SQL text", async () => {
    cutD1Off();
    for (const answer of [
      await get("/agents/tasks"),
      await post("/agents/tasks", { task: "Do it" }),
    ]) {
      expect(answer.status).toBe(503);
      expect(answer.body.error).toMatchObject({ code: "SERVICE_UNAVAILABLE", retryable: true });
      expect(answer.text).not.toMatch(/select|insert|directory|sqlite|D1_/i);
    }
  });
});

describe("stale and lost directory rows", () => {
  it("an older directory row does not replace a newer one", async () => {
    const id = await taskIn("blocked");
    await env.DB.prepare("UPDATE directory SET seq = 1000, status = 'completed' WHERE id = ?")
      .bind(id)
      .run();
    await patch(`/agents/tasks/${id}`, { priority: "urgent" });
    await post(`/agents/tasks/${id}/cancel`);
    expect(await rowOf(id)).toMatchObject({ seq: 1000, status: "completed", priority: "medium" });
  });

  it("a lost directory row is written again by the next change, with all its fields", async () => {
    const id = await taskIn("blocked", { teamId: "insights" });
    const before = await rowOf(id);
    await env.DB.prepare("DELETE FROM directory WHERE id = ?").bind(id).run();
    await patch(`/agents/tasks/${id}`, { priority: "urgent" });
    const seq = Number(before?.["seq"]) + 1;
    const details = JSON.parse(String(before?.["details"]));
    expect(await rowOf(id)).toEqual({
      ...before,
      seq,
      priority: "urgent",
      // The details name the row that they belong to.
      details: JSON.stringify({ ...details, seq }),
    });
  });

  it("even if the response to an older write arrives last, the next write corrects every column", async () => {
    const id = await taskIn("blocked");
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let isHeld = true;
    divert(STATEMENT_PROTOTYPE, "run", async (real) => {
      const result = await real();
      if (isHeld) await released;
      return result;
    });
    const setPriority = (priority: string) => patch(`/agents/tasks/${id}`, { priority });
    const older = setPriority("high");
    await vi.waitFor(async () => expect(await rowOf(id)).toMatchObject({ priority: "high" }));
    isHeld = false;
    expect((await setPriority("low")).status).toBe(200);
    release();
    expect((await older).status).toBe(200);
    expect((await setPriority("high")).status).toBe(200);
    expect(await rowOf(id)).toMatchObject({ priority: "high" });
  });
});
