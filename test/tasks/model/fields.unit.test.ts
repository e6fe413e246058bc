import { describe, expect, it } from "vitest";
import { changesContext, checkDeadline, mergeContext } from "../../../src/tasks/model/fields.ts";
import { type JsonObject, jsonSizeOf } from "../../../src/kernel/json.ts";

describe("a context after a change", () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ["keeps keys that are not mentioned", { a: 1, b: 2 }, {}, { a: 1, b: 2 }],
    ["adds keys", { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    ["replaces the complete value of a key", { a: { x: 1 } }, { a: { y: 2 } }, { a: { y: 2 } }],
    ["deletes a key with null", { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ["can delete a missing key", { a: 1 }, { z: null }, { a: 1 }],
    ["keeps a null inside a value", { a: 1 }, { a: { x: null } }, { a: { x: null } }],
    [
      "keeps false, 0 and empty text",
      { a: 1, b: 1, c: 1 },
      { a: false, b: 0, c: "" },
      { a: false, b: 0, c: "" },
    ],
  ])("changes to a context are applied key by key: %s", (_, context, change, merged) => {
    expect(mergeContext(context, change)).toEqual(merged);
  });

  it("merging a context changes neither of its arguments", () => {
    const [context, change] = [Object.freeze({ a: 1 }), Object.freeze({ a: null, b: 2 })];
    expect(mergeContext(context, change)).toEqual({ b: 2 });
  });

  it("__proto__ and constructor are ordinary keys of a context", () => {
    const change: JsonObject = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}');
    const merged = mergeContext({ a: 1 }, change);
    expect(JSON.stringify(merged)).toBe('{"a":1,"__proto__":{"admin":true},"constructor":1}');
    expect(merged["admin"]).toBeUndefined();
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    const removed = mergeContext(merged, JSON.parse('{"__proto__": null}'));
    expect(JSON.stringify(removed)).toBe('{"a":1,"constructor":1}');
  });
});

describe("changes that alter a context", () => {
  const nested = { o: { x: 1, y: [1, { a: null, b: 2 }] }, draft: null };
  it.each<[string, JsonObject, boolean]>([
    ["null deletes a key whose value is null", { draft: null }, true],
    ["a value replaces null", { draft: 0 }, true],
    ["null for an absent key alters nothing", { absent: null }, false],
    ["null for an inherited name alters nothing", { toString: null }, false],
    ["a different key order alters nothing", { o: { y: [1, { b: 2, a: null }], x: 1 } }, false],
    ["a different item order is a change", { o: { x: 1, y: [{ a: null, b: 2 }, 1] } }, true],
    ["a shorter list is a change", { o: { x: 1, y: [1] } }, true],
    ["a missing key is a change", { o: { y: [1, { a: null, b: 2 }] } }, true],
    ["a missing key whose value is null is a change", { o: { x: 1, y: [1, { b: 2 }] } }, true],
    ["null under another key is a change", { o: { x: 1, y: [1, { c: null, b: 2 }] } }, true],
    ["an object instead of a list is a change", { o: { x: 1, y: { 0: 1, 1: 2 } } }, true],
    ["text instead of a number is a change", { o: "1" }, true],
    ["-0 for 0 is no change", { zero: -0 }, false],
  ])("changes to a context are applied key by key: %s", (_, change, isChange) => {
    expect(changesContext({ ...nested, zero: 0 }, change)).toBe(isChange);
  });
});

it.each<[JsonObject, number]>([
  [{}, 2],
  [{ a: "é" }, 10],
  [{ a: "😀" }, 12],
  [{ a: "\u007f" }, 9],
  [{ a: "\u0080" }, 10],
  // JSON.stringify escapes a lone surrogate.
  [{ a: "\ud83d" }, 14],
])("the context %j takes %d bytes as JSON", (context, bytes) => {
  expect(jsonSizeOf(context)).toBe(bytes);
});

const at = (text: string): number => Date.parse(text);

describe("the earliest deadline", () => {
  const now = at("2030-06-15T12:00:00.000Z");

  it.each(["2030-06-15T12:00:00.000Z", "2030-06-15T11:59:59.999Z", "1970-01-01T00:00:00.000Z"])(
    "the deadline %s is rejected, and the message shows the current time",
    (text) => {
      expect(checkDeadline(at(text), now)).toBe(
        `must be in the future, got ${text}; the current time is 2030-06-15T12:00:00.000Z`,
      );
    },
  );

  it("a deadline one millisecond from now is accepted", () => {
    expect(checkDeadline(now + 1, now)).toBeNull();
  });
});

describe("the latest deadline", () => {
  it.each([
    ["an ordinary day", "2030-06-15T12:00:00.000Z", "2035-06-15T12:00:00.000Z"],
    ["across two leap days", "2027-03-01T00:00:00.000Z", "2032-03-01T00:00:00.000Z"],
    ["across one leap day", "2029-03-01T00:00:00.000Z", "2034-03-01T00:00:00.000Z"],
    ["from a leap day", "2028-02-29T08:00:00.000Z", "2033-03-01T08:00:00.000Z"],
    ["into a leap year", "2027-02-28T08:00:00.000Z", "2032-02-28T08:00:00.000Z"],
    ["across New Year", "2029-12-31T23:59:59.999Z", "2034-12-31T23:59:59.999Z"],
  ])("the latest deadline is five calendar years ahead (%s): at %s, it is %s", (_, now, last) => {
    expect(checkDeadline(at(last), at(now))).toBeNull();
    expect(checkDeadline(at(last) + 1, at(now))).toMatch(/^must be at most 5 years from now, got /);
  });
});
