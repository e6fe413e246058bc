import { describe, expect, it } from "vitest";
import { ClaimBatch, type AcceptedOffer } from "../../../src/agents/queue/claim-batch.ts";
import { Waiter, WaitQueue } from "../../../src/agents/queue/wait-queue.ts";
import { CLAIM_BYTES_MAX } from "../../../src/agents/limits.ts";
import { CONTEXT_BYTES_MAX } from "../../../src/tasks/limits.ts";

const CLAIM = { id: "c", worker: null, keyId: null, tasksMax: 100, leaseSeconds: 60, waitMs: 0 };

function createBatch(): { waiter: Waiter; batch: ClaimBatch } {
  const waiter = new Waiter(new WaitQueue(), 0);
  return { waiter, batch: new ClaimBatch(CLAIM, waiter) };
}

/**
 * An accepted offer, with only the parts of a task that a batch reads. The text in the context is
 * `bytes` bytes long.
 */
function task(bytes: number): AcceptedOffer {
  const read = { context: { text: "x".repeat(bytes) }, work: {}, answers: [] };
  const lease = { token: "t", worker: null, seconds: 60, expiresAt: 0 };
  return { admitted: true, task: read, lease } as unknown as AcceptedOffer;
}

describe("the tasks of a claim", () => {
  it("a claim returns at least one task, however large it is", () => {
    const one = createBatch().batch;
    expect(one.canTakeMore(0)).toBe(true);
    one.add(0, "huge", task(2 * CLAIM_BYTES_MAX));
    expect(one.canTakeMore(0)).toBe(false);
    expect(one.listTasks().map(({ taskId }) => taskId)).toEqual(["huge"]);
  });

  it("a claim reserves room for tasks that are being offered, each at its maximum size", () => {
    const one = createBatch().batch;
    const large = CLAIM_BYTES_MAX / CONTEXT_BYTES_MAX;
    expect([large - 1, large].map((asking) => one.canTakeMore(asking))).toEqual([true, false]);
    one.add(0, "small", task(1_000));
    expect([large - 2, large - 1].map((asking) => one.canTakeMore(asking))).toEqual([true, true]);
    one.add(1, "large", task(CONTEXT_BYTES_MAX));
    expect([large - 2, large - 1].map((asking) => one.canTakeMore(asking))).toEqual([true, false]);
  });

  it("a claim lists its tasks in the order of their offers, without tasks that have no lease", () => {
    const one = createBatch().batch;
    one.add(3, "later", task(1));
    one.add(1, "sooner", task(1));
    one.add(2, "by itself", { ...task(1), lease: null });
    expect(one.listTasks().map(({ taskId }) => taskId)).toEqual(["sooner", "later"]);
  });

  it("a claim gets no more tasks after its client disconnects", () => {
    const { waiter, batch: one } = createBatch();
    waiter.cancel();
    expect(one.canTakeMore(0)).toBe(false);
  });
});
