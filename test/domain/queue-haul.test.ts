import { describe, expect, it } from "vitest";
import { Haul, type Admitted } from "../../src/agents/queue/haul.ts";
import { Line } from "../../src/agents/queue/line.ts";
import { CLAIM_BYTES_MAX, CONTEXT_BYTES_MAX } from "../../src/domain/limits.ts";

const CLAIM = { id: "c", worker: null, keyId: null, tasksMax: 100, leaseSeconds: 60, waitMs: 0 };

function haul(): { visitor: ReturnType<Line["join"]>; haul: Haul } {
  const visitor = new Line().join(0);
  return { visitor, haul: new Haul(CLAIM, visitor) };
}

/** What the haul reads of a task, which is as large as its context. */
function task(bytes: number): Admitted {
  const read = { context: { text: "x".repeat(bytes) }, work: {}, answers: [] };
  const lease = { token: "t", worker: null, seconds: 60, expiresAt: 0 };
  return { admitted: true, task: read, lease } as unknown as Admitted;
}

describe("what a claim gets", () => {
  it("is one task at least, however large, and then no more", () => {
    const one = haul().haul;
    expect(one.takesMore(0)).toBe(true);
    one.take(0, "huge", task(2 * CLAIM_BYTES_MAX));
    expect(one.takesMore(0)).toBe(false);
    expect(one.tasks().map(({ taskId }) => taskId)).toEqual(["huge"]);
  });

  it("leaves room for those that are being asked, which may be large", () => {
    const one = haul().haul;
    const large = CLAIM_BYTES_MAX / CONTEXT_BYTES_MAX;
    expect([large - 1, large].map((asking) => one.takesMore(asking))).toEqual([true, false]);
    one.take(0, "small", task(1_000));
    expect([large - 2, large - 1].map((asking) => one.takesMore(asking))).toEqual([true, true]);
    one.take(1, "large", task(CONTEXT_BYTES_MAX));
    expect([large - 2, large - 1].map((asking) => one.takesMore(asking))).toEqual([true, false]);
  });

  it("is in the order in which they were asked, without those who did not come", () => {
    const one = haul().haul;
    one.take(3, "later", task(1));
    one.take(1, "sooner", task(1));
    one.take(2, "by itself", { ...task(1), lease: null });
    expect(one.tasks().map(({ taskId }) => taskId)).toEqual(["sooner", "later"]);
  });

  it("grows no more once its client is gone", () => {
    const { visitor, haul: one } = haul();
    visitor.giveUp();
    expect(one.takesMore(0)).toBe(false);
  });
});
