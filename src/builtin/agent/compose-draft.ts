import type { Task } from "../../tasks/model/task.ts";
import { callKeyOf, type PlannedCall, type CompletedCall } from "./tool-calls.ts";
import type { DrawnChart } from "./charts.ts";
import type { ReportDraft } from "./deliverables/draft.ts";
import { buildSpreadsheet, type Workbook } from "./deliverables/spreadsheet.ts";
import { parseDeliverableKind } from "./deliverables/kinds.ts";
import { hasReadableInput, type InputFindings } from "./findings.ts";
import { buildInsights, type InputAnalysis } from "./insights.ts";
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

/** The input of a draft; `missing`: the calls of the drafting phase without a grant. */
interface DraftInputs {
  readonly task: Task;
  readonly inputs: TaskInputs;
  readonly plan: ReportPlan;
  readonly findings: InputFindings;
  readonly analysis: InputAnalysis;
  readonly deliverableTypes: readonly string[];
  readonly entries: readonly CompletedCall[];
  readonly missing: readonly PlannedCall[];
  readonly charts: readonly DrawnChart[];
  readonly data: readonly TableData[];
}

const REVIEW_COMMENTS_NOTE =
  "Of review comments the agent acts on deliverable types that they name; new material may be given by changing the task's context.";

/** Composes the result, scores its quality, and builds the workbook if it is requested. */
export async function composeDraft(
  draftInputs: DraftInputs,
): Promise<{ draft: ReportDraft; workbook: Workbook | null }> {
  const { task, inputs, findings, analysis, deliverableTypes, entries, charts, data } = draftInputs;
  const missing = [...listMissingCalls(draftInputs), ...draftInputs.missing];
  const shortfall = { missing, failed: entries.filter(({ found }) => found === null) };
  const insights = buildInsights(analysis);
  const summary = buildSummary(findings, analysis, inputs, formatUnavailableCalls(shortfall));
  const missingCharts = deliverableTypes.filter(
    (type) => parseDeliverableKind(type) === "chart" && charts.length === 0,
  );
  const quality = scoreQuality({
    findings,
    hasReadableInput: hasReadableInput(findings),
    calls: {
      wanted: entries.length + missing.length,
      done: entries.filter(({ found }) => found !== null).length,
    },
    deliverables: {
      asked: deliverableTypes.length,
      made: deliverableTypes.length - missingCharts.length,
    },
    crossChecks: insights.flatMap(({ crossCheck }) => (crossCheck === null ? [] : [crossCheck])),
    summary,
  });
  const isSheetAsked = deliverableTypes.some(
    (type) => parseDeliverableKind(type) === "spreadsheet",
  );
  const additionalLimitations = [
    ...(isSheetAsked ? buildOversizeNotes(findings) : []),
    ...(missingCharts.length === 0 ? [] : ["There is no chart: none could be drawn."]),
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

/** The gathering and analysing calls that the agent has no grant for. */
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
