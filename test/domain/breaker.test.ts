import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterAdmission,
  afterCall,
  afterNothing,
  isOpen,
  restMs,
  WELL,
  type Breaker,
} from "../../src/domain/breaker.ts";

const SECOND = 1_000;
const T0 = Date.UTC(2030, 0, 1);

/** The breaker after this many failures in a row, each at its own second. */
function failed(times: number, from: Breaker = WELL, at = T0): Breaker {
  let breaker = from;
  for (let call = 0; call < times; call += 1) breaker = afterCall(breaker, false, at);
  return breaker;
}

describe("a breaker", () => {
  it("stays closed through four failures, and forgets them with one success", () => {
    expect(restMs(failed(4), T0)).toBe(0);
    expect(failed(4, afterCall(failed(4), true, T0)).failures).toBe(4);
    expect(isOpen(failed(4, afterCall(failed(4), true, T0)))).toBe(false);
  });

  it("opens with the fifth for ten seconds, to the millisecond", () => {
    const open = failed(5);
    expect(restMs(open, T0)).toBe(10 * SECOND);
    expect(restMs(open, T0 + 10 * SECOND - 1)).toBe(1);
    expect(restMs(open, T0 + 10 * SECOND)).toBe(0);
  });

  it("then lets one probe pass at a time; a lost one is given up after 30 s", () => {
    const later = T0 + 10 * SECOND;
    const probing = afterAdmission(failed(5), later);
    expect(restMs(probing, later)).toBe(30 * SECOND);
    expect(restMs(probing, later + 30 * SECOND)).toBe(0);
  });

  it("closes with a probe that finds the system well", () => {
    const probing = afterAdmission(failed(5), T0 + 10 * SECOND);
    expect(afterCall(probing, true, T0 + 11 * SECOND)).toEqual(WELL);
  });

  it("rests twice as long after each probe that fails, at most five minutes", () => {
    const rests = [6, 7, 8, 9, 10, 11, 40].map((times) => restMs(failed(times), T0) / SECOND);
    expect(rests).toEqual([20, 40, 80, 160, 300, 300, 300]);
  });

  it("lets the next call probe when one never reached the system", () => {
    const probing = afterAdmission(failed(5), T0 + 10 * SECOND);
    expect(restMs(afterNothing(probing), T0 + 10 * SECOND)).toBe(0);
    expect(isOpen(afterNothing(probing))).toBe(true);
  });

  it("never holds a call back longer than five minutes, whatever happened", () => {
    const happening = fc.constantFrom("well", "ill", "nothing", "admitted");
    fc.assert(
      fc.property(fc.array(fc.tuple(happening, fc.nat(600_000))), (history) => {
        let now = T0;
        let breaker = WELL;
        for (const [what, pause] of history) {
          now += pause;
          if (what === "nothing") breaker = afterNothing(breaker);
          else if (what === "admitted") breaker = afterAdmission(breaker, now);
          else breaker = afterCall(breaker, what === "well", now);
        }
        expect(restMs(breaker, now)).toBeLessThanOrEqual(300 * SECOND);
        expect(restMs(breaker, now + 300 * SECOND)).toBe(0);
      }),
    );
  });
});
