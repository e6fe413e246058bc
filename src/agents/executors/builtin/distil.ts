import type * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import * as shapes from "./shapes.ts";
import { oneLine } from "./wording.ts";

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

type Distil = (result: JsonObject) => JsonObject | null;

/** What the agent keeps of each capability it uses; null for a result it cannot read. */
const DISTIL: Readonly<Record<string, Distil>> = {
  "table-analyst/profile": reading(shapes.profileShape, ({ rows, columns, notes }) => {
    const kept = columns.filter(({ name }) => isShort(name)).slice(0, COLUMNS_MAX);
    const shown = kept.map((column) => ({
      ...column,
      top: column.top.map(({ value, count }) => ({ value: short(value), count })),
    }));
    return { rows, columns: shown, unread: columns.length - kept.length, notes };
  }),
  "table-analyst/correlate": reading(shapes.correlateShape, ({ pairs, notes }) => ({
    pairs: pairs.filter(({ x, y }) => isShort(x) && isShort(y)).slice(0, PAIRS_MAX),
    notes,
  })),
  "table-analyst/aggregate": reading(shapes.aggregateShape, ({ groups, ...rest }) => ({
    ...rest,
    groups: groups.slice(0, GROUPS_MAX).map((group) => ({ ...group, group: short(group.group) })),
  })),
  "table-analyst/outliers": reading(shapes.outliersShape, ({ columns, notes }) => ({
    columns: columns
      .filter(({ column }) => isShort(column))
      .slice(0, COLUMNS_MAX)
      .map((column) => ({ ...column, outliers: column.outliers.slice(0, OUTLIERS_MAX) })),
    notes,
  })),
  "table-analyst/trend": reading(shapes.trendShape, (trend) => trend),
  "text-analyst/keywords": reading(shapes.keywordsShape, ({ keywords, ...rest }) => ({
    ...rest,
    keywords: keywords
      .slice(0, TERMS_MAX)
      .map(({ term, count }) => ({ term: oneLine(term, VALUE_CHARACTERS_MAX), count })),
  })),
  "text-analyst/summarise": reading(shapes.summariseShape, ({ sentences, ...rest }) => ({
    ...rest,
    sentences: sentences.map(({ position, text }) => ({
      position,
      text: oneLine(text, SENTENCE_CHARACTERS_MAX),
    })),
  })),
  "text-analyst/readability": reading(shapes.readabilityShape, (readability) => readability),
  "chart-maker/bar": reading(shapes.chartShape, (chart) => chart),
  "chart-maker/line": reading(shapes.chartShape, (chart) => chart),
  "chart-maker/scatter": reading(shapes.chartShape, (chart) => chart),
  "chart-maker/histogram": reading(shapes.chartShape, (chart) => chart),
  "format-bridge/convert": reading(shapes.convertShape, (converted) => converted),
};

/**
 * The findings within a tool's result: known fields only, long lists and texts cut, fields without
 * a value absent. Null when the result does not have the shape that the tool promises.
 */
export function distil(tool: string, capability: string, result: JsonObject): JsonObject | null {
  return DISTIL[`${tool}/${capability}`]?.(result) ?? null;
}

function reading<Shape extends z.ZodType>(
  shape: Shape,
  cut: (result: z.infer<Shape>) => JsonObject,
): Distil {
  return (result) => {
    const read = shape.safeParse(result);
    return read.success ? compact(withShortNotes(cut(read.data))) : null;
  };
}

function withShortNotes(result: JsonObject): JsonObject {
  const { notes } = result;
  if (!Array.isArray(notes)) return result;
  const kept = notes.slice(0, NOTES_MAX).map((note) => oneLine(String(note), NOTE_CHARACTERS_MAX));
  return { ...result, notes: kept };
}

/** Without the fields that hold null: reading the shape again brings them back. */
function compact(object: JsonObject): JsonObject {
  const entries = Object.entries(object).map(([key, value]) => [key, compactValue(value)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

function compactValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(compactValue);
  return isJsonObject(value) ? compact(value) : value;
}

function isShort(name: string): boolean {
  return name.length <= NAME_CHARACTERS_MAX;
}

function short(value: string | number | boolean): string | number | boolean {
  return typeof value === "string" ? oneLine(value, VALUE_CHARACTERS_MAX) : value;
}
