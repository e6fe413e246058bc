import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/kernel/json.ts";
import { jsonWorkbenchHandlers } from "../../../../src/builtin/tools/json-workbench/handlers.ts";
import { answer, many, problems, text } from "../results.ts";

describe("query", () => {
  // The example document of RFC 9535, section 1.5.
  const store: JsonObject = {
    store: {
      book: [
        {
          category: "reference",
          author: "Nigel Rees",
          title: "Sayings of the Century",
          price: 8.95,
        },
        { category: "fiction", author: "Evelyn Waugh", title: "Sword of Honour", price: 12.99 },
        {
          category: "fiction",
          author: "Herman Melville",
          title: "Moby Dick",
          isbn: "0-553-21311-3",
          price: 8.99,
        },
        {
          category: "fiction",
          author: "J. R. R. Tolkien",
          title: "The Lord of the Rings",
          isbn: "0-395-19395-8",
          price: 22.99,
        },
      ],
      bicycle: { color: "red", price: 399 },
    },
  };

  async function paths(path: string, document: Json = store): Promise<Json[]> {
    const { matches } = await answer(jsonWorkbenchHandlers, "query", {
      document: text(document),
      path,
    });
    return Array.isArray(matches) ? matches.map((match) => Object(match).path) : [];
  }

  it("queries select the values of table 2 of RFC 9535", async () => {
    const book = "$['store']['book']";
    const expected: [string, string[]][] = [
      ["$.store.book[*].author", [0, 1, 2, 3].map((at) => `${book}[${at}]['author']`)],
      ["$.store.*", [book, "$['store']['bicycle']"]],
      [
        "$.store..price",
        [...[0, 1, 2, 3].map((at) => `${book}[${at}]['price']`), "$['store']['bicycle']['price']"],
      ],
      ["$..book[2].publisher", []],
      ["$..book[-1]", [`${book}[3]`]],
      ["$..book[:2]", [`${book}[0]`, `${book}[1]`]],
      ["$..book[?@.isbn]", [`${book}[2]`, `${book}[3]`]],
      ["$..book[?@.price<10]", [`${book}[0]`, `${book}[2]`]],
    ];
    for (const [path, found] of expected) {
      expect(new Set(await paths(path)), path).toEqual(new Set(found));
    }
    const all = await answer(jsonWorkbenchHandlers, "query", {
      document: text(store),
      path: "$..*",
    });
    expect(all["count"]).toBe(27);
  });

  it("query matches have paths and values", async () => {
    const path = "$.store.book[?@.price > 20].title";
    expect(await answer(jsonWorkbenchHandlers, "query", { document: text(store), path })).toEqual({
      matches: [{ path: "$['store']['book'][3]['title']", value: "The Lord of the Rings" }],
      count: 1,
      notes: [],
    });
  });

  it("match() and search() apply I-Regexp in linear time", async () => {
    const names = ["abc", "xabcx", "a\rc", `${"a".repeat(50_000)}!`, 5];
    expect(await paths("$[?match(@, 'a.c')]", names)).toEqual(["$[0]"]);
    expect(await paths("$[?search(@, 'a.c')]", names)).toEqual(["$[0]", "$[1]"]);
    expect(await paths("$[?match(@, '(a+)+')]", names)).toEqual([]);
    expect(await paths("$[?match(@, '(a|a)*!')]", names)).toEqual(["$[3]"]);
    expect(await paths("$[?match(@, '5')]", names)).toEqual([]);
  });

  it("patterns that are not I-Regexp match nothing", async () => {
    for (const pattern of ["(?=a)", "\\\\d+", "(?i)ABC", "a{9999}", "("]) {
      expect(await paths(`$[?match(@, '${pattern}')]`, ["abc", "1"]), pattern).toEqual([]);
    }
  });

  it("a malformed path and a malformed document are both reported", async () => {
    const found = await problems(jsonWorkbenchHandlers, "query", { document: "[1", path: "$[?" });
    expect(found.map(({ path }) => path)).toEqual(["path", "document"]);
  });

  it("text that is not JSONPath is rejected, and so are paths that are too long", async () => {
    for (const path of ["", "store", "$.a[", "$..", "$[?nosuch(@)]", "$.a b", "$['a'"]) {
      expect(
        (await problems(jsonWorkbenchHandlers, "query", { document: "1", path }))[0]?.path,
        path,
      ).toBe("path");
    }
    const long = `$${".a".repeat(501)}`;
    expect(
      (await problems(jsonWorkbenchHandlers, "query", { document: "1", path: long }))[0]?.message,
    ).toContain("1000 characters");
  });

  it("a query lists at most a thousand matches, but counts them all", async () => {
    const document = text(many(5_000, (index) => index));
    const { matches, count, notes } = await answer(jsonWorkbenchHandlers, "query", {
      document,
      path: "$[*]",
    });
    expect(matches).toHaveLength(1_000);
    expect(count).toBe(5_000);
    expect(notes).toEqual(["Only the first 1000 of 5000 matches are listed."]);
  });

  it("a query limits the size of nested matches, but counts them all", async () => {
    let document: Json = "x".repeat(500_000);
    for (let depth = 0; depth < 50; depth += 1) document = [document];
    const { matches, count } = await answer(jsonWorkbenchHandlers, "query", {
      document: text(document),
      path: "$..*",
    });
    expect(count).toBe(50);
    expect(text(matches ?? null).length).toBeLessThan(2_000_000);
  });

  let deep: Json = 1;
  for (let depth = 0; depth < 90; depth += 1) deep = [deep];
  const wide = many(100_000, (index) => index);
  const equals = { a: "x".repeat(200_000), b: "x".repeat(200_000), c: wide };
  const products: [string, Json][] = [
    ["$..*..*..*..*..*", deep],
    ["$[?count($.*) > 1]", wide],
    [`$${"[*]".repeat(300)}`, wide],
    [`$${"..*".repeat(300)}`, wide],
    [`$[${"0:100000,".repeat(90)}0]`, wide],
    ["$.c[?$.a == $.b]", equals],
  ];

  it.each(products)("a query that would take too long is rejected: %s", async (path, document) => {
    const [problem] = await problems(jsonWorkbenchHandlers, "query", {
      document: text(document),
      path,
    });
    expect(problem?.message).toContain("would take too long");
  });

  it("queries work with keys named like JavaScript's own properties", async () => {
    const document = '{"__proto__": {"a": 1}, "constructor": 2, "k\'": 3}';
    const { matches } = await answer(jsonWorkbenchHandlers, "query", { document, path: "$..*" });
    expect(matches).toEqual([
      { path: "$['__proto__']", value: { a: 1 } },
      { path: "$['constructor']", value: 2 },
      { path: "$['k\\'']", value: 3 },
      { path: "$['__proto__']['a']", value: 1 },
    ]);
    expect(await paths("$.toString", {})).toEqual([]);
  });

  it("a query never throws, for any path", async () => {
    const piece = fc.constantFrom(
      "$",
      ".",
      "..",
      "*",
      "[",
      "]",
      "?",
      "@",
      "(",
      ")",
      "'",
      "a",
      "1",
      ":",
      "==",
      "!",
      "&&",
      "count(",
      "match(",
      ",",
    );
    const path = fc.array(piece, { maxLength: 12 }).map((pieces) => `$${pieces.join("")}`);
    await fc.assert(
      fc.asyncProperty(path, fc.json(), async (query, document) => {
        expect(await jsonWorkbenchHandlers["query"]?.({ path: query, document })).toHaveProperty(
          "ok",
        );
      }),
      { numRuns: 1_000 },
    );
  });
});
