import type { QualityScores } from "../../tasks/model/task.ts";
import { callKeyOf, type PlannedCall, type CompletedCall, capabilityPathOf } from "./tool-calls.ts";
import type { ReportDraft } from "./deliverables/sections.ts";
import { buildSpreadsheet, type Workbook } from "./deliverables/spreadsheet.ts";
import { parseDeliverableKind } from "./deliverables/kinds.ts";
import { hasReadableInput, type InputFindings } from "./findings.ts";
import { buildInsights, type InputAnalysis, type TableAnalysis } from "./insights.ts";
import type { TaskInputs } from "./inputs.ts";
import {
  planAnalysingCalls,
  planCheckingCalls,
  planGatheringCalls,
  splitCallsByGrant,
} from "./call-planning.ts";
import {
  CORRELATION_WORDS_NOTE,
  DIFFERENCE_WORDS_NOTE,
  SIGNIFICANCE_NOTE,
} from "./effect-sizes.ts";
import { formatAmount } from "./figures.ts";
import type { ColumnRoles } from "./column-roles.ts";
import type { TableProfile } from "./result-schemas.ts";
import { buildRecommendations, buildSummary } from "./summary.ts";
import { buildOversizeNotes } from "./table-rows.ts";
import { canProfile, type ReportPlan } from "./state.ts";
import { computeReadingEase, countSyllables } from "../reading-ease.ts";
import type { CrossCheck } from "./cross-checks.ts";
import { formatLabel, formatList, toSingleLine } from "../../kernel/text.ts";

/** The input for a draft. `missing` lists the drafting calls that the agent has no grant for. */
interface DraftInputs extends Pick<
  ReportDraft,
  "task" | "findings" | "entries" | "charts" | "data"
> {
  readonly inputs: TaskInputs;
  readonly plan: ReportPlan;
  readonly analysis: InputAnalysis;
  readonly deliverableTypes: readonly string[];
  readonly missing: readonly PlannedCall[];
}

const REVIEW_COMMENTS_NOTE =
  "In review comments, the agent recognises only the names of deliverable types. To give it new input, change the task's context.";

export async function composeDraft(
  draftInputs: DraftInputs,
): Promise<{ draft: ReportDraft; workbook: Workbook | null }> {
  const { task, inputs, findings, analysis, deliverableTypes, entries, charts, data } = draftInputs;
  const missing = [...listMissingCalls(draftInputs), ...draftInputs.missing];
  const shortfall = { missing, failed: entries.filter(({ found }) => found === null) };
  const insights = buildInsights(analysis);
  const summary = buildSummary(analysis, inputs, formatUnavailableCalls(shortfall));
  const missingCharts = deliverableTypes.filter(
    (type) => parseDeliverableKind(type) === "chart" && charts.length === 0,
  );
  const quality = scoreQuality({
    findings,
    calls: {
      wanted: entries.length + missing.length,
      done: entries.filter(({ found }) => found !== null).length,
    },
    deliverables: {
      asked: deliverableTypes.length,
      made: deliverableTypes.length - missingCharts.length,
    },
    crossChecks: insights.map(({ crossCheck }) => crossCheck).filter((check) => check !== null),
    summary,
  });
  const isSheetAsked = deliverableTypes.some(
    (type) => parseDeliverableKind(type) === "spreadsheet",
  );
  const additionalLimitations = [
    ...(isSheetAsked ? buildOversizeNotes(findings) : []),
    ...(missingCharts.length === 0 ? [] : ["No chart could be drawn."]),
    ...(task.reviewComments.length === 0 ? [] : [REVIEW_COMMENTS_NOTE]),
  ];
  const draft: ReportDraft = {
    task,
    sources: inputs.sources,
    findings,
    insights,
    result: {
      summary: summary.join(" "),
      insights: insights.map(({ text }) => text),
      recommendations: buildRecommendations(analysis),
    },
    quality,
    limits: buildLimitations(analysis, inputs.unusable, shortfall, additionalLimitations),
    charts,
    entries,
    data,
  };
  if (!isSheetAsked) return { draft, workbook: null };
  const workbook = await buildSpreadsheet(draft);
  return { draft: { ...draft, limits: [...workbook.omitted, ...draft.limits] }, workbook };
}

