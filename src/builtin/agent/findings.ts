import * as z from "zod";
import { capabilityPathOf, type CompletedCall } from "./tool-calls.ts";
import type { InputSource } from "./inputs.ts";
import * as shapes from "./result-schemas.ts";

/** What the tools found in one table; null or empty where no call succeeded. */
export interface TableFindings {
  readonly source: string;
  readonly profile: shapes.TableProfile | null;
  readonly pairs: readonly shapes.Correlation[];
  readonly fences: readonly shapes.OutlierFences[];
  readonly groupings: readonly shapes.GroupAggregation[];
  readonly trends: readonly shapes.TrendLine[];
  /** What the tools said of their own results, beside how the table was read. */
  readonly caveats: readonly string[];
}

/** What the tools found in one text. */
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

/** The findings within the calls that were made, source by source. */
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

/** Whether anything was there to be found in any source: a row, or a word. */
export function hasReadableInput({ tables, texts }: InputFindings): boolean {
  const rows = tables.some((table) => (table.profile?.rows ?? table.pairs.length) > 0);
  return rows || texts.some((text) => text.keywords ?? text.extract ?? text.readability);
}

function collectTableFindings(source: string, entries: readonly CompletedCall[]): TableFindings {
  const profile =
    parseResults(entries, "table-analyst/profile", shapes.profileResultSchema)[0] ?? null;
  return {
    source,
    profile,
    caveats: collectCaveats(entries).filter((caveat) => profile?.notes.includes(caveat) !== true),
    pairs:
      parseResults(entries, "table-analyst/correlate", shapes.correlateResultSchema)[0]?.pairs ??
      [],
    fences:
      parseResults(entries, "table-analyst/outliers", shapes.outliersResultSchema)[0]?.columns ??
      [],
    groupings: parseResults(entries, "table-analyst/aggregate", shapes.aggregateResultSchema),
    trends: parseResults(entries, "table-analyst/trend", shapes.trendResultSchema),
  };
}

function collectTextFindings(source: string, entries: readonly CompletedCall[]): TextFindings {
  return {
    source,
    caveats: collectCaveats(entries),
    keywords:
      parseResults(entries, "text-analyst/keywords", shapes.keywordsResultSchema)[0] ?? null,
    extract:
      parseResults(entries, "text-analyst/summarise", shapes.summarizeResultSchema)[0] ?? null,
    readability:
      parseResults(entries, "text-analyst/readability", shapes.readabilityResultSchema)[0] ?? null,
  };
}

const notesResultSchema = z.object({ notes: z.array(z.string()).default([]) });

function collectCaveats(entries: readonly CompletedCall[]): string[] {
  const notes = entries.flatMap(({ found: result }) =>
    result === null ? [] : notesResultSchema.parse(result).notes,
  );
  return [...new Set(notes)];
}

function parseResults<Shape extends z.ZodType>(
  entries: readonly CompletedCall[],
  name: string,
  shape: Shape,
): z.infer<Shape>[] {
  return entries.flatMap((entry) =>
    capabilityPathOf(entry) === name && entry.found !== null ? [shape.parse(entry.found)] : [],
  );
}

/** The items of several lists in turn: the first of each, then the second of each, and so on. */
export function interleave<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
}
