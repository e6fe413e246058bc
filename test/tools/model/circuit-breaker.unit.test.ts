import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  startProbe,
  recordCallResult,
  isBreakerOpen,
  waitMsOf,
  CLOSED_BREAKER,
  type CircuitBreaker,
} from "../../../src/tools/model/tool-meter.ts";

const SECOND = 1_000;
const T0 = Date.UTC(2030, 0, 1);

/** The breaker after this many consecutive failures. */
function failed(times: number, from: CircuitBreaker = CLOSED_BREAKER): CircuitBreaker {
  let breaker = from;
  for (let call = 0; call < times; call += 1) {
    breaker = recordCallResult(breaker, "unhealthy", false, T0);
  }
  return breaker;
}

describe("a circuit breaker", () => {
  it("a breaker stays closed for four failures, and one success resets the count", () => {
    expect(waitMsOf(failed(4), T0)).toBe(0);
    expect(isBreakerOpen(failed(4, recordCallResult(failed(4), "healthy", false, T0)))).toBe(false);
    expect(isBreakerOpen(failed(5, recordCallResult(failed(4), "healthy", false, T0)))).toBe(true);
  });

  it("a breaker opens at the fifth failure for exactly ten seconds", () => {
    const open = failed(5);
    expect(waitMsOf(open, T0)).toBe(10 * SECOND);
    expect(waitMsOf(open, T0 + 10 * SECOND - 1)).toBe(1);
    expect(waitMsOf(open, T0 + 10 * SECOND)).toBe(0);
  });

  it("more failures do not lengthen the pause of an open breaker", () => {
    expect(failed(50)).toEqual(failed(5));
  });

  it("an open breaker accepts only the result of the probe", () => {
    const probing = startProbe(failed(5), T0 + 10 * SECOND);
    for (const late of ["unhealthy", "healthy", "unknown"] as const) {
      expect(recordCallResult(probing, late, false, T0 + 11 * SECOND)).toEqual(probing);
    }
  });

  it("an open breaker admits one probe at a time, and gives up a lost probe after a minute", () => {
    const later = T0 + 10 * SECOND;
    const probing = startProbe(failed(5), later);
    expect(waitMsOf(probing, later)).toBe(60 * SECOND);
    expect(waitMsOf(probing, later + 60 * SECOND)).toBe(0);
  });

  it("a successful probe closes the breaker", () => {
    const probing = startProbe(failed(5), T0 + 10 * SECOND);
    expect(recordCallResult(probing, "healthy", true, T0 + 11 * SECOND)).toEqual(CLOSED_BREAKER);
  });

  it("each failed probe doubles the breaker's pause, up to five minutes", () => {
    let breaker = failed(5);
    const rests = Array.from({ length: 7 }, () => {
      breaker = recordCallResult(startProbe(breaker, T0), "unhealthy", true, T0);
      return waitMsOf(breaker, T0) / SECOND;
    });
    expect(rests).toEqual([20, 40, 80, 160, 300, 300, 300]);
  });

  it("the next call becomes the probe if a probe never reached the system", () => {
    const probing = startProbe(failed(5), T0 + 10 * SECOND);
    const lost = recordCallResult(probing, "unknown", true, T0 + 10 * SECOND);
    expect(waitMsOf(lost, T0 + 10 * SECOND)).toBe(0);
    expect(isBreakerOpen(lost)).toBe(true);
  });

  it("a breaker never delays a call by more than five minutes", () => {
    const happening = fc.constantFrom("healthy", "unhealthy", "unknown", "admitted" as const);
    fc.assert(
      fc.property(fc.array(fc.tuple(happening, fc.boolean(), fc.nat(600_000))), (history) => {
        let now = T0;
        let breaker = CLOSED_BREAKER;
        for (const [what, isProbe, pause] of history) {
          now += pause;
          if (what === "admitted") breaker = startProbe(breaker, now);
          else breaker = recordCallResult(breaker, what, isProbe, now);
        }
        expect(waitMsOf(breaker, now)).toBeLessThanOrEqual(300 * SECOND);
        expect(waitMsOf(breaker, now + 300 * SECOND)).toBe(0);
      }),
    );
  });
});
