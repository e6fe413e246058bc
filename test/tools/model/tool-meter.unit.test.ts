import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  admitCall,
  settleCall,
  INITIAL_METER_STATE,
  type AdmissionTransition,
  type MeterState,
  type CallPermit,
  type CallTerms,
} from "../../../src/tools/model/tool-meter.ts";
import type { Pricing, RateLimit } from "../../../src/tools/model/tool.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const T0 = Date.UTC(2030, 0, 31, 23, 30, 0);
const TERMS = terms({ requests: 2, period: "minute" });

let count = 0;

function terms(rateLimit: RateLimit, pricing: Partial<Pricing> = {}): CallTerms {
  const priced = { model: "usage" as const, free: 1_000, overage: 0.5, ...pricing };
  const caller = { agentId: null, isShared: false };
  return { rateLimit, pricing: priced, costMax: null, version: 1, ...caller };
}

/** Makes calls at these times, one after another. */
function calls(
  given: CallTerms,
  times: readonly number[],
  from = INITIAL_METER_STATE,
): AdmissionTransition[] {
  let state: MeterState = from;
  return times.map((now) => {
    const admission = admitCall(state, given, `call ${(count += 1)}`, now);
    if (admission.admitted) ({ state } = admission);
    return admission;
  });
}

function admitted(admission: AdmissionTransition | undefined) {
  if (admission?.admitted !== true) throw new Error("The call was rejected");
  return admission;
}

function windowOf(admission: AdmissionTransition | undefined) {
  if (admission === undefined || !("window" in admission))
    throw new Error("The result has no window");
  return admission.window;
}

/** The meter after a call that failed for a reason unrelated to the tool's health. */
function cancelCall(current: MeterState, { pass }: { pass: CallPermit }): MeterState {
  return settleCall(current, pass, { ok: false, health: "unknown" }, T0);
}

const verdicts = (admissions: readonly AdmissionTransition[]) =>
  admissions.map(({ admitted: yes }) => yes);

describe("the window", () => {
  it("a window opens with its first call and admits calls up to the limit", () => {
    const start = T0 + 17_250;
    const times = [start, start + 1, start + 2, start + MINUTE - 1, start + MINUTE];
    expect(verdicts(calls(TERMS, times))).toEqual([true, true, false, false, true]);
  });

  it("a window shows the remaining calls and the seconds until it resets, rounded up", () => {
    const times = [T0, T0 + 500, T0 + 59_001, T0 + MINUTE - 1];
    expect(calls(TERMS, times).map(windowOf)).toEqual([
      { limit: 2, remaining: 1, windowSeconds: 60, resetSeconds: 60 },
      { limit: 2, remaining: 0, windowSeconds: 60, resetSeconds: 60 },
      { limit: 2, remaining: 0, windowSeconds: 60, resetSeconds: 1 },
      { limit: 2, remaining: 0, windowSeconds: 60, resetSeconds: 1 },
    ]);
  });

  it("a window is open again after the announced wait", () => {
    const [, , refused] = calls(TERMS, [T0, T0, T0 + 12_345]);
    const later = T0 + 12_345 + windowOf(refused).resetSeconds * SECOND;
    expect(verdicts(calls(TERMS, [T0, T0, T0 + 12_345, later]))).toEqual([true, true, false, true]);
  });

  it.each([
    ["second", 1],
    ["minute", 60],
    ["hour", 3_600],
    ["day", 86_400],
  ] as const)("a window of a %s lasts %d s", (period, seconds) => {
    const once = terms({ requests: 1, period });
    const end = T0 + seconds * SECOND;
    expect(verdicts(calls(once, [T0, end - 1, end]))).toEqual([true, false, true]);
    expect(windowOf(calls(once, [T0])[0]).windowSeconds).toBe(seconds);
  });

  it("rejected calls do not change the window", () => {
    const [first] = calls(terms({ requests: 1, period: "minute" }), [T0]);
    const { state } = admitted(first);
    expect(
      admitCall(Object.freeze(state), terms({ requests: 1, period: "minute" }), "x", T0 + 1),
    ).toEqual({
      admitted: false,
      reason: "rate",
      window: { limit: 1, remaining: 0, windowSeconds: 60, resetSeconds: 60 },
    });
  });

  it("a window never admits more calls than the limit, at any times", () => {
    const time = fc.integer({ min: 0, max: 5 * MINUTE });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(time), (requests, offsets) => {
        const times = offsets.toSorted((a, b) => a - b).map((offset) => T0 + offset);
        const starts = new Map<number, number>();
        for (const one of calls(terms({ requests, period: "minute" }), times)) {
          if (!one.admitted) continue;
          const { windowStartedAt } = one.state;
          starts.set(windowStartedAt, (starts.get(windowStartedAt) ?? 0) + 1);
        }
        expect(Math.max(0, ...starts.values())).toBeLessThanOrEqual(requests);
        const opened = [...starts.keys()];
        for (const [index, start] of opened.slice(1).entries()) {
          expect(start - (opened[index] ?? 0)).toBeGreaterThanOrEqual(MINUTE);
        }
      }),
    );
  });
});