/** The gathering and analysis calls that the agent has no grant for. */
function listMissingCalls({ task, inputs, plan, findings, entries }: DraftInputs): PlannedCall[] {
  const calls = [
    ...planGatheringCalls(inputs.sources),
    ...planAnalysingCalls(findings, task.task, canProfile(plan)),
    ...planCheckingCalls(findings),
  ];
  const made = new Set(entries.map(callKeyOf));
  return splitCallsByGrant(calls, plan.capabilities).missing.filter(
    (call) => !made.has(callKeyOf(call)),
  );
}

export interface QualityEvidence {
  readonly findings: InputFindings;
  /** The number of planned tool calls, and how many of them returned a result. */
  readonly calls: { readonly wanted: number; readonly done: number };
  /** The number of requested deliverable types, and how many of them were created. */
  readonly deliverables: { readonly asked: number; readonly made: number };
  /** The cross-checks of the insights that state a computed figure. */
  readonly crossChecks: readonly CrossCheck[];
  readonly summary: readonly string[];
}

const WEIGHTS = { accuracy: 0.4, completeness: 0.4, clarity: 0.2 } as const;
const CROSS_CHECK_WEIGHTS = { confirmed: 1, unchecked: 0.5, contradicted: 0 } as const;
/** The maximum completeness if no input was readable. */
const NOTHING_READ_COMPLETENESS_MAX = 10;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}.'’-]*/gu;

/** Scores a report with whole numbers from 0 to 100. `clarity` is the Flesch reading ease of the summary. */
export function scoreQuality(evidence: QualityEvidence): QualityScores {
  const accuracy = Math.round(scoreAccuracy(evidence));
  const completeness = Math.round(scoreCompleteness(evidence));
  const clarity = Math.round(measureReadingEase(evidence.summary));
  const score = Math.round(
    WEIGHTS.accuracy * accuracy + WEIGHTS.completeness * completeness + WEIGHTS.clarity * clarity,
  );
  return { score, accuracy, completeness, clarity };
}

/** The mean of two shares: requested deliverables that were created, and planned calls that succeeded. */
function scoreCompleteness({ findings, calls, deliverables }: QualityEvidence): number {
  const made = ratio(deliverables.made, deliverables.asked);
  if (!hasReadableInput(findings)) return NOTHING_READ_COMPLETENESS_MAX * made;
  return (100 * (made + ratio(calls.done, calls.wanted))) / 2;
}

/** The share of non-empty cells times the mean cross-check weight of the figures. 0 if no figures are stated. */
function scoreAccuracy({ findings, crossChecks }: QualityEvidence): number {
  if (crossChecks.length === 0) return 0;
  const confirmed = crossChecks.reduce((sum, check) => sum + CROSS_CHECK_WEIGHTS[check], 0);
  return 100 * measureReadableShare(findings) * (confirmed / crossChecks.length);
}

/** The share of table cells that have a value; 1 without tables. */
function measureReadableShare({ tables }: InputFindings): number {
  const columns = tables.flatMap(({ profile }) => profile?.columns ?? []);
  const present = columns.reduce((sum, { count }) => sum + count, 0);
  return ratio(
    present,
    columns.reduce((sum, { count, missing }) => sum + count + missing, 0),
  );
}

function measureReadingEase(sentences: readonly string[]): number {
  const words = sentences.join(" ").match(WORD) ?? [];
  const syllables = words.reduce((sum, word) => sum + countSyllables(word), 0);
  const ease = computeReadingEase(words.length, sentences.length, syllables);
  return Math.min(Math.max(ease, 0), 100);
}

/** Returns 1 if `whole` is 0. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

interface UnavailableCalls {
  /** Calls that the agent has no grant for. */
  readonly missing: readonly PlannedCall[];
  /** Executed calls that returned no result. */
  readonly failed: readonly CompletedCall[];
}

const PROBLEM_CHARACTERS_MAX = 300;
const FIXED_RULES_NOTE =
  "The agent follows fixed rules and does not use a language model. It describes its input; in the task, it recognises only column names.";
const CORRELATION_NOTE =
  "The figures describe only the rows provided. A correlation does not show that one column causes the other.";

