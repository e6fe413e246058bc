import fc from "fast-check";
import { applyPatch, type Operation } from "rfc6902";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/kernel/json.ts";
import { jsonWorkbenchHandlers } from "../../../../src/builtin/tools/json-workbench/handlers.ts";
import { answer, many, problems, text } from "../results.ts";

describe("diff", () => {
  async function diffOf(before: Json, after: Json): Promise<JsonObject> {
    return answer(jsonWorkbenchHandlers, "diff", { before: text(before), after: text(after) });
  }

  function patched(before: Json, patch: Json | undefined): unknown {
    const holder = { document: structuredClone(before) };
    const operations: Operation[] = (Array.isArray(patch) ? patch : []).map((operation) => {
      const change = Object(operation);
      return { ...change, path: `/document${change.path}` };
    });
    const errors = applyPatch(holder, operations).filter((error) => error !== null);
    if (errors.length > 0) throw errors[0];
    return holder.document;
  }

  it("a diff contains the patch and its change counts", async () => {
    expect(await diffOf({ a: 1, b: [1, 2, 3] }, { a: 2, b: [1, 3, 4], c: null })).toEqual({
      equal: false,
      patch: [
        { op: "add", path: "/c", value: null },
        { op: "replace", path: "/a", value: 2 },
        { op: "remove", path: "/b/1" },
        { op: "add", path: "/b/2", value: 4 },
      ],
      changes: { added: 2, removed: 1, replaced: 1 },
      notes: [],
    });
  });

  it("documents that differ only in formatting are equal", async () => {
    const before = '{"a": [1.0, {"x": 1, "y": 2}], "b": "\\u00e9"}';
    const after = '{"b":"é","a":[1,{"y":2,"x":1}]}';
    expect(await answer(jsonWorkbenchHandlers, "diff", { before, after })).toEqual({
      equal: true,
      patch: [],
      changes: { added: 0, removed: 0, replaced: 0 },
      notes: [],
    });
  });

  it("a diff compares the items of arrays and aligns them", async () => {
    const items = many(300, (index) => ({ id: index, tags: ["a"] }));
    const changed = structuredClone(items);
    changed[150]?.tags.push("b");
    changed.splice(20, 1);
    const { patch, changes } = await diffOf(items, changed);
    expect(changes).toEqual({ added: 1, removed: 1, replaced: 0 });
    expect(patched(items, patch)).toEqual(changed);
  });

  it("a diff escapes JSON Pointers, and can replace whole documents", async () => {
    const { patch } = await diffOf({ "a/b": 1, "c~d": [0] }, { "a/b": 2, "c~d": [0, 1] });
    expect(patch).toEqual([
      { op: "replace", path: "/a~1b", value: 2 },
      { op: "add", path: "/c~0d/1", value: 1 },
    ]);
    expect((await diffOf([1], { a: 1 }))["patch"]).toEqual([
      { op: "replace", path: "", value: { a: 1 } },
    ]);
  });

  it("two malformed documents are both reported", async () => {
    const found = await problems(jsonWorkbenchHandlers, "diff", { before: "{", after: "[" });
    expect(found.map(({ path }) => path)).toEqual(["before", "after"]);
  });

  it("a diff's patch turns any document into any other", async () => {
    const key = fc.constantFrom("a", "b", "/", "~", "0");
    const { json } = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom<Json>(null, true, 0, 1, "x", ""),
        fc.array(tie("json"), { maxLength: 6 }),
        fc.dictionary(key, tie("json"), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(json, json, async (before, after) => {
        const { patch, equal } = await diffOf(before, after);
        expect(patched(before, patch)).toEqual(after);
        expect(equal).toBe(
          text(before) === text(after) || (Array.isArray(patch) && patch.length === 0),
        );
      }),
      { numRuns: 500 },
    );
  });

  function grid(offset: number): Json {
    return many(40, (i) => many(40, (j) => many(20, (k) => i * j + k + offset)));
  }

  const PLACED =
    "Arrays with many changes were compared by position, so the patch may not be the shortest possible.";
  const WHOLE =
    "The patch replaces the whole document, because there are more than 10000 changes or comparing them takes too long.";
  const large: [string, Json, Json, string[]][] = [
    [
      "reversed arrays",
      many(3_000, (index) => index),
      many(3_000, (index) => 3_000 - index),
      [PLACED],
    ],
    ["arrays with different items", many(50_000, (i) => i), many(50_000, (i) => i + 0.5), [WHOLE]],
    ["arrays that grew", [], many(150_000, () => 0), [WHOLE]],
    ["arrays of different lengths", many(5, () => 0), many(8_000, () => 1), [PLACED]],
    ["nested arrays", grid(0), grid(1), []],
  ];

  it.each(large)(
    "the patch for %s is correct, with a note if the comparison was limited",
    async (_, before, after, expected) => {
      const { patch, notes, equal } = await diffOf(before, after);
      expect([equal, notes]).toEqual([false, expected]);
      expect(patched(before, patch)).toEqual(after);
    },
  );
});
