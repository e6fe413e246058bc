import { describe, expect, it } from "vitest";
import { checkDeadline } from "../../../src/tasks/model/guards.ts";

const at = (text: string): number => Date.parse(text);

describe("the earliest deadline", () => {
  const now = at("2030-06-15T12:00:00.000Z");

  it.each(["2030-06-15T12:00:00.000Z", "2030-06-15T11:59:59.999Z", "1970-01-01T00:00:00.000Z"])(
    "the deadline %s is rejected, and the message shows the current time",
    (text) => {
      expect(checkDeadline(at(text), now)).toBe(
        `must lie in the future, got ${text} and it is 2030-06-15T12:00:00.000Z`,
      );
    },
  );

  it("a deadline one millisecond ahead is accepted", () => {
    expect(checkDeadline(now + 1, now)).toBeNull();
  });
});

describe("the latest deadline", () => {
  it.each([
    ["an ordinary day", "2030-06-15T12:00:00.000Z", "2035-06-15T12:00:00.000Z"],
    ["over two leap days", "2027-03-01T00:00:00.000Z", "2032-03-01T00:00:00.000Z"],
    ["over one leap day", "2029-03-01T00:00:00.000Z", "2034-03-01T00:00:00.000Z"],
    ["from a leap day on", "2028-02-29T08:00:00.000Z", "2033-03-01T08:00:00.000Z"],
    ["into a leap year", "2027-02-28T08:00:00.000Z", "2032-02-28T08:00:00.000Z"],
    ["over New Year", "2029-12-31T23:59:59.999Z", "2034-12-31T23:59:59.999Z"],
  ])("the latest deadline is five calendar years ahead (%s): at %s, it is %s", (_, now, last) => {
    expect(checkDeadline(at(last), at(now))).toBeNull();
    expect(checkDeadline(at(last) + 1, at(now))).toMatch(/^must lie at most 5 years ahead, got /);
  });
});
