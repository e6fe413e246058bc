import * as z from "zod";
import * as shapes from "./result-schemas.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { CallFailure, ExecutionContext } from "../../executors/contract.ts";
import { storedObjectSchema } from "../../executors/stored-outcome.ts";
import type { InputSource } from "./inputs.ts";
import { toSingleLine } from "../../kernel/text.ts";

/** A tool call about one source. `asked` contains its parameters other than the source. */
export interface PlannedCall {
  readonly source: string;
  readonly tool: string;
  readonly capability: string;
  readonly asked: JsonObject;
}

/** An executed call with its summarised result, or the reason why it has none. */
export const completedCallSchema = z.object({
  source: z.string(),
  tool: z.string(),
  capability: z.string(),
  asked: storedObjectSchema,
  found: storedObjectSchema.nullable(),
  problem: z
    .object({ kind: z.enum(["refused", "failed", "unreadable"]), message: z.string() })
    .nullable(),
});
export type CompletedCall = z.infer<typeof completedCallSchema>;

/** Why the agent must stop before its next call: people must decide first, or the agent is paused. */
export type CallStop =
  | { readonly kind: "budget"; readonly question: string }
  | { readonly kind: "approval"; readonly question: string; readonly approvalId: string }
  | { readonly kind: "paused" };

/**
 * Executes, in order, the calls that are not yet in `done`, and returns all calls so far. Stops at the first call that
 * must wait for people, because of the budget or because it requires approval, and if the agent is paused. Records any
 * other failure and continues.
 */
export async function executePlannedCalls(
  context: ExecutionContext,
  sources: readonly InputSource[],
  calls: readonly PlannedCall[],
  done: readonly CompletedCall[],
): Promise<{ entries: CompletedCall[]; stop: CallStop | null }> {
  const entries = [...done];
  const completedKeys = new Set(done.map(callKeyOf));
  for (const call of calls) {
    if (completedKeys.has(callKeyOf(call))) continue;
    const parameters = buildParameters(call, sources);
    const outcome = await context.callTool(call.tool, call.capability, parameters);
    const stop = outcome.ok ? null : stopOf(outcome.failure);
    if (stop !== null) return { entries, stop };
    completedKeys.add(callKeyOf(call));
    entries.push(
      outcome.ok ? toCompletedCall(call, outcome.value) : toFailedCall(call, outcome.failure),
    );
  }
  return { entries, stop: null };
}

function stopOf(failure: CallFailure): CallStop | null {
  const { kind, message: question } = failure;
  if (kind === "approval") return { kind, question, approvalId: failure.approvalId };
  if (kind === "budget") return { kind, question };
  return kind === "paused" ? { kind } : null;
}

/** Merges the parameters of the source and of the call. A call that contains its own rows needs no source. */
function buildParameters(
  { source, tool, asked }: PlannedCall,
  sources: readonly InputSource[],
): JsonObject {
  if (Object.hasOwn(asked, "data")) return asked;
  const { parameters = {} } = sources.find(({ id }) => id === source) ?? {};
  if (tool === "format-bridge") return { content: parameters["csv"] ?? "", ...asked };
  return { ...parameters, ...asked };
}

export function callKeyOf({ source, tool, capability, asked }: PlannedCall): string {
  return JSON.stringify([source, tool, capability, asked]);
}

/** For example, "table-analyst/profile". */
export function capabilityPathOf({
  tool,
  capability,
}: Pick<PlannedCall, "tool" | "capability">): string {
  return `${tool}/${capability}`;
}

function toCompletedCall(call: PlannedCall, result: JsonObject): CompletedCall {
  const found = RESULT_SUMMARIZERS[capabilityPathOf(call)]?.(result) ?? null;
  const message = "The result does not have the expected shape.";
  return { ...call, found, problem: found === null ? { kind: "unreadable", message } : null };
}

function toFailedCall(call: PlannedCall, { kind, message }: CallFailure): CompletedCall {
  const publicMessage = message.replace(/^parameters\.(?:csv|data|text|content)/, call.source);
  return {
    ...call,
    found: null,
    problem: { kind: kind === "failed" ? "failed" : "refused", message: publicMessage },
  };
}

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
/** Columns with longer names are omitted, because tools do not recognise truncated names. */
const NAME_CHARACTERS_MAX = 200;

type ResultSummarizer = (result: JsonObject) => JsonObject | null;

/** Summarizers by capability. They return null for a result with an unexpected structure. */
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

/** Removes nulls; the schemas add them again when they parse the result. */
function omitNulls(object: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(object, (_key, value: Json) => value ?? undefined));
}

function isShortName(name: string): boolean {
  return name.length <= NAME_CHARACTERS_MAX;
}

function shortenValue(value: string | number | boolean): string | number | boolean {
  return typeof value === "string" ? toSingleLine(value, VALUE_CHARACTERS_MAX) : value;
}
