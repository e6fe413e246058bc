import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyLimitChange,
  findExcessiveLimits,
  inheritLimits,
  KEY_LIMIT_NAMES,
  KEY_LIMITS,
  resolveKeyLimits,
  type KeyLimitChange,
} from "../../../src/keys/model/key-limits.ts";
import {
  countRequest,
  OpenStreams,
  type RequestCount,
  RequestCounts,
} from "../../../src/keys/model/request-counters.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const T0 = Date.UTC(2030, 0, 31, 12, 0, 0);

/** Which requests at these times are admitted under one limit. */
function requests(limit: number, times: readonly number[]): boolean[] {
  let count: RequestCount | undefined;
  return times.map((now) => {
    const counted = countRequest(count, limit, now);
    ({ count } = counted);
    return counted.isAdmitted;
  });
}

const change = fc.record(
  Object.fromEntries(
    KEY_LIMIT_NAMES.map((name) => [
      name,
      fc.option(fc.integer({ min: KEY_LIMITS[name].min, max: 20_000 })),
    ]),
  ),
  { requiredKeys: [] },
);

describe("the limits of a key", () => {
  it("a key without its own limits has the default limits", () => {
    for (const name of KEY_LIMIT_NAMES) {
      expect(resolveKeyLimits(null)[name]).toBe(KEY_LIMITS[name].default);
      expect(resolveKeyLimits({ [name]: 1 })).toEqual({ ...resolveKeyLimits(null), [name]: 1 });
    }
  });

  it("limits that a change omits stay, and null restores the default", () => {
    const before = { openStreams: 5, pushConfigurations: 6 };
    expect(applyLimitChange(before, { openStreams: null, requestsPerMinute: 7 })).toEqual({
      requestsPerMinute: 7,
      pushConfigurations: 6,
    });
    expect(applyLimitChange({ openStreams: 5 }, { openStreams: null })).toBeNull();
  });

  it("the limits of a new key never exceed those of the key that creates it", () => {
    fc.assert(
      fc.property(change, change, (given: KeyLimitChange, parentChange: KeyLimitChange) => {
        const parent = resolveKeyLimits(applyLimitChange(null, parentChange));
        fc.pre(findExcessiveLimits(given, parent).length === 0);
        const child = resolveKeyLimits(inheritLimits(given, parent));
        for (const name of KEY_LIMIT_NAMES) {
          expect(child[name]).toBeLessThanOrEqual(parent[name]);
          if (typeof given[name] === "number") expect(child[name]).toBe(given[name]);
        }
      }),
    );
  });

  it("a key cannot set a limit above its own, either as a number or as the default", () => {
    const by = resolveKeyLimits({ openStreams: 10 });
    expect(findExcessiveLimits({ openStreams: 10, requestsPerMinute: 1 }, by)).toEqual([]);
    for (const given of [11, null]) {
      expect(findExcessiveLimits({ openStreams: given }, by)).toEqual([
        { name: "openStreams", given: given ?? KEY_LIMITS.openStreams.default, max: 10 },
      ]);
    }
    expect(findExcessiveLimits({ openStreams: 99_999 }, null)).toEqual([]);
  });
});

describe("requests per minute", () => {
  it("requests are admitted up to the limit, and again once the minute is over", () => {
    const times = [0, 1, 2, MINUTE - 1, MINUTE, MINUTE + 1, MINUTE + 2].map((at) => T0 + at);
    expect(requests(2, times)).toEqual([true, true, false, false, true, true, false]);
  });

  it("a clock that was set back starts a new minute", () => {
    expect(requests(1, [T0, T0 + 1, T0 - MINUTE, T0 - MINUTE + 1])).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it("the window states the remaining requests and the end of the minute", () => {
    const first = countRequest(undefined, 2, T0);
    expect(first.window).toEqual({ limit: 2, remaining: 1, windowSeconds: 60, resetSeconds: 60 });
    const second = countRequest(first.count, 2, T0 + 10 * SECOND + 1);
    expect(second.window).toMatchObject({ remaining: 0, resetSeconds: 50 });
    const rejected = countRequest(second.count, 2, T0 + MINUTE - 1);
    expect(rejected).toMatchObject({
      isAdmitted: false,
      window: { remaining: 0, resetSeconds: 1 },
    });
    // The limit is now lower than the number of requests already counted.
    expect(countRequest(second.count, 1, T0).window.remaining).toBe(0);
  });

  it("requests are counted by key, for a bounded number of keys", () => {
    const counts = new RequestCounts(3);
    for (const key of ["a", "b", "c"]) counts.count(key, 1, T0);
    expect(counts.count("b", 1, T0 + 1).isAdmitted).toBe(false);
    counts.count("d", 1, T0 + 2);
    expect(counts.size).toBe(3);
    expect(counts.count("c", 1, T0 + 3).isAdmitted).toBe(false);
    counts.count("e", 1, T0 + MINUTE + 1);
    // The windows of b and c have ended.
    expect(counts.size).toBe(2);
    for (let key = 0; key < 100; key += 1) counts.count(`${key}`, 1, T0 + MINUTE + 1);
    expect(counts.size).toBe(3);
  });
});

describe("open streams", () => {
  it("each key can have as many open streams as its limit allows", () => {
    const streams = new OpenStreams(MINUTE);
    const ends = [streams.begin("a", 2, T0), streams.begin("a", 2, T0)];
    expect(streams.begin("a", 2, T0)).toBeNull();
    expect(streams.begin("b", 2, T0)).not.toBeNull();
    // Ending a stream twice does not end another one.
    ends[0]?.();
    ends[0]?.();
    expect(streams.countOpen("a")).toBe(1);
    expect(streams.begin("a", 2, T0)).not.toBeNull();
    expect(streams.begin("a", 2, T0)).toBeNull();
  });

  it("a stream whose end was never reported stops counting after its maximum lifetime", () => {
    const streams = new OpenStreams(MINUTE);
    const end = streams.begin("a", 1, T0);
    expect(streams.begin("a", 1, T0 + MINUTE - 1)).toBeNull();
    expect(streams.begin("a", 1, T0 + MINUTE)).not.toBeNull();
    end?.();
    expect(streams.countOpen("a")).toBe(1);
  });

  it("a key with a limit of zero cannot open a stream", () => {
    expect(new OpenStreams(MINUTE).begin("a", 0, T0)).toBeNull();
  });
});
