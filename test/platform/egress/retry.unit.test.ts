import { describe, expect, it } from "vitest";
import {
  isRetryableStatus,
  isSafeMethod,
  parseRetryAfter,
  computeRetryDelayMs,
} from "../../../src/platform/egress/retry.ts";
import { HTTP_METHODS } from "../../../src/tools/model/connector.ts";

const NOW = Date.UTC(2026, 4, 1, 12);

describe("retrying", () => {
  it("only safe methods and the statuses 429, 502, 503 and 504 are retried", () => {
    expect(HTTP_METHODS.filter(isSafeMethod)).toEqual(["GET", "HEAD"]);
    const statuses = [200, 400, 401, 404, 408, 429, 500, 501, 502, 503, 504, 505];
    expect(statuses.filter(isRetryableStatus)).toEqual([429, 502, 503, 504]);
  });

  it("the retry delay doubles with each attempt and is spread over its upper half", () => {
    expect([1, 2, 3].map((attempt) => computeRetryDelayMs(attempt, 0, null))).toEqual([
      200, 400, 800,
    ]);
    expect([1, 2, 3].map((attempt) => computeRetryDelayMs(attempt, 1, null))).toEqual([
      400, 800, 1_600,
    ]);
    expect(computeRetryDelayMs(1, 0.5, null)).toBe(300);
  });

  it("a retry waits at least as long as the server requests", () => {
    expect(computeRetryDelayMs(1, 0.5, 5)).toBe(5_000);
    expect(computeRetryDelayMs(1, 0.5, 0)).toBe(300);
  });

  it.each<[string | null, number | null]>([
    [null, null],
    ["0", 0],
    [" 120 ", 120],
    ["Fri, 01 May 2026 12:00:30 GMT", 30],
    ["Friday, 01-May-26 12:00:30 GMT", 30],
    ["Fri, 01 May 2026 11:00:00 GMT", 0],
    ["-1", null],
    ["1.5", null],
    ["1e3", null],
    ["soon", null],
    ["99999999999", null],
    ["", null],
  ])("the Retry-After header %j is read as %j seconds", (header, seconds) => {
    expect(parseRetryAfter(header, NOW)).toBe(seconds);
  });
});
