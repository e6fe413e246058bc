import * as z from "zod";
import { nameOf, type Entry } from "./calls.ts";
import type { Source } from "./material.ts";
import * as shapes from "./shapes.ts";

/** What the tools found in one table; null or empty where no call succeeded. */
export interface TableFindings {
  readonly source: string;
  readonly profile: shapes.Profile | null;
  readonly pairs: readonly shapes.Pair[];
  readonly fences: readonly shapes.Fences[];
  readonly groupings: readonly shapes.Grouping[];
  readonly trends: readonly shapes.Trend[];
  /** What the tools said of their own results, beside how the table was read. */
  readonly caveats: readonly string[];
}

/** What the tools found in one text. */
export interface TextFindings {
  readonly source: string;
  readonly keywords: shapes.Keywords | null;
  readonly extract: shapes.Extract | null;
  readonly readability: shapes.Readability | null;
  readonly caveats: readonly string[];
}

export interface Findings {
  readonly tables: readonly TableFindings[];
  readonly texts: readonly TextFindings[];
}

/** The findings within the calls that were made, source by source. */
export function findingsOf(
  sources: readonly Pick<Source, "id" | "kind">[],
  entries: readonly Entry[],
): Findings {
  const of = (kind: Source["kind"]) => sources.filter((source) => source.kind === kind);
  const about = (id: string) => entries.filter(({ source }) => source === id);
  return {
    tables: of("table").map(({ id }) => tableFindings(id, about(id))),
    texts: of("text").map(({ id }) => textFindings(id, about(id))),
  };
}

/** Whether anything was there to be found in any source: a row, or a word. */
export function isAnythingRead({ tables, texts }: Findings): boolean {
  const rows = tables.some((table) => (table.profile?.rows ?? table.pairs.length) > 0);
  return rows || texts.some((text) => text.keywords ?? text.extract ?? text.readability);
}

function tableFindings(source: string, entries: readonly Entry[]): TableFindings {
  const profile = found(entries, "table-analyst/profile", shapes.profileShape)[0] ?? null;
  return {
    source,
    profile,
    caveats: caveatsOf(entries).filter((caveat) => profile?.notes.includes(caveat) !== true),
    pairs: found(entries, "table-analyst/correlate", shapes.correlateShape)[0]?.pairs ?? [],
    fences: found(entries, "table-analyst/outliers", shapes.outliersShape)[0]?.columns ?? [],
    groupings: found(entries, "table-analyst/aggregate", shapes.aggregateShape),
    trends: found(entries, "table-analyst/trend", shapes.trendShape),
  };
}

function textFindings(source: string, entries: readonly Entry[]): TextFindings {
  return {
    source,
    caveats: caveatsOf(entries),
    keywords: found(entries, "text-analyst/keywords", shapes.keywordsShape)[0] ?? null,
    extract: found(entries, "text-analyst/summarise", shapes.summariseShape)[0] ?? null,
    readability: found(entries, "text-analyst/readability", shapes.readabilityShape)[0] ?? null,
  };
}

const notedShape = z.object({ notes: z.array(z.string()).default([]) });

function caveatsOf(entries: readonly Entry[]): string[] {
  const notes = entries.flatMap(({ found: result }) =>
    result === null ? [] : notedShape.parse(result).notes,
  );
  return [...new Set(notes)];
}

function found<Shape extends z.ZodType>(
  entries: readonly Entry[],
  name: string,
  shape: Shape,
): z.infer<Shape>[] {
  return entries.flatMap((entry) =>
    nameOf(entry) === name && entry.found !== null ? [shape.parse(entry.found)] : [],
  );
}
