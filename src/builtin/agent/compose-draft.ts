import type { Task } from "../../tasks/model/task.ts";
import { callKeyOf, type PlannedCall, type CompletedCall } from "./tool-calls.ts";
import type { DrawnChart } from "./charts.ts";
import type { ReportDraft } from "./deliverables/draft.ts";
import { buildSpreadsheet, type Workbook } from "./deliverables/spreadsheet.ts";
import { parseDeliverableKind } from "./deliverables/kinds.ts";
import { hasReadableInput, type InputFindings } from "./findings.ts";
import { buildInsights } from "./insights.ts";
import { buildLimitations, formatUnavailableCalls } from "./limitations.ts";
import type { TaskInputs } from "./inputs.ts";
import {
  planAnalysingCalls,
  planCheckingCalls,
  planGatheringCalls,
  splitCallsByGrant,
} from "./call-planning.ts";
import { scoreQuality } from "./quality.ts";
import { buildRecommendations } from "./recommendations.ts";
import { buildOversizeNotes, type TableData } from "./table-rows.ts";
import { canProfile, type ReportPlan } from "./state.ts";
import { buildSummary } from "./summary.ts";

/** What a draft is composed of; `missing` are the calls of drafting that no grant allows. */
export interface DraftInputs {
  readonly task: Task;
  readonly material: TaskInputs;
  readonly plan: ReportPlan;
  readonly findings: InputFindings;
  readonly words: readonly string[];
  readonly entries: readonly CompletedCall[];
  readonly missing: readonly PlannedCall[];
  readonly charts: readonly DrawnChart[];
  readonly data: readonly TableData[];
}

const REVIEW_COMMENTS_NOTE =
  "Of review comments the agent acts on deliverable types that they name; new material may be given by changing the task's context.";

/** Words the result, measures its quality, and fills the workbook if one is asked for. */
export async function composeDraft(
  ingredients: DraftInputs,
): Promise<{ draft: ReportDraft; workbook: Workbook | null }> {
  const { task, material, findings, words, entries, charts, data } = ingredients;
  const missing = [...listMissingCalls(ingredients), ...ingredients.missing];
  const shortfall = { missing, failed: entries.filter(({ found }) => found === null) };
  const insights = buildInsights(findings, task.task);
  const summary = buildSummary(findings, material, task.task, formatUnavailableCalls(shortfall));
  const missingCharts = words.filter(
    (word) => parseDeliverableKind(word) === "chart" && charts.length === 0,
  );
  const quality = await scoreQuality({
    findings,
    hasReadableInput: hasReadableInput(findings),
    calls: {
      wanted: entries.length + missing.length,
      done: entries.filter(({ found }) => found !== null).length,
    },
    deliverables: { asked: words.length, made: words.length - missingCharts.length },
    crossChecks: insights.flatMap(({ crossCheck }) => (crossCheck === null ? [] : [crossCheck])),
    summary,
  });
  const isSheetAsked = words.some((word) => parseDeliverableKind(word) === "spreadsheet");
  const additionalLimitations = [
    ...(isSheetAsked ? buildOversizeNotes(findings) : []),
    ...(missingCharts.length === 0 ? [] : ["There is no chart: none could be drawn."]),
    ...(task.reviewComments.length === 0 ? [] : [REVIEW_COMMENTS_NOTE]),
  ];
  const draft: ReportDraft = {
    task,
    sources: material.sources,
    findings,
    insights,
    result: {
      summary: summary.join(" "),
      insights: insights.map(({ text }) => text),
      recommendations: buildRecommendations(findings, task.task),
    },
    quality,
    limits: buildLimitations(
      findings,
      material.unusable,
      shortfall,
      additionalLimitations,
      task.task,
    ),
    charts,
    entries,
    data,
  };
  if (!isSheetAsked) return { draft, workbook: null };
  const workbook = await buildSpreadsheet(draft);
  return { draft: { ...draft, limits: [...workbook.omitted, ...draft.limits] }, workbook };
}

/** The calls of gathering and analysing that the agent would have made with a grant. */
function listMissingCalls({ task, material, plan, findings, entries }: DraftInputs): PlannedCall[] {
  const calls = [
    ...planGatheringCalls(material.sources),
    ...planAnalysingCalls(findings, task.task, canProfile(plan)),
    ...planCheckingCalls(findings),
  ];
  const made = new Set(entries.map(callKeyOf));
  return splitCallsByGrant(calls, plan.capabilities).missing.filter(
    (call) => !made.has(callKeyOf(call)),
  );
}
