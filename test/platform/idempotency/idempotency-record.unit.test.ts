import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IDEMPOTENCY_RETENTION_MS, IDEMPOTENCY_LOCK_MAX_MS } from "../../../src/platform/limits.ts";
import {
  recordExpiresAt,
  isLockHolder,
  idempotencyStatusOf,
  type IdempotencyRecord,
} from "../../../src/platform/idempotency/idempotency-record.ts";

const T0 = Date.UTC(2030, 0, 31);
const TAKING: IdempotencyRecord = { fingerprint: "a", ticket: "first", at: T0 };

const statusAfter = (isAnswered: boolean, fingerprint: string, afterMs: number) =>
  idempotencyStatusOf(TAKING, isAnswered, fingerprint, T0 + afterMs);

describe("the status of a key", () => {
  it("an unused key is free", () => {
    expect(idempotencyStatusOf(null, false, "a", T0)).toBe("free");
  });

  it.each([
    ["at once", 0, "in_progress"],
    ["to the last moment", IDEMPOTENCY_LOCK_MAX_MS - 1, "in_progress"],
    ["after two minutes", IDEMPOTENCY_LOCK_MAX_MS, "lost"],
    ["for a day", IDEMPOTENCY_RETENTION_MS - 1, "lost"],
    ["after a day", IDEMPOTENCY_RETENTION_MS, "free"],
  ] as const)(
    "a key without a response is in progress, lost after two minutes, and free after a day: %s",
    (_, afterMs, expected) => {
      expect(statusAfter(false, "a", afterMs)).toBe(expected);
    },
  );

  it.each([
    ["at once", 0, "lost"],
    ["for a day", IDEMPOTENCY_RETENTION_MS - 1, "lost"],
    ["after a day", IDEMPOTENCY_RETENTION_MS, "free"],
  ] as const)(
    "a key whose work was interrupted is lost for a day, then free: %s",
    (_, afterMs, expected) => {
      const lost: IdempotencyRecord = { ...TAKING, isLost: true };
      expect(idempotencyStatusOf(lost, false, "a", T0 + afterMs)).toBe(expected);
      expect(isLockHolder(lost, false, "first")).toBe(false);
    },
  );

  it.each([
    ["at once", 0, "answered"],
    ["for a day", IDEMPOTENCY_RETENTION_MS - 1, "answered"],
    ["after a day", IDEMPOTENCY_RETENTION_MS, "free"],
  ] as const)(
    "a key with a response is answered for a day, then free: %s",
    (_, afterMs, expected) => {
      expect(statusAfter(true, "a", afterMs)).toBe(expected);
    },
  );

  it("a different request with the key gets no information about the first until the key expires", () => {
    const asked = fc.record({
      isAnswered: fc.boolean(),
      afterMs: fc.nat(IDEMPOTENCY_RETENTION_MS - 1),
    });
    fc.assert(
      fc.property(asked, ({ isAnswered, afterMs }) => {
        expect(statusAfter(isAnswered, "b", afterMs)).toBe("reused");
      }),
    );
    expect(statusAfter(true, "b", IDEMPOTENCY_RETENTION_MS)).toBe("free");
  });
});

/** A model of one stored idempotency key. */
interface World {
  taking: IdempotencyRecord | null;
  answer: string | null;
}

type Move =
  | { readonly type: "ask"; readonly fingerprint: string }
  | { readonly type: "keep" | "release" | "lose"; readonly ticket: number }
  | { readonly type: "wait"; readonly ms: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ type: fc.constant("ask" as const), fingerprint: fc.constantFrom("a", "b") }),
  fc.record({
    type: fc.constantFrom("keep" as const, "release" as const, "lose" as const),
    ticket: fc.nat(9),
  }),
  fc.record({
    type: fc.constant("wait" as const),
    ms: fc.oneof(fc.nat(IDEMPOTENCY_LOCK_MAX_MS * 2), fc.nat(IDEMPOTENCY_RETENTION_MS)),
  }),
);

describe("any order of requests", () => {
  it("only one request at a time holds a key, and only identical requests get its response", () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
        const world: World = { taking: null, answer: null };
        let now = T0;
        let asked = 0;
        /** Until this time, the key is locked or has a response, unless it is released earlier. */
        let heldUntil = -Infinity;
        for (const one of moves) {
          if (one.type === "wait") now += one.ms;
          else if (one.type === "ask") {
            const kind = idempotencyStatusOf(
              world.taking,
              world.answer !== null,
              one.fingerprint,
              now,
            );
            if (kind === "free") {
              expect(now).toBeGreaterThanOrEqual(heldUntil);
              world.taking = { fingerprint: one.fingerprint, ticket: String(asked), at: now };
              world.answer = null;
              heldUntil = recordExpiresAt(world.taking);
            } else expect(now).toBeLessThan(heldUntil);
            if (kind === "answered")
              expect(world.answer).toBe(`${one.fingerprint} by ${world.taking?.ticket}`);
            if (world.taking?.isLost) expect(["lost", "reused"]).toContain(kind);
            asked += 1;
          } else if (isLockHolder(world.taking, world.answer !== null, String(one.ticket))) {
            expect(world.taking?.ticket).toBe(String(one.ticket));
            expect(world.answer).toBeNull();
            if (one.type === "keep") {
              world.answer = `${world.taking?.fingerprint} by ${one.ticket}`;
            } else if (one.type === "lose") {
              if (world.taking !== null) world.taking = { ...world.taking, isLost: true };
            } else {
              world.taking = null;
              heldUntil = now;
            }
          }
        }
      }),
    );
  });
});