/** The summary's last sentence, which names the missing and failed calls. Null if there are none. */
function formatUnavailableCalls({ missing, failed }: UnavailableCalls): string | null {
  const refused = failed.filter(({ problem }) => problem?.kind === "refused");
  const fruitless = failed.filter(({ problem }) => problem?.kind !== "refused");
  const tools = (calls: readonly PlannedCall[]) => formatList(listTools(calls));
  const parts = [
    ...(missing.length === 0 ? [] : [`the agent has no access to ${tools(missing)}`]),
    ...(refused.length === 0 ? [] : [`calls to ${tools(refused)} were refused`]),
    ...(fruitless.length === 0 ? [] : [`calls to ${tools(fruitless)} returned no result`]),
  ];
  return parts.length === 0 ? null : `The work is incomplete: ${formatList(parts)}.`;
}

/** The tools and capabilities of these calls, such as "table-analyst (correlate and outliers)". */
function listTools(calls: readonly PlannedCall[]): string[] {
  const byTool = Map.groupBy(calls, ({ tool }) => tool);
  return Array.from(byTool, ([tool, group]) => {
    const capabilities = new Set(group.map(({ capability }) => capability));
    return `${tool} (${formatList([...capabilities])})`;
  });
}

/** The sentences in the "Limitations" section. `more` contains those about deliverables and review comments. */
function buildLimitations(
  { tables, texts }: InputAnalysis,
  unusable: readonly string[],
  shortfall: UnavailableCalls,
  more: readonly string[],
): string[] {
  return [
    ...listTools(shortfall.missing).map(
      (tool) => `The agent has no access to ${tool}, so this part of the work is missing.`,
    ),
    ...formatFailedCalls(shortfall.failed),
    ...unusable,
    ...more,
    ...[...tables, ...texts].flatMap(({ source, caveats }) =>
      caveats.map((caveat) => `${source}: ${caveat}`),
    ),
    ...tables.flatMap(({ source, profile, roles }) => {
      if (profile === null) return [];
      return [...describeUnreadColumns(source, profile), ...describeIdentifiers(roles)];
    }),
    ...explainWords(tables),
    FIXED_RULES_NOTE,
  ];
}

function explainWords(tables: readonly TableAnalysis[]): string[] {
  const hasCorrelations = tables.some(({ pairs }) => pairs.length > 0);
  const hasContrasts = tables.some(({ contrasts }) => contrasts.length > 0);
  const hasTrends = tables.some(({ timeTrends }) => timeTrends.length > 0);
  return [
    ...(hasCorrelations ? [CORRELATION_WORDS_NOTE, CORRELATION_NOTE] : []),
    ...(hasContrasts ? [DIFFERENCE_WORDS_NOTE] : []),
    ...(hasCorrelations || hasContrasts || hasTrends ? [SIGNIFICANCE_NOTE] : []),
  ];
}

function describeUnreadColumns(source: string, { unread }: TableProfile): string[] {
  if (unread === 0) return [];
  const reason =
    unread === 1
      ? "was omitted because the table has too many columns or the column name is too long"
      : "were omitted because the table has too many columns or the column names are too long";
  return [`${formatAmount(unread, "column")} of ${source} ${reason}.`];
}

function describeIdentifiers(roles: ColumnRoles | null): string[] {
  const names = (roles?.identifiers ?? []).map(({ name }) => formatLabel(name));
  if (names.length === 0) return [];
  const reason =
    names.length === 1
      ? "only identifies rows, so it was not analysed"
      : "only identify rows, so they were not analysed";
  return [`${formatList(names)} ${reason}.`];
}

/** One sentence for each group of calls with the same problem. */
function formatFailedCalls(failed: readonly CompletedCall[]): string[] {
  const byProblem = Map.groupBy(failed, ({ source, problem }) => {
    const kind = problem?.kind === "refused" ? "was refused" : "returned no result";
    return `on ${source} ${kind}: ${toSingleLine(problem?.message ?? "", PROBLEM_CHARACTERS_MAX)}`;
  });
  return Array.from(byProblem, ([text, calls]) => {
    const capabilities = new Set(calls.map(capabilityPathOf));
    return `${formatList([...capabilities])} ${text}`;
  });
}
