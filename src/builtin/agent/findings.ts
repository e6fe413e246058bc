import * as z from "zod";
import type { CompletedCall } from "./tool-calls.ts";
import type { InputSource } from "./inputs.ts";
import * as shapes from "./result-schemas.ts";

/** The results for one table. A field is null or empty if its call did not succeed. */
export interface TableFindings {
  readonly source: string;
  readonly profile: shapes.TableProfile | null;
  readonly pairs: readonly shapes.Correlation[];
  readonly fences: readonly shapes.OutlierFences[];
  readonly groupings: readonly shapes.GroupAggregation[];
  readonly trends: readonly shapes.TrendLine[];
  /** Notes from the tools, except those about reading the table. */
  readonly caveats: readonly string[];
}

export interface TextFindings {
  readonly source: string;
  readonly keywords: shapes.KeywordsResult | null;
  readonly extract: shapes.ExtractiveSummary | null;
  readonly readability: shapes.ReadabilityResult | null;
  readonly caveats: readonly string[];
}

export interface InputFindings {
  readonly tables: readonly TableFindings[];
  readonly texts: readonly TextFindings[];
}

export function collectFindings(
  sources: readonly Pick<InputSource, "id" | "kind">[],
  entries: readonly CompletedCall[],
): InputFindings {
  const of = (kind: InputSource["kind"]) => sources.filter((source) => source.kind === kind);
  const about = (id: string) => entries.filter(({ source }) => source === id);
  return {
    tables: of("table").map(({ id }) => collectTableFindings(id, about(id))),
    texts: of("text").map(({ id }) => collectTextFindings(id, about(id))),
  };
}

export function hasReadableInput({ tables, texts }: InputFindings): boolean {
  const rows = tables.some((table) => (table.profile?.rows ?? table.pairs.length) > 0);
  return rows || texts.some((text) => text.keywords ?? text.extract ?? text.readability);
}

function collectTableFindings(source: string, entries: readonly CompletedCall[]): TableFindings {
  const [profile = null] = parseResults(entries, "profile", shapes.profileResultSchema);
  const [correlation] = parseResults(entries, "correlate", shapes.correlateResultSchema);
  const [outliers] = parseResults(entries, "outliers", shapes.outliersResultSchema);
  return {
    source,
    profile,
    caveats: collectCaveats(entries).filter((caveat) => profile?.notes.includes(caveat) !== true),
    pairs: correlation?.pairs ?? [],
    fences: outliers?.columns ?? [],
    groupings: parseResults(entries, "aggregate", shapes.aggregateResultSchema),
    trends: parseResults(entries, "trend", shapes.trendResultSchema),
  };
}

function collectTextFindings(source: string, entries: readonly CompletedCall[]): TextFindings {
  const [keywords = null] = parseResults(entries, "keywords", shapes.keywordsResultSchema);
  const [extract = null] = parseResults(entries, "summarise", shapes.summarizeResultSchema);
  const [readability = null] = parseResults(entries, "readability", shapes.readabilityResultSchema);
  return { source, caveats: collectCaveats(entries), keywords, extract, readability };
}

const ANALYST_TOOLS = new Set(["table-analyst", "text-analyst"]);
const notesResultSchema = z.object({ notes: z.array(z.string()).default([]) });

/** Matches notes about figures that reports do not show. */
const UNUSED_NOTE = /^(?:The intercept|SMOG) is /;

function collectCaveats(entries: readonly CompletedCall[]): string[] {
  const notes = entries.flatMap(({ found: result }) =>
    result === null ? [] : notesResultSchema.parse(result).notes,
  );
  return [...new Set(notes)].filter((note) => !UNUSED_NOTE.test(note));
}

function parseResults<Shape extends z.ZodType>(
  entries: readonly CompletedCall[],
  capability: string,
  shape: Shape,
): z.infer<Shape>[] {
  return entries.flatMap((entry) =>
    ANALYST_TOOLS.has(entry.tool) && entry.capability === capability && entry.found !== null
      ? [shape.parse(entry.found)]
      : [],
  );
}

/** The first item of each list, then the second of each, and so on. */
export function interleave<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
}
