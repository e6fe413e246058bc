import type * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import * as shapes from "./result-schemas.ts";
import { toSingleLine } from "../../kernel/text.ts";

/** These limits keep the findings in the task's log below about 64 KB. */
const COLUMNS_MAX = 40;
const PAIRS_MAX = 15;
const GROUPS_MAX = 12;
const OUTLIERS_MAX = 3;
const TERMS_MAX = 10;
const NOTES_MAX = 6;
const VALUE_CHARACTERS_MAX = 80;
const SENTENCE_CHARACTERS_MAX = 400;
const NOTE_CHARACTERS_MAX = 300;
/** Columns with longer names are left out, because tools do not know a cut name. */
const NAME_CHARACTERS_MAX = 200;

type ResultSummarizer = (result: JsonObject) => JsonObject | null;

/** Summarizers by capability; null for a result of another form. */
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
  "table-analyst/trend": createSummarizer(shapes.trendResultSchema),
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
  "text-analyst/readability": createSummarizer(shapes.readabilityResultSchema),
  "chart-maker/bar": createSummarizer(shapes.chartResultSchema),
  "chart-maker/line": createSummarizer(shapes.chartResultSchema),
  "chart-maker/scatter": createSummarizer(shapes.chartResultSchema),
  "chart-maker/histogram": createSummarizer(shapes.chartResultSchema),
  "format-bridge/convert": createSummarizer(shapes.convertResultSchema),
};

/**
 * The known fields of a tool's result with long lists and texts cut and without nulls. Null if the result has
 * another form.
 */
export function summarizeResult(
  tool: string,
  capability: string,
  result: JsonObject,
): JsonObject | null {
  return RESULT_SUMMARIZERS[`${tool}/${capability}`]?.(result) ?? null;
}

function createSummarizer<Shape extends z.ZodType<JsonObject>>(
  shape: Shape,
  shorten: (result: z.infer<Shape>) => JsonObject = (result) => result,
): ResultSummarizer {
  return (result) => {
    const parsed = shape.safeParse(result);
    return parsed.success ? omitNulls(shortenNotes(shorten(parsed.data))) : null;
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

/** Removes nulls, which the schemas add again. */
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
