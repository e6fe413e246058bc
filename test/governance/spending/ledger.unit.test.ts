import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  LimitLedger,
  type StoredReservation,
  type StoredUse,
} from "../../../src/governance/model/spending/ledger.ts";
import {
  findUselessCombination,
  NO_AMOUNTS,
  type Amounts,
  type LimitEvent,
  type LimitTerms,
} from "../../../src/governance/model/spending/limit.ts";

const NOON = Date.parse("2026-11-28T12:00:00Z");
const DAY_MS = 86_400_000;
const LOST_MS = 120_000;

function limitOf(change: Partial<LimitTerms> = {}): LimitTerms {
  return {
    id: "daily",
    subject: "all ",
    measure: "usd",
    per: "day",
    timeZone: "UTC",
    limit: 1,
    warnAt: 0.8,
    onExceeded: "deny",
    ...change,
  };
}

const usd = (amount: number): Amounts => ({ usd: amount, calls: 1, tokens: 0 });

/** A ledger with storage, which can be loaded again, as after an eviction. */
class StoredLedger {
  uses: readonly StoredUse[] = [];
  readonly reservations = new Map<string, StoredReservation>();
  readonly events: LimitEvent[] = [];
  ledger = new LimitLedger([], []);
  writes = 0;

  reload(): void {
    this.ledger = new LimitLedger(structuredClone(this.uses), [...this.reservations.values()]);
  }

  reserve(id: string, amounts: Amounts, limits: readonly LimitTerms[], now: number) {
    const times = { now, expiresAt: now + LOST_MS };
    const decision = this.ledger.reserve(id, amounts, limits, times);
    this.#save();
    return decision;
  }

  settle(id: string, used: Amounts, now: number): void {
    this.ledger.settle(id, used, now);
    this.#save();
  }

  #save(): void {
    const { reserved, ended, areUsesChanged, events } = this.ledger.takeChange();
    for (const one of reserved) this.reservations.set(one.id, one);
    for (const id of ended) this.reservations.delete(id);
    if (areUsesChanged) this.uses = this.ledger.uses;
    this.writes += reserved.length + ended.length + (areUsesChanged ? 1 : 0);
    this.events.push(...events);
  }
}