describe("the price", () => {
  const ROOMY: RateLimit = { requests: 100, period: "day" };
  const priced = terms(ROOMY, { free: 2 });
  const costs = (admissions: readonly AdmissionTransition[]) =>
    admissions.map((one) => admitted(one).cost);

  it("the free calls of a month cost nothing, and further calls cost the overage", () => {
    expect(costs(calls(priced, [T0, T0, T0, T0]))).toEqual([0, 0, 0.5, 0.5]);
    expect(costs(calls(terms(ROOMY, { free: 0 }), [T0]))).toEqual([0.5]);
  });

  it("the free calls of a month start again in the next UTC month, even within an open window", () => {
    const lastMoment = Date.UTC(2030, 1, 1) - 1;
    const times = [T0, T0, lastMoment, lastMoment + 1, lastMoment + 1, lastMoment + 1];
    expect(costs(calls(priced, times))).toEqual([0, 0, 0.5, 0, 0, 0.5]);
  });

  it("the calls of one January do not count in January of another year", () => {
    const nextYear = Date.UTC(2031, 0, 31);
    expect(costs(calls(priced, [T0, T0, nextYear, nextYear]))).toEqual([0, 0, 0, 0]);
  });
});

describe("a caller's maximum price", () => {
  const capped = (costMax: number): CallTerms => ({
    ...terms({ requests: 2, period: "minute" }, { free: 1 }),
    costMax,
  });

  it("a call above the maximum price is rejected and does not count", () => {
    const [free, refused] = calls(capped(0.49), [T0, T0]);
    expect(admitted(free).cost).toBe(0);
    expect(refused).toMatchObject({ admitted: false, reason: "cost", window: { remaining: 1 } });
  });

  it("a call that costs exactly the maximum price, or nothing, is admitted", () => {
    expect(verdicts(calls(capped(0.5), [T0, T0]))).toEqual([true, true]);
    expect(verdicts(calls(capped(0), [T0]))).toEqual([true]);
  });

  it("the maximum price is not checked if the rate limit already rejects the call", () => {
    const [, , refused] = calls(capped(0.5), [T0, T0, T0]);
    expect(refused).toMatchObject({ admitted: false, reason: "rate" });
  });
});

describe("a returned call", () => {
  const priced = terms({ requests: 2, period: "minute" }, { free: 1 });

  it("a returned call frees its slot in the window and in the month", () => {
    const [first, second] = calls(priced, [T0, T0]).map(admitted);
    if (first === undefined || second === undefined)
      throw new Error("There are fewer than two calls");
    expect([first.cost, second.cost]).toEqual([0, 0.5]);
    const back = cancelCall(cancelCall(second.state, second), first);
    const again = calls(priced, [T0 + 1, T0 + 1, T0 + 1], back);
    expect(verdicts(again)).toEqual([true, true, false]);
    expect(again.slice(0, 2).map((one) => admitted(one).cost)).toEqual([0, 0.5]);
  });

  it("a call that is returned after its window or month closed frees no slot in the next", () => {
    const [old] = calls(priced, [T0]).map(admitted);
    const later = T0 + 40 * MINUTE;
    const [current] = calls(priced, [later], old?.state).map(admitted);
    if (old === undefined || current === undefined)
      throw new Error("There are fewer than two calls");
    expect(current.state.month).not.toBe(old.state.month);
    expect(cancelCall(current.state, old)).toMatchObject({
      windowCalls: current.state.windowCalls,
      monthCalls: current.state.monthCalls,
    });
  });

  it("after the only call of a window is returned, the next call opens a new window", () => {
    const [only] = calls(priced, [T0]).map(admitted);
    if (only === undefined) throw new Error("There is no call");
    const [next] = calls(priced, [T0 + 30 * SECOND], cancelCall(only.state, only));
    expect(windowOf(next).resetSeconds).toBe(60);
  });

  it("a call that is returned twice does not make the counts negative", () => {
    const [only] = calls(priced, [T0]).map(admitted);
    if (only === undefined) throw new Error("There is no call");
    const back = cancelCall(cancelCall(only.state, only), only);
    expect(back).toMatchObject({ windowCalls: 0, monthCalls: 0 });
  });
});

