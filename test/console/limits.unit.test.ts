import { describe, expect, it } from "vitest";
import {
  changeLimitDraft,
  createLimitBodyOf,
  limitDraftOf,
  newLimitDraft,
  putLimitBodyOf,
} from "../../console/src/limits/limit-form.ts";
import {
  formatAmount,
  formatPeriodUse,
  formatRule,
  formatUse,
  limitBarOf,
  limitStateOf,
} from "../../console/src/limits/limit-use.ts";
import type { Limit } from "../../console/src/limits/queries.ts";

const LIMIT: Limit = {
  id: "daily-spend",
  name: "Daily spend",
  scope: { all: true },
  measure: "usd",
  per: "day",
  timeZone: "Europe/Berlin",
  limit: 5,
  warnAt: 0.8,
  onExceeded: "deny",
  enabled: true,
  scopeExists: true,
  used: 2,
  reserved: 0.5,
  resetAt: "2026-11-28T23:00:00.000Z",
  createdBy: "root",
  createdAt: "2026-11-28T12:00:00.000Z",
  updatedAt: "2026-11-28T12:00:00.000Z",
};

describe("the form of a limit", () => {
  it("a limit that is not changed is sent as it is stored", () => {
    const { name, scope, measure, per, timeZone, limit, warnAt, onExceeded, enabled } = LIMIT;
    const body = { name, scope, measure, per, timeZone, limit, warnAt, onExceeded, enabled };
    expect(putLimitBodyOf(limitDraftOf(LIMIT))).toEqual(body);
    const ofAgent = { ...LIMIT, scope: { agentId: "riley" }, warnAt: 0.55 };
    expect(putLimitBodyOf(limitDraftOf(ofAgent))).toEqual({
      ...body,
      scope: { agentId: "riley" },
      warnAt: 0.55,
    });
  });

  it("a new limit has the person's time zone, and its texts are trimmed and converted", () => {
    const draft = newLimitDraft("Asia/Tokyo");
    const filled = {
      ...draft,
      id: " daily ",
      name: "Daily",
      limit: "2.5",
      covers: "teamId" as const,
    };
    expect(createLimitBodyOf({ ...filled, coveredId: " insights " })).toEqual({
      id: "daily",
      name: "Daily",
      scope: { teamId: "insights" },
      measure: "usd",
      per: "day",
      timeZone: "Asia/Tokyo",
      limit: 2.5,
      warnAt: 0.8,
      onExceeded: "deny",
      enabled: true,
    });
  });

  it("a choice that no longer fits is replaced", () => {
    const tokens = { ...newLimitDraft("UTC"), measure: "tokens" as const, per: "call" as const };
    expect(changeLimitDraft(tokens, { covers: "toolId" })).toMatchObject({
      measure: "usd",
      per: "call",
    });
    expect(changeLimitDraft(tokens, { measure: "calls" })).toMatchObject({
      measure: "calls",
      per: "day",
    });
    expect(changeLimitDraft(tokens, { covers: "teamId" })).toMatchObject({ measure: "tokens" });
  });
});

describe("the use of a limit", () => {
  it("amounts, rules and use are shown in words", () => {
    expect(formatAmount("calls", 1)).toBe("1 call");
    expect(formatAmount("tokens", 1_200)).toBe("1,200 tokens");
    expect(formatRule(LIMIT)).toBe("At most $5.00 per day");
    expect(formatRule({ ...LIMIT, per: "total" })).toBe("At most $5.00 in total");
    expect(formatUse(LIMIT)).toBe("$2.00 of $5.00 used, up to $0.50 more in progress");
    expect(formatUse({ ...LIMIT, reserved: 0 })).toBe("$2.00 of $5.00 used");
    expect(formatPeriodUse(LIMIT)).toBe("$2.00 of $5.00 per day");
    expect(formatPeriodUse({ ...LIMIT, measure: "calls", per: "total" })).toBe(
      "2 of 5 calls in total",
    );
  });

  it.each([
    [2, 0.5, { used: 40, reserved: 10 }, "low"],
    [4, 2, { used: 80, reserved: 20 }, "high"],
    [5, 0, { used: 100, reserved: 0 }, "full"],
    // The limit was lowered below the use.
    [9, 1, { used: 100, reserved: 0 }, "full"],
  ])("the bar of %d used and %d reserved fits", (used, reserved, bar, state) => {
    expect(limitBarOf({ ...LIMIT, used, reserved })).toEqual(bar);
    expect(limitStateOf({ ...LIMIT, used, reserved })).toBe(state);
  });
});