describe("the ledger of limits", () => {
  it("a reservation counts until it is settled, and then only what was used counts", () => {
    const store = new StoredLedger();
    const limit = limitOf();
    const resetAt = Date.parse("2026-11-29T00:00:00Z");
    expect(store.reserve("a", usd(0.6), [limit], NOON)).toEqual({ isGranted: true, isHeld: true });
    expect(store.reserve("b", usd(0.5), [limit], NOON)).toEqual({
      isGranted: false,
      pausing: null,
      exceeded: { limit, requested: 0.5, used: 0, reserved: 0.6, resetAt },
    });
    store.settle("a", usd(0.2), NOON);
    expect(store.ledger.readUse(limit, NOON)).toEqual({ used: 0.2, reserved: 0, resetAt });
    expect(store.reserve("b", usd(0.8), [limit], NOON).isGranted).toBe(true);
  });

  it("a limit that pauses agents is returned even if another one resets last", () => {
    const store = new StoredLedger();
    const month = limitOf({ id: "month", per: "month" });
    const day = limitOf({ onExceeded: "pause-agent" });
    const decision = store.reserve("a", usd(2), [month, day], NOON);
    expect(decision).toMatchObject({ exceeded: { limit: month }, pausing: { limit: day } });
    const other = limitOf({ id: "other", onExceeded: "pause-agent", limit: 10 });
    expect(store.reserve("b", usd(2), [month, other], NOON)).toMatchObject({ pausing: null });
  });

  it("a call is reserved in all limits or in none, and the limit that resets last is named", () => {
    const store = new StoredLedger();
    const [month, day] = [limitOf({ id: "month", per: "month" }), limitOf()];
    const wide = limitOf({ id: "wide", limit: 10 });
    const decision = store.reserve("a", usd(2), [wide, day, month], NOON);
    expect(decision).toMatchObject({ isGranted: false, exceeded: { limit: month } });
    for (const limit of [wide, day, month]) {
      expect(store.ledger.readUse(limit, NOON)).toMatchObject({ used: 0, reserved: 0 });
    }
  });

  it("settling twice, or after the reservation expired, changes nothing", () => {
    const store = new StoredLedger();
    const limit = limitOf();
    store.reserve("a", usd(0.3), [limit], NOON);
    store.settle("a", usd(0.1), NOON);
    store.settle("a", usd(0.1), NOON);
    expect(store.ledger.readUse(limit, NOON).used).toBe(0.1);
    store.reserve("b", usd(0.3), [limit], NOON);
    store.settle("b", usd(0.1), NOON + LOST_MS);
    expect(store.ledger.readUse(limit, NOON + LOST_MS)).toMatchObject({ used: 0.4, reserved: 0 });
  });

  it("reserving with the same id twice reserves once", () => {
    const store = new StoredLedger();
    const limit = limitOf();
    store.reserve("a", usd(0.6), [limit], NOON);
    expect(store.reserve("a", usd(0.6), [limit], NOON).isGranted).toBe(true);
    expect(store.ledger.readUse(limit, NOON).reserved).toBe(0.6);
  });

  it("a new window starts at zero, and a call that spans windows counts in the first", () => {
    const store = new StoredLedger();
    const limit = limitOf();
    const midnight = Date.parse("2026-11-29T00:00:00Z");
    store.reserve("a", usd(1), [limit], midnight - 1_000);
    expect(store.reserve("b", usd(1), [limit], midnight - 1).isGranted).toBe(false);
    expect(store.reserve("c", usd(0.7), [limit], midnight).isGranted).toBe(true);
    store.settle("a", usd(1), midnight + 1);
    expect(store.ledger.readUse(limit, midnight + 2)).toMatchObject({ used: 0, reserved: 0.7 });
  });

  it("a clock that is set back does not reset a window", () => {
    const store = new StoredLedger();
    const limit = limitOf();
    store.reserve("a", usd(1), [limit], NOON);
    store.settle("a", usd(1), NOON);
    store.reload();
    expect(store.reserve("b", usd(0.1), [limit], NOON - 2 * DAY_MS).isGranted).toBe(false);
    expect(store.reserve("b", usd(0.1), [limit], NOON + DAY_MS).isGranted).toBe(true);
  });

  it("another number keeps the use, and another rule starts at zero", () => {
    const store = new StoredLedger();
    store.reserve("a", usd(1), [limitOf()], NOON);
    store.settle("a", usd(1), NOON);
    const read = (change: Partial<LimitTerms>) => store.ledger.readUse(limitOf(change), NOON).used;
    expect(read({ limit: 5, warnAt: 0.5, onExceeded: "pause-agent" })).toBe(1);
    expect(read({ per: "week" })).toBe(0);
    expect(read({ subject: "agent ada" })).toBe(0);
    expect(read({ timeZone: "Asia/Tokyo" })).toBe(0);
    expect(read({ measure: "calls" })).toBe(0);
  });

  it("a limit per call compares each amount and counts nothing", () => {
    const store = new StoredLedger();
    const limit = limitOf({ per: "call" });
    expect(store.reserve("a", usd(1), [limit], NOON)).toEqual({ isGranted: true, isHeld: false });
    expect(store.reserve("b", usd(1.01), [limit], NOON)).toMatchObject({
      isGranted: false,
      exceeded: { used: 0, resetAt: null },
    });
    store.reserve("c", usd(1.01), [limit], NOON);
    expect(store.events.map(({ type }) => type)).toEqual(["limit.exceeded"]);
  });

  it("an amount of zero is allowed even if the limit is used up, and writes nothing", () => {
    const store = new StoredLedger();
    store.reserve("a", usd(1), [limitOf()], NOON);
    store.settle("a", usd(1), NOON);
    const { writes } = store;
    const decision = store.reserve("b", usd(0), [limitOf()], NOON);
    expect(decision).toEqual({ isGranted: true, isHeld: false });
    expect(store.writes).toBe(writes);
  });

  it("each window warns once and is exceeded once", () => {
    const store = new StoredLedger();
    const limit = limitOf();
    for (let day = 0; day < 2; day += 1) {
      const now = NOON + day * DAY_MS;
      for (let call = 0; call < 15; call += 1) {
        store.reserve(`${day}-${call}`, usd(0.1), [limit], now);
        store.settle(`${day}-${call}`, usd(0.1), now);
        store.reload();
      }
    }
    const seen = store.events.map(({ type, used }) => [type, used]);
    const ofDay = [
      ["limit.warned", 0.8],
      ["limit.exceeded", 1],
    ];
    expect(seen).toEqual([...ofDay, ...ofDay]);
  });

  it("a covered call writes one row when it reserves and two when it ends, for any number of limits", () => {
    const store = new StoredLedger();
    const limits = Array.from({ length: 5 }, (_, n) => limitOf({ id: `limit-${n}`, limit: 100 }));
    store.reserve("first", usd(1), limits, NOON);
    expect(store.writes).toBe(2);
    store.writes = 0;
    store.reserve("second", usd(1), limits, NOON);
    expect(store.writes).toBe(1);
    store.settle("second", usd(1), NOON);
    expect(store.writes).toBe(3);
    store.settle("first", NO_AMOUNTS, NOON);
    expect(store.writes).toBe(4);
  });

  it("the uses of many deleted limits are dropped, the least recently changed first", () => {
    const store = new StoredLedger();
    for (let n = 0; n < 1_001; n += 1) {
      store.reserve(`call-${n}`, usd(1), [limitOf({ id: `limit-${n}`, per: "total" })], NOON);
    }
    expect(store.uses).toHaveLength(1_000);
    expect(store.uses[0]?.limitId).toBe("limit-1");
  });
});

