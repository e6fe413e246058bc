import { describe, expect, it } from "vitest";
import { AgentHarness, toCsv, penguins } from "./agent-harness.ts";
import { unzip } from "./unzip.ts";

const HOSTILE = [
  "<script>alert(1)</script>",
  "=cmd|'/c calc'!A1",
  "__proto__",
  "a|b](javascript:x)",
];
const HOSTILE_DATA = Array.from({ length: 12 }, (_, row) =>
  Object.fromEntries([
    ...HOSTILE.map((name, column): [string, number] => [name, row * (column + 1) + (row % 3)]),
    ["kind", row % 2 === 0 ? "<img src=x onerror=alert(1)>" : '=HYPERLINK("http://x")'],
  ]),
);

/** The cells of a sheet, row by row, with shared strings looked up. */
function sheetOf(book: Map<string, string>, name: string): (string | number)[][] {
  const place = [
    ...(book.get("xl/workbook.xml") ?? "").matchAll(/<sheet [^>]*name="([^"]+)"/g),
  ].findIndex(([, found]) => found === name);
  const strings = [...(book.get("xl/sharedStrings.xml") ?? "").matchAll(/<t[^>]*>([^<]*)<\/t>/g)];
  const xml = book.get(`xl/worksheets/sheet${place + 1}.xml`) ?? "";
  return [...xml.matchAll(/<row .*?<\/row>/g)].map(([row]) =>
    [...row.matchAll(/<c [^>]*?(t="s")?[^>]*><v>([^<]*)<\/v>/g)].map(([cell, , value]) =>
      cell.includes('t="s"') ? (strings[Number(value)]?.[1] ?? "") : Number(value),
    ),
  );
}

describe("deliverable types", () => {
  it("a task that requests no deliverables gets a report", async () => {
    const harness = new AgentHarness({ context: { text: "One ship sails." } });
    await harness.run();
    expect(harness.outcome.deliverables.map(({ type }) => type)).toEqual(["report", "report"]);
  });

  it("unknown deliverable types become Markdown documents with that name, and duplicates are created once", async () => {
    const words = [
      "memo",
      "memo",
      "Café Notes",
      "../../etc/passwd",
      "日本語",
      "Report",
      "report",
      "MEMO",
      "<b>",
    ];
    const harness = new AgentHarness({ deliverables: words, context: { text: "One ship sails." } });
    await harness.run();
    expect(harness.outcome.deliverables.map(({ type, name }) => [type, name])).toEqual([
      ["memo", "memo.md"],
      ["Café Notes", "cafe-notes.md"],
      ["../../etc/passwd", "etc-passwd.md"],
      ["日本語", "document.md"],
      ["Report", "report.md"],
      ["Report", "report.html"],
      ["report", "report-2.md"],
      ["report", "report-2.html"],
      ["MEMO", "memo-2.md"],
      ["<b>", "b.md"],
    ]);
    expect(harness.text("b.md").split("\n")[0]).toBe("# \\<b\\>: Look into the material");
    expect(new Set(harness.files.keys()).size).toBe(10);
  });

  it("fifty different deliverables produce fifty files with different names", async () => {
    const words = Array.from({ length: 50 }, (_, index) => `paper ${index}`);
    const harness = new AgentHarness({ deliverables: words });
    await harness.run();
    expect(new Set(harness.names()).size).toBe(50);
  });
});

