import { describe, expect, it } from "vitest";
import {
  CSV_CELL_CHARACTERS_MAX,
  CSV_COLUMNS_MAX,
  parseCsv,
} from "../../console/src/tasks/detail/csv.ts";
import {
  MARKDOWN_CHARACTERS_MAX,
  MARKDOWN_PARTS_MAX,
  previewMarkdown,
} from "../../console/src/tasks/detail/markdown-preview.ts";
import { parseInline, parseMarkdown } from "../../console/src/tasks/detail/markdown.ts";
import { previewKindOf } from "../../console/src/tasks/detail/preview-kind.ts";
import { readTaskSearch } from "../../console/src/tasks/detail/search.ts";
import { appendEvents, isEndedBy, lastSeqOf } from "../../console/src/tasks/detail/task-log.ts";
import { Rng } from "../support/rng.ts";
import { EVENT_DATA, eventOf, randomLog } from "./task-log.support.ts";

describe("the log of a task", () => {
  it("contains each event once and in order, however the pages overlap", () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const rng = new Rng(seed);
      const log = randomLog(rng, rng.between(1, 30));
      let merged: typeof log = [];
      while (lastSeqOf(merged) < log.length) {
        const from = rng.between(0, lastSeqOf(merged));
        merged = appendEvents(merged, log.slice(from, from + rng.between(1, 8)));
      }
      expect(merged, `seed ${seed}`).toEqual(log);
    }
  });

  it("stays the same object if nothing is new", () => {
    const log = randomLog(new Rng(1), 5);
    expect(appendEvents(log, log)).toBe(log);
  });

  it("has ended after a final event, also if feedback follows, until the task is retried", () => {
    const completed = eventOf("completed", EVENT_DATA.completed);
    const failed = eventOf("failed", EVENT_DATA.failed);
    expect(isEndedBy([])).toBe(false);
    expect(isEndedBy([completed, eventOf("rated", EVENT_DATA.rated)])).toBe(true);
    expect(isEndedBy([failed, eventOf("updated", EVENT_DATA.updated)])).toBe(true);
    expect(isEndedBy([failed, eventOf("retried", EVENT_DATA.retried)])).toBe(false);
  });
});

describe("the search parameters of a task's URL", () => {
  it("are ignored if they are invalid", () => {
    expect(readTaskSearch({ tab: "activity", event: -1, call: 0, file: "" })).toEqual({});
    expect(readTaskSearch({ tab: "other", event: "4", call: 1.5, other: 1 })).toEqual({});
    expect(readTaskSearch({ tab: "raw", event: 4, call: 0, file: "a.md" })).toEqual({
      tab: "raw",
      event: 4,
      call: 0,
      file: "a.md",
    });
  });
});

describe("the CSV preview", () => {
  it("reads quoted fields, doubled quotes and line breaks in fields", () => {
    expect(parseCsv('\uFEFFa,"b ""c""",\r\n"1\n2",,3', 10)).toEqual({
      rows: [
        ["a", 'b "c"', ""],
        ["1\n2", "", "3"],
      ],
      isCut: false,
      isShortened: false,
    });
  });

  it("reads back every table that is written according to RFC 4180", () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const rng = new Rng(seed);
      const columns = rng.between(1, 4);
      const rows = Array.from({ length: rng.between(1, 6) }, () =>
        Array.from({ length: columns }, () => rng.pick(["1", "a,b", 'q"', "x\ny", "é", "z z"])),
      );
      const source = rows
        .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","))
        .join("\r\n");
      expect(parseCsv(source, 100), `seed ${seed}`).toEqual({
        rows,
        isCut: false,
        isShortened: false,
      });
      const cut = parseCsv(source, 2);
      expect(cut, `seed ${seed}`).toEqual({
        rows: rows.slice(0, 2),
        isCut: rows.length > 2,
        isShortened: false,
      });
    }
  });

  it("has no more columns and no longer cells than it can show", () => {
    const columns = Array.from({ length: CSV_COLUMNS_MAX }, () => "x");
    const cell = "y".repeat(CSV_CELL_CHARACTERS_MAX);
    expect(parseCsv(`${columns.join(",")}\n${cell}`, 10)).toEqual({
      rows: [columns, [cell]],
      isCut: false,
      isShortened: false,
    });
    expect(parseCsv(`${columns.join(",")},x,x\nx`, 10)).toEqual({
      rows: [columns, ["x"]],
      isCut: false,
      isShortened: true,
    });
    for (const source of [`${cell}z,1`, `"${cell}""",1`])
      expect(parseCsv(source, 10)).toEqual({
        rows: [[cell, "1"]],
        isCut: false,
        isShortened: true,
      });
  });
});

