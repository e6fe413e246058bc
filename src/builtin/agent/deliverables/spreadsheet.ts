import writeXlsxFile, { type Sheet, type SheetData } from "write-excel-file/universal";
import type { ReportDraft } from "./sections.ts";
import type { JsonScalar } from "../../../kernel/json.ts";
import { toSingleLine } from "../../../kernel/text.ts";

/** The zip library compresses larger parts in a separate thread, which Workers do not support. */
const PART_BYTES_MAX = 150_000;
/** The markup of a cell: `<c r="AB12345" t="s" s="1"><v>12345</v></c>`. */
const CELL_MARKUP_BYTES = 44;
/** The markup of a row: `<row r="12345" ht="15" customHeight="1"></row>`. */
const ROW_MARKUP_BYTES = 48;
/** The markup of a column: `<col min="1000" max="1000" width="18" customWidth="1"/>`. */
const COLUMN_MARKUP_BYTES = 60;
const SHEET_MARKUP_BYTES = 2_000;
/** The markup of a shared string: `<si><t xml:space="preserve"></t></si>`. */
const TEXT_MARKUP_BYTES = 40;
/** Reserved for the summary sheet. */
const SUMMARY_SHEET_BYTES = 40_000;
/** Excel's limit for a cell. */
const TEXT_CHARACTERS_MAX = 32_767;
const COLUMN_CHARACTERS = 18;
const NAME_COLUMN_CHARACTERS = 30;

/** A workbook, and a sentence for each omitted sheet. */
export interface Workbook {
  readonly bytes: Uint8Array;
  readonly omitted: readonly string[];
}

interface SheetContent {
  readonly name: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly JsonScalar[])[];
}

/**
 * The findings as an .xlsx file. Text is stored as shared strings, which spreadsheet programs never run as formulas.
 */
export async function buildSpreadsheet(draft: ReportDraft): Promise<Workbook> {
  const pages = [
    ...buildFindingsSheets(draft),
    ...draft.data.map(({ names, rows }, index) => ({
      name: index === 0 ? "Data" : `Data ${index + 1}`,
      header: names,
      rows,
    })),
  ];
  const { kept, omitted } = selectFittingSheets(pages.filter(({ rows }) => rows.length > 0));
  const sheets = [buildSummarySheet(draft, omitted), ...kept].map(toSheet);
  const blob = await writeXlsxFile(sheets, {}).toBlob();
  return { bytes: new Uint8Array(await blob.arrayBuffer()), omitted };
}

/**
 * Selects the sheets that fit. The cells of each sheet go into one part of the file, and the strings of all sheets
 * into another.
 */
function selectFittingSheets(pages: readonly SheetContent[]): {
  kept: SheetContent[];
  omitted: string[];
} {
  const kept: SheetContent[] = [];
  const omitted: string[] = [];
  let texts: ReadonlySet<string> = new Set();
  for (const page of pages) {
    const withPage = texts.union(collectTexts(page));
    if (
      estimateCellsBytes(page) > PART_BYTES_MAX ||
      estimateTextsBytes(withPage) > PART_BYTES_MAX
    ) {
      omitted.push(`The sheet ${page.name} is too large for the spreadsheet and was omitted.`);
      continue;
    }
    texts = withPage;
    kept.push(page);
  }
  return { kept, omitted };
}

function buildSummarySheet(
  { result, quality, limits }: ReportDraft,
  omitted: readonly string[],
): SheetContent {
  return {
    name: "Summary",
    header: ["Part", "Text"],
    rows: [
      ["Summary", result.summary],
      ...result.insights.map((text) => ["Insight", text]),
      ...result.recommendations.map((text) => ["Recommendation", text]),
      ...[...omitted, ...limits].map((text) => ["Limit", text]),
      ...Object.entries(quality).map(([name, figure]) => [`Quality: ${name}`, figure]),
    ],
  };
}

