import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyAttempt,
  findExhaustedReason,
  findGoneReason,
  createDelivery,
  applyLateAttempt,
  startNewRound,
  type DeliveryLogEntry,
  type AttemptOutcome,
} from "../../../src/events/model/delivery.ts";
import { HOUR_MS, PAUSES_MS, SECOND_MS } from "./retry-pauses.ts";

const START = Date.parse("2030-01-01T00:00:00Z");

const fresh = (now = START): DeliveryLogEntry =>
  createDelivery(
    {
      position: 7,
      taskId: "a".repeat(64),
      seq: 3,
      type: "completed",
      at: "2030-01-01T00:00:00.000Z",
      agentId: null,
      teamId: null,
      data: {},
    },
    now,
  );

function outcome(at: number, changes: Partial<AttemptOutcome> = {}): AttemptOutcome {
  const failed = { at, durationMs: 20, status: 500, error: "It failed.", answer: null };
  return { ...failed, retryAfterSeconds: null, ...changes };
}

const success = (at: number) => outcome(at, { status: 204, error: null });

/** Outcomes that count as temporary failures: unexpected or missing responses. */
const failing = fc.record({
  status: fc.option(fc.integer({ min: 300, max: 999 }).filter((status) => status !== 410)),
  durationMs: fc.integer({ min: 0, max: 15_000 }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  retryAfterSeconds: fc.option(fc.integer({ min: 0, max: 10 ** 9 })),
});

/** Applies failed attempts until the delivery is final. Returns all of its states, in order. */
function failedBy(
  failures: readonly { durationMs: number; jitter: number; retryAfterSeconds: number | null }[],
  first = fresh(),
): DeliveryLogEntry[] {
  const states = [first];
  for (const { durationMs, jitter, retryAfterSeconds } of failures) {
    const before = states.at(-1);
    if (before === undefined || before.nextAt === null) break;
    const ended = before.nextAt + durationMs;
    const failure = outcome(before.nextAt, { durationMs, retryAfterSeconds });
    states.push(applyAttempt(before, failure, jitter, ended));
  }
  return states;
}

/** Ten failures with neither a Retry-After nor jitter. */
const PLAIN = Array.from({ length: 10 }, () => ({
  durationMs: 0,
  jitter: 0,
  retryAfterSeconds: null,
}));
const tenFailures = fc.array(failing, { minLength: 10, maxLength: 10 });

describe("the schedule of a delivery", () => {
  it("a delivery is due immediately and then after the documented pauses, apart from jitter", () => {
    const states = failedBy(PLAIN);
    const dues = states.flatMap(({ nextAt }) => (nextAt === null ? [] : [nextAt - START]));
    const sums = PAUSES_MS.map((_, index) =>
      PAUSES_MS.slice(0, index + 1).reduce((sum, pause) => sum + pause, 0),
    );
    expect(dues).toEqual([0, ...sums]);
  });

  it("a failing delivery has ten attempts within three days, none early and each at most 5% late", () => {
    fc.assert(
      fc.property(tenFailures, (failures) => {
        const unasked = failures.map((failure) => ({ ...failure, retryAfterSeconds: null }));
        const states = failedBy(unasked);
        expect(states).toHaveLength(11);
        const last = states.at(-1);
        expect(last).toMatchObject({ status: "failed", nextAt: null, tries: 10 });
        expect(last?.reason).toContain("All 10 attempts failed");
        states.slice(1, 10).forEach((state, index) => {
          const pauseMs = (state.nextAt ?? 0) - (state.attempts.at(-1)?.at ?? 0);
          const promisedMs = PAUSES_MS[index] ?? 0;
          const tookMs = unasked[index]?.durationMs ?? 0;
          expect(pauseMs).toBeGreaterThanOrEqual(promisedMs + tookMs);
          expect(pauseMs).toBeLessThanOrEqual(promisedMs * 1.05 + tookMs + 1);
        });
        expect((last?.settledAt ?? Infinity) - START).toBeLessThan(72 * HOUR_MS);
      }),
      { numRuns: 2_000 },
    );
  });

  it("Retry-After postpones an attempt by at most a day and never brings it forward", () => {
    fc.assert(
      fc.property(tenFailures, (failures) => {
        const states = failedBy(failures);
        states.slice(1, 10).forEach((state, index) => {
          const { durationMs = 0, retryAfterSeconds = null } = failures[index] ?? {};
          const pauseMs = (state.nextAt ?? 0) - (state.attempts.at(-1)?.at ?? 0) - durationMs;
          const promisedMs = PAUSES_MS[index] ?? 0;
          const askedMs = Math.min((retryAfterSeconds ?? 0) * SECOND_MS, 24 * HOUR_MS);
          expect(pauseMs).toBeGreaterThanOrEqual(Math.max(promisedMs, askedMs));
          expect(pauseMs).toBeLessThanOrEqual(Math.max(promisedMs * 1.05 + 1, askedMs));
        });
      }),
      { numRuns: 2_000 },
    );
  });

  it("a delivery ends with its first success after any number of failures", () => {
    fc.assert(
      fc.property(fc.array(failing, { maxLength: 9 }), (failures) => {
        const before = failedBy(failures).at(-1) ?? fresh();
        const now = before.nextAt ?? 0;
        const after = applyAttempt(before, success(now), 0.5, now);
        expect(after).toMatchObject({ status: "delivered", nextAt: null, settledAt: now });
        expect(after.attempts).toHaveLength(failures.length + 1);
        expect(findExhaustedReason(after, success(now), null)).toBeNull();
      }),
    );
  });

  it("a 410 ends a delivery immediately", () => {
    const gone = outcome(START, { status: 410 });
    const after = applyAttempt(fresh(), gone, 0, START);
    expect(after).toMatchObject({ status: "failed", nextAt: null });
    expect(findGoneReason(gone)).toContain("410");
  });

  it("a redelivery resets the count of attempts, and the log of attempts is bounded", () => {
    fc.assert(
      fc.property(fc.array(tenFailures, { minLength: 1, maxLength: 5 }), (rounds) => {
        let state = fresh();
        for (const [index, failures] of rounds.entries()) {
          state = failedBy(failures, state).at(-1) ?? state;
          expect(state).toMatchObject({ status: "failed", round: index + 1, tries: 10 });
          const now = (state.settledAt ?? 0) + HOUR_MS;
          state = startNewRound(state, now);
          expect(state).toMatchObject({ status: "pending", nextAt: now, tries: 0, reason: null });
          expect(state.attempts.length).toBeLessThanOrEqual(30);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("a webhook with failed deliveries", () => {
  it("a webhook is disabled exactly when all attempts of a delivery fail and no delivery has succeeded since the first of them", () => {
    const instant = fc.option(fc.integer({ min: START - HOUR_MS, max: START + 100 * HOUR_MS }));
    fc.assert(
      fc.property(tenFailures, instant, (failures, lastSuccessAt) => {
        const states = failedBy(failures);
        for (const state of states.slice(1, -1)) {
          expect(findExhaustedReason(state, outcome(START), lastSuccessAt)).toBeNull();
        }
        const end = states.at(-1) ?? fresh();
        const reason = findExhaustedReason(end, outcome(START), lastSuccessAt);
        const isWell = lastSuccessAt !== null && lastSuccessAt >= START;
        expect(reason === null).toBe(isWell);
        if (reason !== null) expect(reason).toContain("All 10 attempts of a delivery failed");
      }),
      { numRuns: 2_000 },
    );
  });

  it("a failed redelivery disables the webhook unless a delivery has succeeded since the redelivery's first attempt", () => {
    const first = failedBy(PLAIN).at(-1) ?? fresh();
    const again = startNewRound(first, START + 200 * HOUR_MS);
    const second = failedBy(PLAIN, again).at(-1) ?? again;
    // A success between the two series of attempts does not affect the second series.
    expect(findExhaustedReason(second, outcome(START), START + 100 * HOUR_MS)).not.toBeNull();
    expect(findExhaustedReason(second, outcome(START), START + 201 * HOUR_MS)).toBeNull();
  });
});

describe("an overtaken attempt", () => {
  it("a success counts for a delivery that another call marked as failed during the attempt", () => {
    const halted: DeliveryLogEntry = {
      ...fresh(),
      status: "failed",
      nextAt: null,
      reason: "disabled",
    };
    const late = applyLateAttempt(halted, success(START + 1), START + 2);
    expect(late).toMatchObject({ status: "delivered", settledAt: START + 2, reason: null });
    expect(late.attempts).toHaveLength(1);
    expect(applyLateAttempt(halted, outcome(START), START + 2)).toMatchObject({
      status: "failed",
      reason: "disabled",
    });
  });

  it("a redelivery requested during an attempt stays due although the attempt succeeds", () => {
    const again = startNewRound(fresh(), START + 5);
    expect(applyLateAttempt(again, success(START + 1), START + 6)).toMatchObject({
      status: "pending",
      nextAt: START + 5,
      round: 2,
      tries: 0,
    });
  });
});
