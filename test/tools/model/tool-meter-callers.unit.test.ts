import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  admitCall,
  settleCall,
  INITIAL_METER_STATE,
  type AdmissionTransition,
  type UpstreamHealth,
  type MeterState,
  type CallPermit,
  type CallTerms,
} from "../../../src/tools/model/tool-meter.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const T0 = Date.UTC(2030, 0, 31, 12);
const AGENTS_MAX = 200;

let tickets = 0;

function terms(
  agentId: string | null,
  requests: number,
  others: Partial<CallTerms> = {},
): CallTerms {
  return {
    rateLimit: { requests, period: "minute" },
    pricing: { model: "usage", free: 1_000_000, overage: 0 },
    costMax: null,
    version: 1,
    agentId,
    isShared: true,
    ...others,
  };
}

/** A meter and the current time. */
class Meter {
  state: MeterState = INITIAL_METER_STATE;
  now = T0;
  readonly #requests: number;

  constructor(requests = 1_000_000) {
    this.#requests = requests;
  }

  admit(agentId: string | null, others: Partial<CallTerms> = {}): AdmissionTransition {
    tickets += 1;
    const asked = terms(agentId, this.#requests, others);
    const admission = admitCall(this.state, asked, `call ${tickets}`, this.now);
    if (admission.admitted) this.state = admission.state;
    return admission;
  }

  settle(pass: CallPermit, health: UpstreamHealth): void {
    this.state = settleCall(this.state, pass, { ok: health === "healthy", health }, this.now);
  }

  /**
   * Makes one complete call. If the call is rejected, returns the reason: "circuit_open", "rate" or
   * "share".
   */
  make(
    agentId: string | null,
    health: UpstreamHealth = "healthy",
    others: Partial<CallTerms> = {},
  ): string {
    const admission = this.admit(agentId, others);
    if (!admission.admitted) return admission.reason;
    this.settle(admission.pass, health);
    return "made";
  }

  calls(count: number, agentId: string | null, health: UpstreamHealth = "healthy"): string[] {
    return Array.from({ length: count }, () => this.make(agentId, health));
  }
}

const madeOf = (calls: readonly string[]) => calls.filter((call) => call === "made").length;

describe("an agent whose calls fail", () => {
  it("an agent must wait after five failures in a row; other agents and callers without an agent need not", () => {
    const meter = new Meter();
    expect(madeOf(meter.calls(5, "noisy", "unhealthy"))).toBe(5);
    const rejected = meter.admit("noisy");
    expect(rejected).toMatchObject({ reason: "circuit_open", retryAfterSeconds: 10, isOwn: true });
    expect(meter.make("quiet")).toBe("made");
    expect(meter.make(null)).toBe("made");
  });

  it("only the agent's own success after the wait ends its wait, not a success of another agent", () => {
    const meter = new Meter();
    meter.calls(5, "noisy", "unhealthy");
    meter.make("quiet");
    expect(meter.make("noisy")).toBe("circuit_open");
    meter.now += 10 * SECOND;
    expect(meter.make("noisy")).toBe("made");
    expect(madeOf(meter.calls(4, "noisy", "unhealthy"))).toBe(4);
    expect(meter.make("noisy")).toBe("made");
  });

  it("an agent's failures and one failure of another agent do not open the tool's circuit", () => {
    const meter = new Meter();
    meter.calls(5, "noisy", "unhealthy");
    meter.make("quiet", "unhealthy");
    expect(meter.make("quiet")).toBe("made");
    expect(meter.make("third")).toBe("made");
  });

  it("a new version of the tool ends an agent's wait", () => {
    const meter = new Meter();
    meter.calls(5, "noisy", "unhealthy");
    expect(meter.make("noisy", "healthy", { version: 2 })).toBe("made");
  });

  it("an agent whose calls fail never makes another agent wait", () => {
    const health = fc.constantFrom<UpstreamHealth>("healthy", "unhealthy", "unknown");
    const step = fc.record({ health, pauseMs: fc.nat(20 * SECOND), isLate: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const meter = new Meter();
        const open: { pass: CallPermit; health: UpstreamHealth }[] = [];
        for (const one of steps) {
          meter.now += one.pauseMs;
          const admission = meter.admit("noisy");
          if (admission.admitted) open.push({ pass: admission.pass, health: one.health });
          if (!one.isLate) for (const late of open.splice(0)) meter.settle(late.pass, late.health);
          expect(meter.admit("quiet").admitted).toBe(true);
        }
      }),
    );
  });
});

