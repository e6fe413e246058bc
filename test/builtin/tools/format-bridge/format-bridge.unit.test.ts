import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/kernel/json.ts";
import { formatBridge } from "../../../../src/builtin/tools/format-bridge/definition.ts";
import { formatBridgeHandlers } from "../../../../src/builtin/tools/format-bridge/handlers.ts";
import { answer, many, problems, text } from "../results.ts";

interface Converted {
  readonly content: string;
  readonly rows: Json | undefined;
  readonly notes: Json | undefined;
}

async function convert(from: string, to: string, content: string): Promise<Converted> {
  const result = await answer(formatBridgeHandlers, "convert", { from, to, content });
  expect([result["from"], result["to"]]).toEqual([from, to]);
  return { content: String(result["content"]), rows: result["rows"], notes: result["notes"] };
}

async function asJson(from: string, content: string): Promise<Json> {
  return JSON.parse((await convert(from, "json", content)).content);
}

async function problemOf(from: string, to: string, content: string): Promise<string> {
  const [problem] = await problems(formatBridgeHandlers, "convert", { from, to, content });
  expect(problem?.path).toBe("content");
  return problem?.message ?? "";
}

describe("format bridge", () => {
  it("the handlers match the capabilities of the definition", () => {
    expect(Object.keys(formatBridgeHandlers)).toEqual(
      formatBridge.capabilities.map(({ id }) => id),
    );
  });

  it("an unknown source format and an unknown target format are both reported", async () => {
    expect(
      await problems(formatBridgeHandlers, "convert", { from: "CSV", to: "toml", content: "" }),
    ).toEqual([
      { path: "from", message: 'must be one of csv, json, yaml, xml, got "CSV"' },
      { path: "to", message: 'must be one of csv, json, yaml, xml, got "toml"' },
    ]);
  });
});

describe("CSV", () => {
  it("CSV is read as rows of text, and its irregularities are noted", async () => {
    const { content, rows, notes } = await convert(
      "csv",
      "json",
      '\uFEFFid;name;id\r\n007;"x; ""y""\r\nz";1\r\n8\r\n9;a;b;c\r\n',
    );
    expect(JSON.parse(content)).toEqual([
      { id: "007", name: 'x; "y"\nz', id_2: "1" },
      { id: "8" },
      { id: "9", name: "a", id_2: "b", column_4: "c" },
    ]);
    expect(rows).toBe(3);
    expect(notes).toEqual([
      "Columns without a name were given the name column_4.",
      'Repeated column names were numbered: column "id_2".',
      "Rows shorter or longer than the header: lines 4, 5.",
    ]);
  });

  it("CSV is written according to RFC 4180 from rows with any keys", async () => {
    const rows = [
      { a: 1, b: 'x,"y"' },
      { b: null, c: { d: [1] } },
      { a: true, c: "l1\nl2" },
    ];
    expect(await convert("json", "csv", text(rows))).toEqual({
      content: 'a,b,c\r\n1,"x,""y""",\r\n,,"{""d"":[1]}"\r\ntrue,,"l1\nl2"',
      rows: 3,
      notes: [
        'Nested values were written as JSON text: column "c".',
        "Nulls were written as empty cells.",
      ],
    });
  });

  it("CSV is written from rows nested in objects with a single key, as XML yields them", async () => {
    const xml = "<list>\n  <row><a>1</a></row>\n  <row><a>2</a><b>x</b></row>\n</list>";
    expect(await convert("xml", "csv", xml)).toEqual({
      content: "a,b\r\n1,\r\n2,x",
      rows: 2,
      notes: ['The rows were taken from "list.row".'],
    });
  });

  it("CSV keeps formulas unchanged with a note, and does not note numbers", async () => {
    const rows = [
      { f: "=HYPERLINK(1)", n: -1.5, p: "+41", at: "@x" },
      { f: "a=b", n: "-2" },
    ];
    const { content, notes } = await convert("json", "csv", text(rows));
    expect(content).toBe("f,n,p,at\r\n=HYPERLINK(1),-1.5,+41,@x\r\na=b,-2,,");
    expect(notes).toEqual([
      'Cells that a spreadsheet would run as formulas were kept unchanged: columns "f", "at".',
    ]);
  });

  it("data that is not an array of objects with keys cannot become CSV", async () => {
    for (const value of [5, [1], [{ a: 1 }, [2]], { a: 1, b: 2 }, [], [{}]]) {
      expect(await problemOf("json", "csv", text(value))).toContain("to be converted to CSV");
    }
  });

  it("a CSV header without rows is noted, and empty or unclosed CSV is rejected", async () => {
    const { content, rows, notes } = await convert("csv", "json", "a,b");
    expect([content, rows, notes]).toEqual(["[]", 0, ["The header has no rows below it."]]);
    expect(await problemOf("csv", "json", "")).toContain("header");
    expect(await problemOf("csv", "json", 'a\n"b')).toContain("line 2");
  });

  it("tables in JSON are unchanged after conversion to CSV and back", async () => {
    const cell = fc.string({ unit: "grapheme" }).filter((value) => !/\p{Cc}|^\uFEFF/u.test(value));
    const name = fc.oneof(fc.constantFrom("a;b", "c|d", " e", "__proto__", "f,g", 'h"'), cell);
    const table = fc
      .uniqueArray(
        name.filter((key) => key !== ""),
        { minLength: 2, maxLength: 4 },
      )
      .chain((names) => {
        const row = fc.array(cell, { minLength: names.length, maxLength: names.length });
        return fc
          .array(row, { minLength: 1, maxLength: 5 })
          .map((rows) =>
            rows.map((cells) => Object.fromEntries(names.map((key, at) => [key, cells[at] ?? ""]))),
          );
      });
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const { content } = await convert("json", "csv", text(rows));
        expect(await asJson("csv", content)).toEqual(rows);
      }),
      { numRuns: 300 },
    );
  });
});

