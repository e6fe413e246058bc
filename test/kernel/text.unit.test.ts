import { describe, expect, it } from "vitest";
import { sanitizeText } from "../../src/kernel/text.ts";

describe("a truncated text", () => {
  it.each([
    ["fits", "harbour", 7, "harbour"],
    ["is too long", "harbours", 7, "harbou…"],
    ["ends in a character of two units", "🚢🚢🚢🚢", 6, "🚢🚢…"],
    ["fits with a character of two units", "🚢🚢🚢", 6, "🚢🚢🚢"],
    ["is not well-formed", "a\ud800b", 9, "a\ufffdb"],
    ["contains characters that do not print", " a\u0000\u0007\tb\n", 9, "a\tb"],
  ])("a text that %s is sanitized within its limit", (_, text, charactersMax, expected) => {
    expect(sanitizeText(text, charactersMax)).toBe(expected);
  });

  it("a sanitized text never exceeds its limit and is never cut within a character", () => {
    for (let charactersMax = 1; charactersMax < 40; charactersMax += 1) {
      const text = sanitizeText("é🚢 x\u0000🚢".repeat(50), charactersMax);
      expect(text.length).toBeLessThanOrEqual(charactersMax);
      expect(text.isWellFormed()).toBe(true);
    }
  });
});