describe("a system that fails for every caller", () => {
  it("every caller must wait after failures of five agents in a row, each counted once", () => {
    const meter = new Meter();
    for (const agentId of ["a", "b", "c", "d"]) meter.calls(3, agentId, "unhealthy");
    expect(meter.make("f", "unknown")).toBe("made");
    meter.make("e", "unhealthy");
    const rejected = meter.admit("f");
    expect(rejected).toMatchObject({ reason: "circuit_open", retryAfterSeconds: 10, isOwn: false });
    expect(meter.make(null)).toBe("circuit_open");
  });

  it("every caller must wait after five failures of calls without an agent", () => {
    const meter = new Meter();
    meter.calls(5, null, "unhealthy");
    expect(meter.make("a")).toBe("circuit_open");
  });

  it("one success between the failures keeps the circuit closed", () => {
    const meter = new Meter();
    for (const agentId of ["a", "b", "c", "d"]) meter.make(agentId, "unhealthy");
    meter.make("f");
    for (const agentId of ["e", "a", "b", "c"]) meter.make(agentId, "unhealthy");
    expect(meter.make("f")).toBe("made");
  });

  it("a failed probe by an agent whose own calls keep failing does not lengthen the tool's pause", () => {
    const meter = new Meter();
    meter.calls(5, "noisy", "unhealthy");
    for (const agentId of ["a", "b", "c", "d"]) meter.make(agentId, "unhealthy");
    expect(meter.make("f")).toBe("circuit_open");
    meter.now += 10 * SECOND;
    expect(meter.make("noisy", "unhealthy")).toBe("made");
    expect(meter.make("f")).toBe("made");
    expect(meter.make("a")).toBe("made");
  });
});

describe("a window that agents share", () => {
  const LIMIT = 100;

  it("one busy agent gets four fifths of a shared window, and the others the rest", () => {
    const meter = new Meter(LIMIT);
    expect(madeOf(meter.calls(LIMIT, "busy"))).toBe(80);
    expect(meter.admit("busy")).toMatchObject({
      reason: "share",
      window: { limit: LIMIT, remaining: 20, windowSeconds: 60, resetSeconds: 60 },
    });
    expect(meter.make("late")).toBe("made");
  });

  it("two busy agents get equal shares of a window, and some calls are left for a third", () => {
    const meter = new Meter(LIMIT);
    const made = { one: 0, two: 0 };
    for (let call = 0; call < LIMIT; call += 1) {
      if (meter.make("one") === "made") made.one += 1;
      if (meter.make("two") === "made") made.two += 1;
    }
    expect(Math.abs(made.one - made.two)).toBeLessThanOrEqual(1);
    expect(made.one + made.two).toBeGreaterThanOrEqual(86);
    expect(meter.make("late")).toBe("made");
  });

  it("an agent that is the only one with a grant, and callers without an agent, can use the whole window", () => {
    const alone = new Meter(LIMIT);
    for (let call = 0; call < LIMIT; call += 1) {
      expect(alone.make("busy", "healthy", { isShared: false })).toBe("made");
    }
    expect(alone.make("busy", "healthy", { isShared: false })).toBe("rate");
    expect(madeOf(new Meter(LIMIT).calls(LIMIT, null))).toBe(LIMIT);
  });

  it("failed calls do not count towards an agent's share", () => {
    const meter = new Meter(LIMIT);
    for (let call = 0; call < 4 * LIMIT; call += 1) meter.make("busy", "unknown");
    expect(madeOf(meter.calls(LIMIT, "busy"))).toBe(80);
  });

  it("every agent has a new share in the next window", () => {
    const meter = new Meter(LIMIT);
    meter.calls(LIMIT, "busy");
    meter.now += MINUTE;
    expect(madeOf(meter.calls(LIMIT, "busy"))).toBe(80);
  });

  it("a shared window never exceeds its limit, and its last call is reserved for an agent that made none", () => {
    const agents = ["a", "b", "c"];
    const call = fc.tuple(fc.constantFrom(...agents), fc.boolean());
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 40 }),
        fc.array(call, { maxLength: 120 }),
        (limit, calls) => {
          const meter = new Meter(limit);
          let made = agents.filter((agentId) => meter.make(agentId) === "made").length;
          for (const [agentId, isGood] of calls) {
            const outcome = meter.make(agentId, isGood ? "healthy" : "unknown");
            if (outcome === "made" && isGood) made += 1;
          }
          expect(made).toBeLessThan(limit);
          expect(meter.make("newcomer")).toBe("made");
          expect(madeOf(meter.calls(2 * limit, null))).toBe(limit - made - 1);
        },
      ),
    );
  });
});

describe("a meter's memory of agents", () => {
  it("a meter tracks a bounded number of agents and drops the one that called least recently", () => {
    const meter = new Meter();
    meter.calls(5, "first", "unhealthy");
    for (let agent = 0; agent < AGENTS_MAX + 50; agent += 1) {
      meter.make(`agent-${agent}`);
      expect(meter.state.callers.length).toBeLessThanOrEqual(AGENTS_MAX);
      expect(meter.state.failedAgentIds.length).toBeLessThanOrEqual(5);
    }
    expect(meter.state.callers).toHaveLength(AGENTS_MAX);
    expect(meter.make("first")).toBe("made");
  });

  it("a meter drops an agent at the end of the window if its last call succeeded", () => {
    const meter = new Meter();
    meter.make("good");
    meter.make("bad", "unhealthy");
    meter.now += MINUTE;
    meter.make("other");
    expect(meter.state.callers.map(({ agentId }) => agentId)).toEqual(["other", "bad"]);
  });

  it("a call that began before the meter lost its memory counts in its agent's share", () => {
    const meter = new Meter(10);
    const admission = meter.admit("busy");
    if (!admission.admitted) throw new Error("The call was rejected");
    meter.state = INITIAL_METER_STATE;
    meter.settle(admission.pass, "healthy");
    expect(meter.state.callers).toMatchObject([{ agentId: "busy", windowCalls: 1 }]);
  });
});