describe("YAML", () => {
  it("YAML is read with its core schema", async () => {
    const yaml =
      "a: yes\nb: 0x1F\nc: 1_000\nd: 2020-01-01\ne: ~\nf: |\n  l1\n  l2\ng: [1.5, true]\nh: {i: '007'}\n";
    expect(await asJson("yaml", yaml)).toEqual({
      a: "yes",
      b: 31,
      c: "1_000",
      d: "2020-01-01",
      e: null,
      f: "l1\nl2\n",
      g: [1.5, true],
      h: { i: "007" },
    });
  });

  it("YAML aliases are expanded, and numbers that JSON cannot represent become strings", async () => {
    const yaml = "a: &x [1]\nb: *x\nx: &x 2\ny: *x\ni: .inf\nn: 123456789012345678901\n1: one\n";
    const { content, notes } = await convert("yaml", "json", yaml);
    expect(JSON.parse(content)).toEqual({
      a: [1],
      b: [1],
      x: 2,
      y: 2,
      i: ".inf",
      n: "123456789012345678901",
      1: "one",
    });
    expect(notes).toEqual([
      "Numbers that JSON cannot represent exactly (.inf, .nan, beyond 2^53) were converted to strings.",
    ]);
  });

  it("several YAML documents become an array, and tags and merge keys are noted", async () => {
    const { content, rows, notes } = await convert(
      "yaml",
      "json",
      "---\na: !!python/object x\n---\n<<: {b: 1}\n",
    );
    expect(JSON.parse(content)).toEqual([{ a: "x" }, { "<<": { b: 1 } }]);
    expect(rows).toBe(2);
    expect(notes).toEqual([
      "2 YAML documents were combined into an array.",
      "Tags were omitted: Unresolved tag: tag:yaml.org,2002:python/object.",
      "Merge keys (<<) belong to YAML 1.1 and were kept as ordinary keys.",
    ]);
  });

  it("YAML is never read as YAML 1.1, even if its directive requests it", async () => {
    expect(
      await asJson("yaml", "%YAML 1.1\n---\na: yes\nb: 2001-01-01\nc: !!binary aGk=\n"),
    ).toEqual({
      a: "yes",
      b: "2001-01-01",
      c: "aGk=",
    });
  });

  it("invalid YAML is rejected with the reason and, where known, the line", async () => {
    expect(await problemOf("yaml", "json", "a: 1\nb: 2\na: 3")).toBe(
      'must not repeat the key "a" (line 3)',
    );
    expect(await problemOf("yaml", "json", '1: a\n"1": b')).toContain("line 2");
    expect(await problemOf("yaml", "json", "a: 1\nb: {c")).toContain("line 2");
    expect(await problemOf("yaml", "json", "a: 1\nb: *c")).toContain('anchor "c"');
    expect(await problemOf("yaml", "json", 'a: "\\ud800"')).toContain("well-formed");
  });

  it("alias bombs and anchors that contain their own alias are rejected", async () => {
    let bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
    for (const [before, name] of ["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"]) {
      bomb += `${name}: &${name} [${many(9, () => `*${before}`).join(", ")}]\n`;
    }
    const long = `- &a ${"x".repeat(50_000)}\n${"- *a\n".repeat(20_000)}`;
    for (const yaml of [bomb, long, "&a [*a]", "a: &a {b: &b [*a]}"]) {
      expect(await problemOf("yaml", "json", yaml)).toContain("aliases");
    }
  });

  it.each(["[", "- ", "}", "&a ", "? ", "*a ", "{? ", "[,", "!a ", "a: b: c\n"])(
    "forty thousand characters of %j as YAML are rejected with the reason",
    async (piece) => {
      const yaml = piece.repeat(40_000 / piece.length);
      expect(await problemOf("yaml", "json", yaml)).toMatch(/^must (be|not)/);
    },
  );

  it("YAML that is too long to parse in time is rejected", async () => {
    expect(await problemOf("yaml", "json", `a: ${"x".repeat(200_000)}`)).toContain(
      "200000 characters",
    );
  });

  it("written YAML quotes strings that YAML 1.1 readers would read as another type", async () => {
    const { content } = await convert(
      "json",
      "yaml",
      text({ a: "no", b: "007", c: "1e3", d: null }),
    );
    expect(content).toBe('a: "no"\nb: "007"\nc: "1e3"\nd: null\n');
  });

  it("JSON data is unchanged after conversion to YAML and back", async () => {
    const { json } = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<Json>(null, true, "null", "~", "<<", "1", "0x1F", "- a", "a: b", "#", "\n"),
        fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\u0000")),
        fc.maxSafeInteger(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !(Math.abs(n) > 1e15)),
        fc.array(tie("json"), { maxLength: 4 }),
        fc.dictionary(
          fc.string({ unit: "grapheme" }).filter((key) => !key.includes("\u0000")),
          tie("json"),
          { maxKeys: 4, noNullPrototype: true },
        ),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const { content } = await convert("json", "yaml", text(value));
        expect(await asJson("yaml", content)).toEqual(JSON.parse(text(value)));
      }),
      { numRuns: 500 },
    );
  });
});

