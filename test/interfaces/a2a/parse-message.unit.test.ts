import { describe, expect, it } from "vitest";
import { Part } from "@a2a-js/sdk";
import { ContentTypeNotSupportedError } from "@a2a-js/sdk/errors";
import type { Json, JsonObject } from "../../../src/kernel/json.ts";
import { parseMessageParts } from "../../../src/interfaces/a2a/parse-message.ts";

interface JsonPart {
  readonly text?: string;
  readonly raw?: string;
  readonly url?: string;
  readonly data?: Json;
  readonly filename?: string;
  readonly mediaType?: string;
}

function parse(...parts: readonly JsonPart[]) {
  return parseMessageParts(parts.map((part) => Part.fromJSON(part)));
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("the parts of a message", () => {
  it("text parts are joined, with a blank line between them", () => {
    expect(
      parse({ text: "One." }, { text: " " }, { text: "Two.", mediaType: "text/plain" }),
    ).toEqual({ text: "One.\n\nTwo.", context: {} });
  });

  it.each([
    ["a text file", { text: "wind", filename: "a.txt" }, { text: "wind" }],
    [
      "a Markdown file",
      { text: "# w", filename: "a.md", mediaType: "text/markdown" },
      { text: "# w" },
    ],
    ["a table by its media type", { text: "a,b", mediaType: "text/csv" }, { csv: "a,b" }],
    ["a table by its name", { text: "a,b", filename: "A.CSV" }, { csv: "a,b" }],
    [
      "a table as bytes",
      { raw: base64("å,b"), mediaType: "text/csv; charset=utf-8" },
      { csv: "å,b" },
    ],
    ["text as bytes without a name", { raw: base64("wind") }, { text: "wind" }],
    ["bytes in URL-safe base64", { raw: "Pz8_", filename: "a.txt" }, { text: "???" }],
    ["rows", { data: [{ a: 1 }] }, { data: [{ a: 1 }] }],
    ["an object", { data: { askFirst: "?", n: null } }, { askFirst: "?", n: null }],
    ["JSON as text", { text: '{"a":[1]}', mediaType: "application/json" }, { a: [1] }],
    ["JSON as bytes", { raw: base64("[1]"), filename: "a.json" }, { data: [1] }],
    [
      "JSON with a vendor media type",
      { text: '{"a":1}', mediaType: "application/geo+json" },
      { a: 1 },
    ],
  ] satisfies [string, JsonPart, JsonObject][])(
    "%s goes into the context",
    (_what, part, context) => {
      expect(parse({ text: "Do it" }, part)).toEqual({ text: "Do it", context });
    },
  );

  it("several text files are joined into one text in the context", () => {
    const parts = [
      { text: "one", filename: "1.txt" },
      { text: "two", filename: "2.txt" },
    ];
    expect(parse(...parts)).toMatchObject({ context: { text: "one\n\ntwo" } });
  });

  it("the name __proto__ in data is kept like any other name", () => {
    const { context } = parse({ data: JSON.parse('{"__proto__": {"a": 1}}') });
    expect(JSON.stringify(context)).toBe('{"__proto__":{"a":1}}');
  });

  it.each([
    ["a URL", { url: "https://example.com/a.csv" }, "files are not fetched from URLs"],
    ["a picture", { raw: "AAAA", mediaType: "image/png" }, '"image/png"'],
    [
      "text of a type that the agent card does not list",
      { text: "<p>", mediaType: "text/html" },
      '"text/html"',
    ],
    [
      "bytes that are not text",
      { raw: "/////w==", filename: "a.txt" },
      "must be base64-encoded UTF-8 text",
    ],
    ["a zero character in bytes", { raw: base64("a\u0000b") }, "must be base64-encoded UTF-8 text"],
  ])("%s is rejected as an unsupported content type", (_what, part, words) => {
    const error = errorOf(() => parse({ text: "Do it" }, part));
    expect(error).toBeInstanceOf(ContentTypeNotSupportedError);
    expect(error).toMatchObject({ message: expect.stringContaining(words) });
  });

  it.each([
    [
      "two tables",
      [
        { text: "a", mediaType: "text/csv" },
        { text: "b", mediaType: "text/csv" },
      ],
      1,
    ],
    ["a duplicate key", [{ data: { a: 1 } }, { data: { a: 2 } }], 1],
    ["two input texts", [{ data: { text: "a" } }, { text: "b", filename: "b.txt" }], null],
    [
      "a context that its parts make too deep",
      [{ text: "[".repeat(31) + "]".repeat(31), filename: "a.json" }],
      null,
    ],
    ["a number", [{ data: 5 }], 0],
    ["broken JSON", [{ text: "{", mediaType: "application/json" }], 0],
    ["JSON that is too deep", [{ text: "[".repeat(40) + "]".repeat(40), filename: "a.json" }], 0],
    ["JSON with a lone surrogate", [{ text: '["\\ud800"]', filename: "a.json" }], 0],
    ["JSON with a number beyond doubles", [{ text: "[1e999]", filename: "a.json" }], 0],
  ] as const)("a message with %s is rejected with the path of the part", (_what, parts, place) => {
    const path = place === null ? "message.parts" : `message.parts[${place}]`;
    expect(errorOf(() => parse(...parts))).toMatchObject({
      reason: "INVALID_PARAMS",
      problems: [{ path }],
    });
  });
});