describe("hostile names and values", () => {
  const harness = new AgentHarness({
    task: "<script>alert(2)</script>\n- [x](javascript:alert(3))",
    deliverables: ["report", "presentation", "analysis", "chart", "spreadsheet", "summary"],
    context: { data: HOSTILE_DATA },
  });

  it("hostile column names are analysed like any others", async () => {
    await harness.run();
    const { insights } = harness.outcome.result;
    for (const name of HOSTILE) {
      expect(insights.some((text) => text.startsWith(`The mean of ${name} is `))).toBe(true);
    }
    const { findings } = JSON.parse(harness.text("analysis.json"));
    expect(
      findings.tables[0].profile.columns.map((column: { name: string }) => column.name),
    ).toEqual([...HOSTILE, "kind"]);
  });

  it("hostile names and values are shown as text in pages and charts", () => {
    for (const name of harness.names().filter((one) => /html|svg/.test(one))) {
      const page = harness.text(name);
      const tags = page.replaceAll(/="[^"]*"/g, "");
      expect(tags.match(/<script|<img|<[^>]* on\w+/gi)).toBeNull();
      expect(page.match(/(?:href|src)="(?!#)/gi)).toBeNull();
    }
    expect(harness.text("report.html")).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(harness.names()).toContain("chart.svg");
  });

  it("hostile names and values are escaped in Markdown", () => {
    const report = harness.text("report.md");
    expect(report.match(/(?<!\\)<script/)).toBeNull();
    expect(report).toContain("a\\|b\\](javascript:x)");
    expect(report.split("\n")[0]).toBe("# \\<script\\>alert(2)\\</script\\>");
  });

  it("hostile names and values are stored as text in the spreadsheet, never as formulas", () => {
    const book = unzip(harness.bytes("spreadsheet.xlsx"));
    for (const [path, xml] of book) {
      if (path.startsWith("xl/worksheets/sheet")) expect(xml.includes("<f>")).toBe(false);
    }
    expect(book.get("xl/sharedStrings.xml")).toContain("=HYPERLINK(");
  });
});

describe("the spreadsheet", () => {
  it("the spreadsheet contains the figures as numbers and the rows unchanged", async () => {
    const harness = new AgentHarness({
      deliverables: ["spreadsheet"],
      context: { csv: toCsv(penguins()) },
    });
    await harness.run();
    const book = unzip(harness.bytes("spreadsheet.xlsx"));
    expect(sheetOf(book, "Correlations")[1]).toEqual([
      "context.csv",
      "Flipper Length (mm)",
      "Body Mass (g)",
      0.8712,
      342,
    ]);
    const data = sheetOf(book, "Data");
    expect(data).toHaveLength(345);
    expect(data[0]).toEqual(Object.keys(penguins()[0] ?? {}));
    expect(data[1]).toEqual(["Adelie", "Torgersen", 39.1, 18.7, 181, 3750, "MALE"]);
    const groups = sheetOf(book, "Groups").filter((row) => row[2] === "Gentoo");
    expect(groups.map((row) => row[6])).toContain(5076);
  });

  it("a spreadsheet omits rows that do not fit, and says so", async () => {
    const data = Array.from({ length: 5_000 }, (_, row) => ({ x: row, y: row * row }));
    const harness = new AgentHarness({
      deliverables: ["spreadsheet", "summary"],
      context: { data },
    });
    await harness.run();
    const book = unzip(harness.bytes("spreadsheet.xlsx"));
    expect(book.get("xl/workbook.xml")).not.toContain('name="Data"');
    const sentence = "The spreadsheet omits the rows of context.data because there are too many.";
    expect(harness.text("summary.txt")).toContain(sentence);
    expect(sheetOf(book, "Summary").flat()).toContain(sentence);
  });

  it("each part of a spreadsheet stays below the size that would require a thread", async () => {
    for (const [rows, width] of [
      [54, 55],
      [1_200, 2],
      [300, 10],
    ] as const) {
      const data = Array.from({ length: rows }, (_row, row) =>
        Object.fromEntries(
          Array.from({ length: width }, (_, column) => [`c${column}`, `&<"${row * column}`]),
        ),
      );
      const harness = new AgentHarness({ deliverables: ["spreadsheet"], context: { data } });
      await harness.run();
      const book = unzip(harness.bytes("spreadsheet.xlsx"));
      const sizes = Array.from(book.values(), (xml) => Buffer.byteLength(xml));
      expect(Math.max(...sizes)).toBeLessThan(160_000);
    }
  });
});