describe("JSON", () => {
  it("malformed JSON and JSON with unsafe integers are rejected", async () => {
    expect(await problemOf("json", "yaml", "{")).toContain("JSON text");
    expect(await problemOf("json", "yaml", "12345678901234567890")).toContain("safe integers");
  });

  it("a conversion is rejected if indentation, repeated names or many values make it too large", async () => {
    const nested = `${"[".repeat(80)}${many(300_000, () => 0).join(",")}${"]".repeat(80)}`;
    for (const to of ["json", "yaml", "xml"]) {
      expect(await problemOf("json", to, nested)).toContain("characters");
    }
    const csv = `${"x".repeat(200_000)},b\n${"1,2\n".repeat(100_000)}`;
    expect(await problemOf("csv", "json", csv)).toContain("column names");
    expect(await problemOf("json", "yaml", text(many(300_000, () => 0)))).toContain("values");
  });
});

describe("detect", () => {
  const expected: [string, string, string][] = [
    ['{"a": 1}', "json", "high"],
    ['{"n": 12345678901234567890}', "json", "high"],
    ["5", "json", "low"],
    ['{"a": 1,,}', "json", "low"],
    ['<?xml version="1.0"?><a/>', "xml", "high"],
    ["<a><b></a>", "xml", "low"],
    ["a: 1\nb: [2]", "yaml", "high"],
    ["- a\n- b", "yaml", "high"],
    ["a,b\n1,2", "csv", "high"],
    ["a;b;c\n1;2", "csv", "low"],
    ["Just some words.", "unknown", "low"],
  ];

  it.each(expected)(
    "the text %j is detected as %s with %s confidence",
    async (content, format, confidence) => {
      const found = await answer(formatBridgeHandlers, "detect", { content });
      expect(found).toMatchObject({ format, confidence });
      expect(String(found["reason"])).toMatch(/\.$/);
    },
  );

  it("detection returns the delimiter and the size of CSV", async () => {
    expect(await answer(formatBridgeHandlers, "detect", { content: "a\tb\n1\t2\n3\t4" })).toEqual({
      format: "csv",
      confidence: "high",
      reason: "Every line has 2 cells.",
      columns: 2,
      rows: 2,
      delimiter: "\t",
    });
  });

  it("detection rejects a blank text", async () => {
    expect((await problems(formatBridgeHandlers, "detect", { content: " \n" }))[0]?.path).toBe(
      "content",
    );
  });

  it("a converted text is detected as the format it was converted to", async () => {
    const rows: JsonObject[] = [
      { id: 1, name: "Ann" },
      { id: 2, name: "Bob" },
    ];
    for (const to of ["csv", "json", "yaml", "xml"]) {
      const { content } = await convert("json", to, text(rows));
      expect(await answer(formatBridgeHandlers, "detect", { content })).toMatchObject({
        format: to,
        confidence: "high",
      });
    }
  });

  it("detection and conversion never throw, for any text", async () => {
    const piece = fc.constantFrom(
      "<",
      ">",
      "/",
      "a",
      '"',
      "'",
      ":",
      "-",
      " ",
      "\n",
      ",",
      "{",
      "}",
      "[",
      "]",
      "&",
      "*",
      "!",
      "?",
      "|",
      "#",
      "1",
      "<!--",
      "<![CDATA[",
      "<!DOCTYPE",
      "&#1;",
      "=",
    );
    const content = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));
    const format = fc.constantFrom("csv", "json", "yaml", "xml");
    await fc.assert(
      fc.asyncProperty(content, format, format, async (source, from, to) => {
        expect(await formatBridgeHandlers["detect"]?.({ content: source })).toHaveProperty("ok");
        expect(
          await formatBridgeHandlers["convert"]?.({ content: source, from, to }),
        ).toHaveProperty("ok");
      }),
      { numRuns: 2_000 },
    );
  });
});
