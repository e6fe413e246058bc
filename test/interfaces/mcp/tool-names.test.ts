import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IDENTIFIER_PATTERN } from "../../../src/kernel/identifier.ts";
import {
  toCapabilityPattern,
  formatToolName,
  parseToolName,
} from "../../../src/interfaces/mcp/tool-names.ts";

/** The names that MCP and all model providers accept. */
const VALID = /^[A-Za-z0-9_-]{1,64}$/;

const id = fc.oneof(
  fc.stringMatching(/^[a-z0-9]{1,12}(?:[_.-]{1,3}[a-zA-Z0-9]{0,12}){0,4}$/),
  fc.string({ minLength: 1, maxLength: 128, unit: "grapheme" }),
);
const named = fc.record({ toolId: id, id });

describe("the name of a capability", () => {
  it.each([
    ["github", "list-issues", "github__list-issues"],
    ["a", "b_c", "a__b_c"],
    ["T-1", "X", "T-1__X"],
  ])("the tool %s and the capability %s form the name %s", (toolId, one, name) => {
    expect(formatToolName({ toolId, id: one })).toBe(name);
    expect(parseToolName(name)).toEqual({ toolId, id: one });
  });

  it("a name is valid for every client and model, is stable, and is not parsed as another capability", () => {
    fc.assert(
      fc.property(named, (one) => {
        const name = formatToolName(one);
        expect(name).toMatch(VALID);
        expect(formatToolName({ ...one })).toBe(name);
        expect([null, JSON.stringify(one)]).toContain(
          parseToolName(name) === null ? null : JSON.stringify(parseToolName(name)),
        );
      }),
      { seed: 7, numRuns: 5_000 },
    );
  });

  it("a rewritten name yields a search pattern of at most 50 characters that matches its capability", () => {
    const identifier = fc.stringMatching(IDENTIFIER_PATTERN);
    fc.assert(
      fc.property(fc.record({ toolId: identifier, id: identifier }), (one) => {
        const name = formatToolName(one);
        if (parseToolName(name) !== null) return;
        const likeness = toCapabilityPattern(name);
        const { toolPrefix = "", pattern = "" } = likeness ?? {};
        expect(toolPrefix).not.toBe("");
        expect(one.toolId.startsWith(toolPrefix)).toBe(true);
        expect(pattern.length).toBeLessThanOrEqual(50);
        const like = new RegExp(`^${pattern.replaceAll("_", ".").replaceAll("%", ".*")}$`);
        expect(`${one.toolId}__${one.id}`).toMatch(like);
      }),
      { seed: 7, numRuns: 5_000 },
    );
  });

  it.each(["_", "", "a", "a__b", "create-task", "_x_0123abcd", "a_0123abcg", "a%_0123abcd"])(
    "the name %j cannot be a tool name and is not looked up",
    (name) => {
      expect(toCapabilityPattern(name)).toBeNull();
    },
  );

  it.each([
    [
      ["a__b", "c"],
      ["a", "b__c"],
    ],
    [
      ["a_", "b"],
      ["a", "_b"],
    ],
    [
      ["é", "x"],
      ["è", "x"],
    ],
    [
      ["a.b", "c"],
      ["a_b", "c"],
    ],
    [
      ["t", "x".repeat(100)],
      ["t", `${"x".repeat(99)}y`],
    ],
    [
      ["t", "x"],
      ["t", "x_0123abcd"],
    ],
  ])(
    "the capabilities %j and %j get different tool names",
    ([toolA = "", idA = ""], [toolB = "", idB = ""]) => {
      const a = formatToolName({ toolId: toolA, id: idA });
      const b = formatToolName({ toolId: toolB, id: idB });
      expect(a).not.toBe(b);
    },
  );
});