describe("the Markdown preview", () => {
  it("divides a report into headings, lists, tables, code, quotes and paragraphs", () => {
    const source = [
      "# Report #",
      "First",
      "line",
      "- one",
      "* two",
      "1. first",
      "| a | b\\|c |",
      "|---|:-:|",
      "| 1 | 2 |",
      "```js",
      "# no heading",
      "```",
      "> quoted",
      "---",
    ].join("\n");
    expect(parseMarkdown(source)).toEqual([
      { kind: "heading", level: 1, text: "Report" },
      { kind: "paragraph", text: "First\nline" },
      { kind: "list", start: null, items: ["one", "two"] },
      { kind: "list", start: 1, items: ["first"] },
      {
        kind: "table",
        rows: [
          ["a", "b|c"],
          ["1", "2"],
        ],
      },
      { kind: "code", text: "# no heading" },
      { kind: "quote", text: "quoted" },
    ]);
  });

  it("keeps the numbers of a list that another list interrupts, and of a sentence that starts with a year", () => {
    expect(parseMarkdown("1. one\n   - detail\n2. two\n\n2025. That was it.")).toEqual([
      { kind: "list", start: 1, items: ["one"] },
      { kind: "list", start: null, items: ["detail"] },
      { kind: "list", start: 2, items: ["two"] },
      { kind: "list", start: 2025, items: ["That was it."] },
    ]);
  });

  it("ends for any text and keeps every word", () => {
    const pieces = [
      "#",
      "- ",
      "1. ",
      "```",
      "|",
      "> ",
      "word",
      "\n",
      " ",
      "**",
      "`",
      "---",
    ] as const;
    for (let seed = 0; seed < 500; seed += 1) {
      const rng = new Rng(seed);
      const source = Array.from({ length: rng.below(40) }, () => rng.pick(pieces)).join("");
      const words = JSON.stringify(parseMarkdown(source)).split("word").length;
      // The language of a code block is not shown.
      const withoutLanguages = source.replaceAll(/^\s*```.*$/gmu, "");
      expect(words, `seed ${seed}: ${source}`).toBeGreaterThanOrEqual(
        withoutLanguages.split("word").length,
      );
    }
  });

  it("has no more characters and parts than it can show", () => {
    const short = "# Title\n- one\n\n| a | b |\n| 1 | 2 |";
    expect(previewMarkdown(short)).toEqual({ blocks: parseMarkdown(short), isCut: false });
    expect(previewMarkdown("x".repeat(MARKDOWN_CHARACTERS_MAX + 1))).toEqual({
      blocks: [{ kind: "paragraph", text: "x".repeat(MARKDOWN_CHARACTERS_MAX) }],
      isCut: true,
    });
    const paragraphs = (count: number): string => "x\n\n".repeat(count);
    expect(previewMarkdown(paragraphs(MARKDOWN_PARTS_MAX)).isCut).toBe(false);
    const many = previewMarkdown(paragraphs(MARKDOWN_PARTS_MAX + 1));
    expect(many.blocks).toHaveLength(MARKDOWN_PARTS_MAX);
    expect(many.isCut).toBe(true);
    // The list is also a part.
    const items = Array.from({ length: MARKDOWN_PARTS_MAX - 1 }, () => "x");
    expect(previewMarkdown("- x\n".repeat(MARKDOWN_PARTS_MAX))).toEqual({
      blocks: [{ kind: "list", start: null, items }],
      isCut: true,
    });
    const table = previewMarkdown(`| a | b |\n|${"x|".repeat(MARKDOWN_PARTS_MAX)}\n\nend`);
    expect(table).toEqual({ blocks: [{ kind: "table", rows: [["a", "b"]] }], isCut: true });
  });

  it("divides a line into plain, strong and code parts", () => {
    expect(parseInline("a **b** `c` <i>")).toEqual([
      { kind: "text", text: "a " },
      { kind: "strong", text: "b" },
      { kind: "text", text: " " },
      { kind: "code", text: "c" },
      { kind: "text", text: " <i>" },
    ]);
  });
});

it.each([
  ["text/markdown; charset=utf-8", "markdown"],
  ["text/csv", "csv"],
  ["TEXT/HTML", "html"],
  ["image/svg+xml", "image"],
  ["application/json", "text"],
  ["application/pdf", null],
  ["image/tiff", null],
])("a file of type %s has the preview %s", (format, kind) => {
  expect(previewKindOf(format)).toBe(kind);
});