function buildFindingsSheets({ findings: { tables, texts } }: ReportDraft): SheetContent[] {
  return [
    createFindingsSheet("Columns", COLUMN_FIELDS, tables, ({ profile }) => profile?.columns ?? []),
    createFindingsSheet("Groups", GROUP_FIELDS, tables, ({ groupings }) =>
      groupings.flatMap(({ groupBy, column, groups }) =>
        groups.map((group) => ({ ...group, groupBy, column })),
      ),
    ),
    createFindingsSheet("Correlations", PAIR_FIELDS, tables, ({ pairs }) => pairs),
    createFindingsSheet("Outliers", FENCE_FIELDS, tables, ({ fences }) => fences),
    createFindingsSheet("Trends", TREND_FIELDS, tables, ({ trends }) => trends),
    createFindingsSheet(
      "Keywords",
      KEYWORD_FIELDS,
      texts,
      ({ keywords }) => keywords?.keywords ?? [],
    ),
  ];
}

/** A sheet with one row per item of each source. `fields` maps column headings to item fields. */
function createFindingsSheet<Findings extends { readonly source: string }, Field extends string>(
  name: string,
  fields: Readonly<Record<string, Field>>,
  findings: readonly Findings[],
  itemsOf: (findings: Findings) => readonly Readonly<Record<Field, JsonScalar>>[],
): SheetContent {
  const keys = Object.values(fields);
  const rows = findings.flatMap((one) =>
    itemsOf(one).map((item) => [one.source, ...keys.map((key) => item[key])]),
  );
  return { name, header: ["Source", ...Object.keys(fields)], rows };
}

const COLUMN_FIELDS = {
  Column: "name",
  Type: "type",
  Present: "count",
  Missing: "missing",
  Distinct: "distinct",
  Mean: "mean",
  "Standard deviation": "standardDeviation",
  Min: "min",
  "First quartile": "q1",
  Median: "median",
  "Third quartile": "q3",
  Max: "max",
} as const;

const GROUP_FIELDS = {
  By: "groupBy",
  Group: "group",
  Column: "column",
  Count: "count",
  Sum: "sum",
  Mean: "mean",
  Median: "median",
  Min: "min",
  Max: "max",
} as const;

const PAIR_FIELDS = { Column: "x", "Other column": "y", r: "r", n: "n" } as const;

const FENCE_FIELDS = {
  Column: "column",
  "Lower fence": "lower",
  "Upper fence": "upper",
  Outliers: "count",
} as const;

const TREND_FIELDS = {
  Column: "column",
  Over: "by",
  n: "n",
  Slope: "slope",
  r2: "r2",
  Direction: "direction",
} as const;

const KEYWORD_FIELDS = { Keyword: "term", Count: "count" } as const;

function toSheet({ name, header, rows }: SheetContent): Sheet<Blob> {
  const head = header.map((text) => ({ value: toExcelText(text), fontWeight: "bold" as const }));
  const data: SheetData = [
    head,
    ...rows.map((row) => row.map((cell) => (typeof cell === "string" ? toExcelText(cell) : cell))),
  ];
  const columns = header.map((_, index) => ({
    width: index === 1 ? NAME_COLUMN_CHARACTERS : COLUMN_CHARACTERS,
  }));
  return { sheet: name, data, columns, stickyRowsCount: 1 };
}

function toExcelText(text: string): string {
  return text.length <= TEXT_CHARACTERS_MAX ? text : toSingleLine(text, TEXT_CHARACTERS_MAX);
}

const ENCODER = new TextEncoder();
const ESCAPED_CHARACTERS = /[&<>"']/g;

function collectTexts({ header, rows }: SheetContent): Set<string> {
  return new Set([header, ...rows].flat().filter((cell) => typeof cell === "string"));
}

/** An upper bound for the size of the shared strings, including those of the summary sheet. */
function estimateTextsBytes(texts: ReadonlySet<string>): number {
  const text = [...texts].join("").replace(ESCAPED_CHARACTERS, "&quot;");
  return SUMMARY_SHEET_BYTES + TEXT_MARKUP_BYTES * texts.size + ENCODER.encode(text).byteLength;
}

/** An upper bound for the size of the cells, in which strings are stored as indexes. */
function estimateCellsBytes({ header, rows }: SheetContent): number {
  const size = (cell: JsonScalar) =>
    cell === null ? 0 : CELL_MARKUP_BYTES + (typeof cell === "string" ? 0 : String(cell).length);
  return [header, ...rows].reduce(
    (sum, cells) => cells.reduce<number>((row, cell) => row + size(cell), sum + ROW_MARKUP_BYTES),
    SHEET_MARKUP_BYTES + COLUMN_MARKUP_BYTES * header.length,
  );
}
