import type { InputFindings, TableFindings, TextFindings } from "../findings.ts";
import type { Insight } from "../insights.ts";
import type { InputSource } from "../inputs.ts";
import type { TableData } from "../table-rows.ts";
import type { ColumnProfile, GroupAggregation, TableProfile } from "../result-schemas.ts";
import { capitalize, formatLabel, toSingleLine } from "../../../kernel/text.ts";
import {
  escapeMarkdown,
  formatBulletList,
  formatMarkdownTable,
  formatQuotation,
} from "./markdown.ts";
import { formatAmount, formatFigure } from "../figures.ts";
import { isJsonObject, type JsonScalar } from "../../../kernel/json.ts";
import type { QualityScores, Task, TaskResult } from "../../../tasks/model/task.ts";
import { capabilityPathOf, type CompletedCall } from "../tool-calls.ts";
import type { DrawnChart } from "../charts.ts";

/** The content of all deliverables. Strings are plain text, and each format escapes them. */
export interface ReportDraft {
  readonly task: Task;
  readonly sources: readonly InputSource[];
  readonly findings: InputFindings;
  readonly insights: readonly Insight[];
  readonly result: TaskResult;
  readonly quality: QualityScores;
  readonly limits: readonly string[];
  readonly charts: readonly DrawnChart[];
  readonly entries: readonly CompletedCall[];
  /** The table rows to include in a spreadsheet. */
  readonly data: readonly TableData[];
}

const MAIN_INSIGHTS_MAX = 8;

/** The main insights, or the first ones if none is marked as main. */
export function selectMainInsights({ insights }: ReportDraft): string[] {
  const main = insights.filter(({ isMain }) => isMain);
  return (main.length === 0 ? insights : main).slice(0, MAIN_INSIGHTS_MAX).map(({ text }) => text);
}

/** A section of a document. The body is Markdown in which user text is escaped. */
export interface ReportSection {
  readonly heading: string;
  readonly body: string;
  readonly charts: readonly DrawnChart[];
}

function createSection(
  heading: string,
  blocks: readonly string[],
  charts: readonly DrawnChart[] = [],
): ReportSection[] {
  const body = blocks.filter((block) => block !== "").join("\n\n");
  return body === "" && charts.length === 0 ? [] : [{ heading, body, charts }];
}

const TITLE_CHARACTERS_MAX = 100;
const ANSWER_CHARACTERS_MAX = 2_000;
const PROBLEM_CHARACTERS_MAX = 120;

/** The first line of the task, shortened for use as a title. */
export function reportTitleOf({ task }: Task): string {
  const [first = ""] = task.trim().split(/[\r\n]/);
  return toSingleLine(first, TITLE_CHARACTERS_MAX) || "Report";
}

export function buildReportSections(draft: ReportDraft): ReportSection[] {
  const { task, findings, result, limits, charts } = draft;
  return [
    ...createSection("The task", [
      task.task.trim().includes("\n") ? formatQuotation(task.task.trim()) : "",
    ]),
    ...createSection("Summary", [escapeMarkdown(result.summary)]),
    ...createSection("Main findings", [formatBulletList(selectMainInsights(draft))], charts),
    ...createSection("Recommendations", [formatBulletList(result.recommendations)]),
    ...findings.tables.flatMap(buildTableSection),
    ...findings.texts.flatMap(buildTextSection),
    ...buildFeedbackSections(task),
    ...createSection("Limitations", [formatBulletList(limits)]),
    ...buildMethodSection(draft),
  ];
}

export function buildFeedbackSections({ answers, reviewComments }: Task): ReportSection[] {
  const quoted = answers.flatMap(({ question, response }) => {
    if (response === null) return [];
    const keys = isJsonObject(response) ? Object.keys(response).join(", ") : "";
    const text =
      typeof response === "string" ? response.slice(0, ANSWER_CHARACTERS_MAX) : `(values: ${keys})`;
    return [escapeMarkdown(question), formatQuotation(text)];
  });
  return [
    ...createSection("Answers", quoted),
    ...createSection("Review notes", reviewComments.map(formatQuotation)),
  ];
}

function buildMethodSection({ quality, entries }: ReportDraft): ReportSection[] {
  const { score, accuracy, completeness, clarity } = quality;
  const figures = `Quality ${score} out of 100: accuracy ${accuracy}, completeness ${completeness}, clarity ${clarity}.`;
  if (entries.length === 0) {
    return createSection("How this was made", [figures, "No tools were called."]);
  }
  const calls = entries.map(toCallRow);
  return createSection("How this was made", [
    figures,
    `${formatAmount(entries.length, "tool call")}:`,
    formatMarkdownTable(["Capability", "Source", "About", "Outcome"], calls),
  ]);
}

