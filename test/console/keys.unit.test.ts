import { describe, expect, it } from "vitest";
import { EMPTY_KEY, keyBody } from "../../console/src/keys/key-form.ts";
import {
  changedLimits,
  LIMIT_NAMES,
  limitTexts,
  newLimits,
  NO_LIMITS,
  type KeyLimits,
} from "../../console/src/keys/limits.ts";
import { SCOPES, whyNotScope } from "../../console/src/keys/scopes.ts";
import { readKeysSearch } from "../../console/src/keys/search.ts";
import { describeUserAgent } from "../../console/src/keys/user-agent.ts";
import { isUnboundScope } from "../../src/keys/model/key.ts";
import { createKeyBody } from "../../src/keys/schemas.ts";
import { Rng } from "../support/rng.ts";

const NOW = Date.parse("2030-01-31T12:00:00Z");

function randomLimits(rng: Rng): KeyLimits {
  return {
    requestsPerMinute: rng.between(1, 10_000),
    openStreams: rng.below(1_000),
    pushConfigurations: rng.below(1_000),
    liveTasks: rng.below(1_000),
    storedBytes: rng.below(1_000_000),
  };
}

describe("the form for a new key", () => {
  it("makes bodies that the API's schema accepts", () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const rng = new Rng(seed);
      const boundTo = rng.pick(["nothing", "agent", "team"]);
      const scopes = SCOPES.filter(
        (scope) =>
          rng.oneIn(2) &&
          whyNotScope(scope, { own: SCOPES, isBound: boundTo !== "nothing" }) === null,
      );
      const draft = {
        ...EMPTY_KEY,
        name: "Reader",
        scopes: scopes.length === 0 ? (["tasks:read"] as const) : scopes,
        boundTo,
        boundId: "data-analyst",
        expiry: rng.pick(["none", "7", "365", "date"]),
        expiryDate: "2099-05-01T08:30",
        requireTask: rng.oneIn(2),
        limits: rng.oneIn(2) ? NO_LIMITS : limitTexts(randomLimits(rng)),
      };
      expect(createKeyBody.safeParse(keyBody(draft, Date.now())).error).toBeUndefined();
    }
  });

  it("counts the days of the expiry from now", () => {
    const { expiresAt } = keyBody({ ...EMPTY_KEY, expiry: "7" }, NOW);
    expect(expiresAt).toBe("2030-02-07T12:00:00.000Z");
  });

  it("passes an invalid date on, so that the API explains it", () => {
    const { expiresAt } = keyBody({ ...EMPTY_KEY, expiry: "date", expiryDate: "soon" }, NOW);
    expect(expiresAt).toBe("soon");
  });
});

describe("the limits of a key", () => {
  it("contain no change if the fields are untouched", () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const limits = randomLimits(new Rng(seed));
      expect(changedLimits(limits, limitTexts(limits))).toEqual({});
    }
  });

  it("contain exactly the changed fields, and null for an empty one", () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const rng = new Rng(seed);
      const limits = randomLimits(rng);
      const changed = LIMIT_NAMES.filter(() => rng.oneIn(2));
      const isEmptied = rng.oneIn(2);
      const texts = Object.fromEntries(
        changed.map((name) => [name, isEmptied ? " " : String(limits[name] + 1)]),
      );
      const expected = Object.fromEntries(
        changed.map((name) => [name, isEmptied ? null : limits[name] + 1]),
      );
      expect(changedLimits(limits, { ...limitTexts(limits), ...texts })).toEqual(expected);
    }
  });

  it("are absent from a new key if no field is filled", () => {
    expect(newLimits(NO_LIMITS)).toBeUndefined();
    expect(newLimits({ ...NO_LIMITS, openStreams: "0" })).toEqual({ openStreams: 0 });
  });
});

describe("a scope", () => {
  it("cannot be given by a key that lacks it", () => {
    expect(whyNotScope("tasks:read", { own: ["tools:read"], isBound: false })).not.toBeNull();
  });

  it("that ends in :manage, or audit:read, cannot be given to a bound key", () => {
    for (const scope of SCOPES) {
      const reason = whyNotScope(scope, { own: SCOPES, isBound: true });
      expect(reason !== null).toBe(isUnboundScope(scope));
    }
  });
});

describe("a User-Agent header", () => {
  it.each([
    [
      "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      "Firefox 140 on Linux",
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
      "Edge 141 on Windows",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
      "Safari 18 on iOS",
    ],
    ["curl/8.14.1", "curl/8.14.1"],
    ["", "Unknown client"],
  ])("%s is described as %s", (userAgent, description) => {
    expect(describeUserAgent(userAgent)).toBe(description);
  });
});

describe("the search parameters of the keys view", () => {
  it("ignore values that are unknown", () => {
    expect(readKeysSearch({ show: "sessions" })).toEqual({ show: "sessions" });
    expect(readKeysSearch({ show: "keys" })).toEqual({});
    expect(readKeysSearch({ show: ["sessions"], other: 1 })).toEqual({});
  });
});
