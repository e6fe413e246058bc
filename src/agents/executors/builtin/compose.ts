import type { Task } from "../../../domain/task.ts";
import { keyOf, type Call, type Entry } from "./calls.ts";
import type { Chart } from "./charts.ts";
import type { Draft } from "./deliverables/draft.ts";
import { spreadsheet, type Workbook } from "./deliverables/spreadsheet.ts";
import { kindOf } from "./deliverables/words.ts";
import { isAnythingRead, type Findings } from "./findings.ts";
import { insightsOf } from "./insights/all.ts";
import { limitsOf, shortfallSentence } from "./limits.ts";
import type { Material } from "./material.ts";
import { analysingCalls, checkingCalls, gatheringCalls, wanted } from "./plan.ts";
import { qualityOf } from "./quality.ts";
import { recommendationsOf } from "./recommendations.ts";
import { tooLargeNotes, type TableData } from "./rows.ts";
import { mayProfile } from "./standing.ts";
import { summaryOf } from "./summary.ts";
import type { Plan } from "./work.ts";

/** What a draft is composed of; `missing` are the calls of drafting that no grant allows. */
export interface Ingredients {
  readonly task: Task;
  readonly material: Material;
  readonly plan: Plan;
  readonly findings: Findings;
  readonly words: readonly string[];
  readonly entries: readonly Entry[];
  readonly missing: readonly Call[];
  readonly charts: readonly Chart[];
  readonly data: readonly TableData[];
}

const UNMOVED =
  "Of review comments the agent acts on deliverable types that they name; new material may be given by changing the task's context.";

/** Words the result, measures its quality, and fills the workbook if one is asked for. */
export async function composed(
  ingredients: Ingredients,
): Promise<{ draft: Draft; workbook: Workbook | null }> {
  const { task, material, findings, words, entries, charts, data } = ingredients;
  const missing = [...missingCalls(ingredients), ...ingredients.missing];
  const shortfall = { missing, failed: entries.filter(({ found }) => found === null) };
  const insights = insightsOf(findings, task.task);
  const summary = summaryOf(findings, material, task.task, shortfallSentence(shortfall));
  const unmade = words.filter((word) => kindOf(word) === "chart" && charts.length === 0);
  const quality = await qualityOf({
    findings,
    isAnythingRead: isAnythingRead(findings),
    calls: {
      wanted: entries.length + missing.length,
      done: entries.filter(({ found }) => found !== null).length,
    },
    deliverables: { asked: words.length, made: words.length - unmade.length },
    verdicts: insights.flatMap(({ verdict }) => (verdict === null ? [] : [verdict])),
    summary,
  });
  const isSheetAsked = words.some((word) => kindOf(word) === "spreadsheet");
  const more = [
    ...(isSheetAsked ? tooLargeNotes(findings) : []),
    ...(unmade.length === 0 ? [] : ["There is no chart: none could be drawn."]),
    ...(task.reviewComments.length === 0 ? [] : [UNMOVED]),
  ];
  const draft: Draft = {
    task,
    sources: material.sources,
    findings,
    insights,
    result: {
      summary: summary.join(" "),
      insights: insights.map(({ text }) => text),
      recommendations: recommendationsOf(findings, task.task),
    },
    quality,
    limits: limitsOf(findings, material.unusable, shortfall, more, task.task),
    charts,
    entries,
    data,
  };
  if (!isSheetAsked) return { draft, workbook: null };
  const workbook = await spreadsheet(draft);
  return { draft: { ...draft, limits: [...workbook.omitted, ...draft.limits] }, workbook };
}

/** The calls of gathering and analysing that the agent would have made with a grant. */
function missingCalls({ task, material, plan, findings, entries }: Ingredients): Call[] {
  const calls = [
    ...gatheringCalls(material.sources),
    ...analysingCalls(findings, task.task, mayProfile(plan)),
    ...checkingCalls(findings),
  ];
  const made = new Set(entries.map(keyOf));
  return wanted(calls, plan.capabilities).missing.filter((call) => !made.has(keyOf(call)));
}