function toCallRow(call: CompletedCall): string[] {
  const { source, asked, problem } = call;
  const about = Object.entries(asked)
    .filter(([, value]) => typeof value === "string")
    .map(([key, value]) => `${key} ${String(value)}`);
  const outcome =
    problem === null
      ? "done"
      : `${problem.kind}: ${toSingleLine(problem.message, PROBLEM_CHARACTERS_MAX)}`;
  return [capabilityPathOf(call), source, about.join(", "), outcome];
}

const CORRELATIONS_SHOWN_MAX = 10;

function buildTableSection(findings: TableFindings): ReportSection[] {
  const { source, profile, pairs, groupings, fences } = findings;
  const found = fences.filter(({ count }) => count > 0);
  return createSection(capitalize(`the data: ${source}`), [
    ...(profile === null
      ? []
      : [
          formatTableSize(profile),
          formatMarkdownTable(Object.keys(COLUMN_FIELDS), profile.columns.map(toColumnRow)),
        ]),
    ...formatTitledTable(
      "**Correlations** (Pearson)",
      ["Column", "Other column", "r", "n"],
      pairs
        .slice(0, CORRELATIONS_SHOWN_MAX)
        .map(({ x, y, r, n }) => [formatLabel(x), formatLabel(y), r, n]),
    ),
    ...formatGroupTables(groupings),
    ...formatTitledTable(
      "**Values outside Tukey's fences** (more than 1.5 interquartile ranges from the quartiles)",
      ["Column", "Lower fence", "Upper fence", "Values outside"],
      found.map(({ column, lower, upper, count }) => [formatLabel(column), lower, upper, count]),
    ),
    ...(profile === null || profile.notes.length === 0
      ? []
      : ["**Notes on reading the table**", formatBulletList(profile.notes)]),
  ]);
}

function buildTextSection({
  source,
  readability,
  keywords,
  extract,
}: TextFindings): ReportSection[] {
  const terms = keywords?.keywords ?? [];
  return createSection(capitalize(`the text: ${source}`), [
    readability === null
      ? ""
      : formatMarkdownTable(Object.keys(READABILITY_FIELDS), [
          Object.values(READABILITY_FIELDS).map((field) => readability[field]),
        ]),
    ...formatTitledTable(
      "**Keywords**",
      ["Keyword", "Count"],
      terms.map(({ term, count }) => [term, count]),
    ),
    extract === null ? "" : "**Central sentences** (quoted)",
    ...(extract?.sentences ?? []).map(({ text }) => formatQuotation(text)),
  ]);
}

const READABILITY_FIELDS = {
  Words: "words",
  Sentences: "sentences",
  "Flesch reading ease": "fleschReadingEase",
  "US school grade": "fleschKincaidGrade",
  Level: "level",
  "Reading time": "readingTime",
} as const;

function formatTitledTable(
  title: string,
  header: readonly string[],
  rows: readonly (readonly JsonScalar[])[],
): string[] {
  return rows.length === 0 ? [] : [title, formatMarkdownTable(header, rows)];
}

function formatTableSize({ rows, columns, unread }: TableProfile): string {
  const left = unread === 0 ? "" : `, of which ${columns.length} are shown`;
  return `${formatAmount(rows, "row")}, ${formatAmount(columns.length + unread, "column")}${left}.`;
}

const COLUMN_FIELDS = {
  Column: "name",
  Type: "type",
  Present: "count",
  Missing: "missing",
  Distinct: "distinct",
  Mean: "mean",
  SD: "standardDeviation",
  Min: "min",
  Median: "median",
  Max: "max",
} as const satisfies Record<string, keyof ColumnProfile>;

function toColumnRow(column: ColumnProfile): JsonScalar[] {
  return Object.values(COLUMN_FIELDS).map((field) =>
    field === "name" ? formatLabel(column.name) : column[field],
  );
}

/** One table per grouping column, with the means of all measures side by side. */
function formatGroupTables(groupings: readonly GroupAggregation[]): string[] {
  const byColumn = Map.groupBy(groupings, ({ groupBy }) => groupBy);
  return Array.from(byColumn).flatMap(([groupBy, all]) => {
    const values = new Set(all.flatMap(({ groups }) => groups.map(({ group }) => group)));
    const rows = Array.from(values, (value): JsonScalar[] => [
      formatLabel(value),
      ...all.map(({ groups }) => {
        const group = groups.find((one) => one.group === value);
        return group === undefined || group.mean === null
          ? null
          : `${formatFigure(group.mean)} (${formatFigure(group.count)})`;
      }),
    ]);
    const header = [formatLabel(groupBy), ...all.map(({ column }) => formatLabel(column))];
    return [
      `**Means by ${escapeMarkdown(formatLabel(groupBy))}** (number of values in brackets)`,
      formatMarkdownTable(header, rows),
    ];
  });
}