describe("a finished call", () => {
  const fine = { ok: true, health: "healthy" } as const;
  const ill = { ok: false, health: "unhealthy" } as const;

  it("a successful call stays counted and is no longer in progress", () => {
    const [only] = calls(TERMS, [T0]).map(admitted);
    if (only === undefined) throw new Error("There is no call");
    expect(only.state.underWay).toEqual([only.pass]);
    const after = settleCall(only.state, only.pass, fine, T0 + 1);
    expect(after).toEqual({ ...only.state, underWay: [] });
  });

  it("a successful call is counted when it ends if the meter has lost its memory", () => {
    const [first, second] = calls(TERMS, [T0, T0]).map(admitted);
    if (first === undefined || second === undefined)
      throw new Error("There are fewer than two calls");
    // The state stored when the first call ended, without the admission of the second call.
    const kept = settleCall(first.state, first.pass, fine, T0);
    expect(kept.windowCalls).toBe(1);
    expect(settleCall(kept, second.pass, fine, T0)).toMatchObject({
      windowCalls: 2,
      monthCalls: 2,
    });
    expect(settleCall(kept, second.pass, ill, T0)).toMatchObject({ windowCalls: 1, monthCalls: 1 });
  });

  it("the result of a call on an earlier version does not change the health of the current one", () => {
    const roomy = terms({ requests: 100, period: "minute" });
    const hanging = calls(
      roomy,
      Array.from({ length: 5 }, () => T0),
    ).map(admitted);
    const [fixed] = calls({ ...roomy, version: 2 }, [T0], hanging.at(-1)?.state).map(admitted);
    if (fixed === undefined) throw new Error("There is no call");
    let state = settleCall(fixed.state, fixed.pass, fine, T0);
    for (const { pass } of hanging) state = settleCall(state, pass, ill, T0);
    expect(verdicts(calls({ ...roomy, version: 2 }, [T0], state))).toEqual([true]);
    expect(state.underWay).toEqual([]);
  });

  it("a finished call restores the window and the month that the meter has lost", () => {
    const [first] = calls(TERMS, [T0]).map(admitted);
    if (first === undefined) throw new Error("There is no call");
    const after = settleCall(INITIAL_METER_STATE, first.pass, fine, T0 + 1);
    expect(after).toMatchObject({ windowStartedAt: T0, windowCalls: 1, monthCalls: 1 });
    expect(verdicts(calls(TERMS, [T0 + 2, T0 + 3], after))).toEqual([true, false]);
  });

  it("a call that never ends is dropped from the calls in progress", () => {
    const [lost] = calls(TERMS, [T0]).map(admitted);
    const [next] = calls(TERMS, [T0 + 2 * MINUTE], lost?.state).map(admitted);
    expect(next?.state.underWay).toEqual([next?.pass]);
  });

  it("the fifth failure in a row delays further calls, even below the rate limit", () => {
    const roomy = terms({ requests: 100, period: "minute" });
    let state = INITIAL_METER_STATE;
    for (let call = 0; call < 5; call += 1) {
      const [one] = calls(roomy, [T0], state).map(admitted);
      if (one === undefined) throw new Error("There is no call");
      state = settleCall(one.state, one.pass, ill, T0);
    }
    expect(admitCall(state, roomy, "x", T0 + 1)).toEqual({
      admitted: false,
      reason: "circuit_open",
      retryAfterSeconds: 10,
      isOwn: false,
    });
    expect(state).toMatchObject({ windowCalls: 0, monthCalls: 0 });
    // Callers need not wait once the tool has been fixed.
    expect(verdicts(calls({ ...roomy, version: 2 }, [T0 + 1], state))).toEqual([true]);
    const [probe, second] = calls(roomy, [T0 + 10 * SECOND, T0 + 10 * SECOND], state);
    expect([probe?.admitted, second?.admitted]).toEqual([true, false]);
  });
});