const LIMITS: readonly LimitTerms[] = [
  limitOf({ id: "day", limit: 5 }),
  limitOf({ id: "week", per: "week", timeZone: "Europe/Berlin", limit: 12 }),
  limitOf({ id: "total", per: "total", limit: 40 }),
  limitOf({ id: "calls", measure: "calls", limit: 6 }),
  limitOf({ id: "tokens", measure: "tokens", per: "month", limit: 900 }),
  limitOf({ id: "each", per: "call", limit: 2 }),
];

type Step =
  | { readonly kind: "reserve"; readonly amounts: Amounts; readonly covers: readonly number[] }
  | { readonly kind: "settle"; readonly call: number; readonly share: number }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "reload" };

const cents = (max: number) => fc.integer({ min: 0, max: max * 100 }).map((n) => n / 100);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("reserve" as const),
      amounts: fc.record({ usd: cents(3), calls: fc.nat(1), tokens: fc.nat(300) }),
      covers: fc.subarray(LIMITS.map((_, index) => index)),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("settle" as const),
      call: fc.nat(30),
      share: fc.constantFrom(0, 0.5, 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.constantFrom(1, 1_000, LOST_MS, DAY_MS / 4, DAY_MS, -DAY_MS, -LOST_MS),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "reload" }) },
);

describe("random histories", () => {
  it("no limit is ever exceeded, nothing used is lost, and what is not settled counts in full", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const store = new StoredLedger();
        let now = NOON;
        const reserved: Amounts[] = [];
        for (const one of steps) {
          if (one.kind === "pass") now += one.ms;
          if (one.kind === "reload") store.reload();
          if (one.kind === "reserve") {
            const covering = one.covers.flatMap((index) => LIMITS[index] ?? []);
            const before = covering.map((limit) => store.ledger.readUse(limit, now));
            const decision = store.reserve(`${reserved.length}`, one.amounts, covering, now);
            reserved.push(one.amounts);
            if (!decision.isGranted) {
              const after = covering.map((limit) => store.ledger.readUse(limit, now));
              expect(after.map(total)).toEqual(before.map(total));
            }
          }
          if (one.kind === "settle") {
            const { usd: cost = 0, calls = 0, tokens = 0 } = reserved[one.call] ?? {};
            const used = {
              usd: Math.round(cost * one.share * 100) / 100,
              calls: one.share === 0 ? 0 : calls,
              tokens: Math.round(tokens * one.share),
            };
            const wasOpen = store.reservations.has(`${one.call}`);
            const before = LIMITS.map((limit) => total(store.ledger.readUse(limit, now)));
            store.settle(`${one.call}`, used, now);
            const after = LIMITS.map((limit) => total(store.ledger.readUse(limit, now)));
            after.forEach((sum, index) => expect(sum).toBeLessThanOrEqual(before[index] ?? 0));
            if (!wasOpen) expect(store.reservations.has(`${one.call}`)).toBe(false);
          }
          for (const limit of LIMITS) {
            const use = store.ledger.readUse(limit, now);
            expect(total(use)).toBeLessThanOrEqual(limit.limit);
            expect(use.used).toBeGreaterThanOrEqual(0);
            expect(use.reserved).toBeGreaterThanOrEqual(0);
          }
        }
        // What is still reserved long after is lost, and counts as used.
        const stored = [...store.reservations.values()];
        const copy = new LimitLedger(store.uses, stored);
        const later = new LimitLedger(store.uses, stored);
        later.expire(now + 30 * DAY_MS);
        for (const limit of LIMITS) {
          const use = store.ledger.readUse(limit, now);
          expect(copy.readUse(limit, now)).toEqual(use);
          expect(later.readUse(limit, now)).toEqual({ ...use, used: total(use), reserved: 0 });
        }
      }),
      { numRuns: 300 },
    );
  }, 60_000);
});

function total({ used, reserved }: { used: number; reserved: number }): number {
  return Math.round((used + reserved) * 1e6) / 1e6;
}

describe("combinations without effect", () => {
  it.each([
    ["agent", "calls", "call", "per"],
    ["tool", "tokens", "day", "measure"],
    ["key", "tokens", "call", "measure"],
    ["team", "tokens", "call", null],
    ["all", "usd", "call", null],
    ["tool", "usd", "total", null],
  ] as const)("%s, %s, %s: the problem is in %s", (scope, measure, per, field) => {
    expect(findUselessCombination(scope, measure, per)?.field ?? null).toBe(field);
  });
});
