import type * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import * as shapes from "./result-schemas.ts";
import { toSingleLine } from "../../kernel/text.ts";

/** Findings lie in the task's log, where anybody reads them: these bounds keep them to some 64 KB. */
const COLUMNS_MAX = 40;
const PAIRS_MAX = 15;
const GROUPS_MAX = 12;
const OUTLIERS_MAX = 3;
const TERMS_MAX = 10;
const NOTES_MAX = 6;
const VALUE_CHARACTERS_MAX = 80;
const SENTENCE_CHARACTERS_MAX = 400;
const NOTE_CHARACTERS_MAX = 300;
/** A longer name is no name; it is left out because a cut one would name nothing to a tool. */
const NAME_CHARACTERS_MAX = 200;

type ResultSummarizer = (result: JsonObject) => JsonObject | null;

/** What the agent keeps of each capability it uses; null for a result it cannot read. */
const RESULT_SUMMARIZERS: Readonly<Record<string, ResultSummarizer>> = {
  "table-analyst/profile": createSummarizer(
    shapes.profileResultSchema,
    ({ rows, columns, notes }) => {
      const kept = columns.filter(({ name }) => isShortName(name)).slice(0, COLUMNS_MAX);
      const shown = kept.map((column) => ({
        ...column,
        top: column.top.map(({ value, count }) => ({ value: shortenValue(value), count })),
      }));
      return { rows, columns: shown, unread: columns.length - kept.length, notes };
    },
  ),
  "table-analyst/correlate": createSummarizer(shapes.correlateResultSchema, ({ pairs, notes }) => ({
    pairs: pairs.filter(({ x, y }) => isShortName(x) && isShortName(y)).slice(0, PAIRS_MAX),
    notes,
  })),
  "table-analyst/aggregate": createSummarizer(
    shapes.aggregateResultSchema,
    ({ groups, ...rest }) => ({
      ...rest,
      groups: groups
        .slice(0, GROUPS_MAX)
        .map((group) => ({ ...group, group: shortenValue(group.group) })),
    }),
  ),
  "table-analyst/outliers": createSummarizer(shapes.outliersResultSchema, ({ columns, notes }) => ({
    columns: columns
      .filter(({ column }) => isShortName(column))
      .slice(0, COLUMNS_MAX)
      .map((column) => ({ ...column, outliers: column.outliers.slice(0, OUTLIERS_MAX) })),
    notes,
  })),
  "table-analyst/trend": createSummarizer(shapes.trendResultSchema, (trend) => trend),
  "text-analyst/keywords": createSummarizer(
    shapes.keywordsResultSchema,
    ({ keywords, ...rest }) => ({
      ...rest,
      keywords: keywords
        .slice(0, TERMS_MAX)
        .map(({ term, count }) => ({ term: toSingleLine(term, VALUE_CHARACTERS_MAX), count })),
    }),
  ),
  "text-analyst/summarise": createSummarizer(
    shapes.summarizeResultSchema,
    ({ sentences, ...rest }) => ({
      ...rest,
      sentences: sentences.map(({ position, text }) => ({
        position,
        text: toSingleLine(text, SENTENCE_CHARACTERS_MAX),
      })),
    }),
  ),
  "text-analyst/readability": createSummarizer(
    shapes.readabilityResultSchema,
    (readability) => readability,
  ),
  "chart-maker/bar": createSummarizer(shapes.chartResultSchema, (chart) => chart),
  "chart-maker/line": createSummarizer(shapes.chartResultSchema, (chart) => chart),
  "chart-maker/scatter": createSummarizer(shapes.chartResultSchema, (chart) => chart),
  "chart-maker/histogram": createSummarizer(shapes.chartResultSchema, (chart) => chart),
  "format-bridge/convert": createSummarizer(shapes.convertResultSchema, (converted) => converted),
};

/**
 * The findings within a tool's result: known fields only, long lists and texts cut, fields without
 * a value absent. Null when the result does not have the shape that the tool promises.
 */
export function summarizeResult(
  tool: string,
  capability: string,
  result: JsonObject,
): JsonObject | null {
  return RESULT_SUMMARIZERS[`${tool}/${capability}`]?.(result) ?? null;
}

function createSummarizer<Shape extends z.ZodType>(
  shape: Shape,
  cut: (result: z.infer<Shape>) => JsonObject,
): ResultSummarizer {
  return (result) => {
    const read = shape.safeParse(result);
    return read.success ? omitNulls(shortenNotes(cut(read.data))) : null;
  };
}

function shortenNotes(result: JsonObject): JsonObject {
  const { notes } = result;
  if (!Array.isArray(notes)) return result;
  const kept = notes
    .slice(0, NOTES_MAX)
    .map((note) => toSingleLine(String(note), NOTE_CHARACTERS_MAX));
  return { ...result, notes: kept };
}

/** Without the fields that hold null: reading the shape again brings them back. */
function omitNulls(object: JsonObject): JsonObject {
  const entries = Object.entries(object).map(
    ([key, value]) => [key, omitNestedNulls(value)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

function omitNestedNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(omitNestedNulls);
  return isJsonObject(value) ? omitNulls(value) : value;
}

function isShortName(name: string): boolean {
  return name.length <= NAME_CHARACTERS_MAX;
}

function shortenValue(value: string | number | boolean): string | number | boolean {
  return typeof value === "string" ? toSingleLine(value, VALUE_CHARACTERS_MAX) : value;
}
