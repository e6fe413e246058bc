import type { JsonObject } from "../../kernel/json.ts";
import type { StepExecutionContext, StepOutcome, UsableTool } from "../../executors/contract.ts";
import { createAgentUnavailableOutcome } from "../../executors/fail-outcome.ts";
import { capabilityPathOf, type CompletedCall, executePlannedCalls } from "./tool-calls.ts";
import {
  BUILTIN_PHASES,
  type BuiltinPhase,
  parseBuiltinPhase,
} from "../../tasks/model/builtin-phases.ts";
import { formatCount } from "../../kernel/text.ts";
import type { Deliverable, Task } from "../../tasks/model/task.ts";
import {
  canProfile,
  isBudgetIncreaseDeclined,
  matchesPlan,
  parseReportState,
  toPlannedSources,
} from "./state.ts";
import { planCharts, collectDrawnCharts } from "./charts.ts";
import { composeDraft } from "./compose-draft.ts";
import { renderDeliverables } from "./deliverables/render.ts";
import {
  parseDeliverableKind,
  resolveDeliverableTypes,
  type DeliverableKind,
} from "./deliverables/kinds.ts";
import { collectFindings } from "./findings.ts";
import { readTaskInputs } from "./inputs.ts";
import {
  listCapabilityPaths,
  planAnalysingCalls,
  planCheckingCalls,
  planGatheringCalls,
  splitCallsByGrant,
} from "./call-planning.ts";
import { fitsSpreadsheet, planRowCalls, collectTableData } from "./table-rows.ts";
import { initialQuestion } from "../../tasks/model/context.ts";

/**
 * One step of a built-in agent: does the phase that the task is in and names the next. Safe to
 * repeat; calls only tools that the agent was granted, and states no figure but theirs.
 */
export async function runReportStep(task: Task, hands: StepExecutionContext): Promise<StepOutcome> {
  switch (parseBuiltinPhase(task.currentPhase)) {
    case "planning":
      return runPlanningPhase(task, hands);
    case "gathering":
      return runGatheringPhase(task, hands);
    case "analysing":
      return runAnalysingPhase(task, hands);
    case "drafting":
      return runDraftingPhase(task, hands);
    case "finalising":
      return runFinalizingPhase(task);
  }
}

/** Capabilities that this agent knows how to use; others that it holds are not its business. */
const KNOWN_TOOLS = /^(?:table-analyst|text-analyst|chart-maker|format-bridge)\//;

/** Asks what is to be asked first, then sees what there is to read and what may be used for it. */
export async function runPlanningPhase(
  task: Task,
  hands: StepExecutionContext,
): Promise<StepOutcome> {
  const question = initialQuestion(task.context);
  if (question !== null && !task.answers.some((answer) => answer.question === question)) {
    return { kind: "block", why: "input", question, work: {} };
  }
  const name = task.agentName ?? "The agent";
  const { sources } = await readTaskInputs(task);
  const tools = sources.length === 0 ? await checkRegistration(hands) : await hands.listTools();
  if (tools === null) return createAgentUnavailableOutcome(name);
  const capabilities = listCapabilityPaths(tools).filter((capability) =>
    KNOWN_TOOLS.test(capability),
  );
  const callsWithoutProfile = planAnalysingCalls(collectFindings(sources, []), task.task, false);
  const readingCalls = splitCallsByGrant(
    [...planGatheringCalls(sources), ...callsWithoutProfile],
    capabilities,
  );
  if (sources.length > 0 && readingCalls.granted.length === 0) {
    return createMissingToolsOutcome(readingCalls.missing.map(capabilityPathOf), name);
  }
  const plan = { sources: toPlannedSources(sources), capabilities };
  return createNextPhaseOutcome("planning", {
    plan,
    ...(Object.hasOwn(task.work, "gathered") ? { gathered: [], analysed: [], drawn: [] } : {}),
  });
}

/** Where there is nothing to read, there is nothing to call; but the agent must still be there. */
async function checkRegistration(
  hands: StepExecutionContext,
): Promise<readonly UsableTool[] | null> {
  return (await hands.isAgentEnabled()) ? [] : null;
}

/** Reads every source: tables are profiled, texts measured, searched for keywords and summed up. */
export async function runGatheringPhase(
  task: Task,
  hands: StepExecutionContext,
): Promise<StepOutcome> {
  const { plan, gathered } = parseReportState(task.work);
  const { sources } = await readTaskInputs(task);
  if (plan === null || !matchesPlan(plan, sources)) return createRestartOutcome(task.progress);
  const { granted } = splitCallsByGrant(planGatheringCalls(sources), plan.capabilities);
  const { entries, budgetQuestion } = await executePlannedCalls(hands, sources, granted, gathered);
  const work = { gathered: entries };
  if (budgetQuestion !== null)
    return { kind: "block", why: "budget", question: budgetQuestion, work };
  const next = planAnalysingCalls(collectFindings(sources, entries), task.task, canProfile(plan));
  const hasNoResults = entries.length > 0 && entries.every(({ found }) => found === null);
  const hasFurtherCalls = splitCallsByGrant(next, plan.capabilities).granted.length > 0;
  if (hasNoResults && !hasFurtherCalls && !isBudgetIncreaseDeclined(task, entries))
    return createNoResultsOutcome(entries);
  return createNextPhaseOutcome("gathering", work);
}

/** Looks into the tables by what their profiles show, and checks the strongest correlations again. */
export async function runAnalysingPhase(
  task: Task,
  hands: StepExecutionContext,
): Promise<StepOutcome> {
  const { plan, gathered, analysed } = parseReportState(task.work);
  const { sources } = await readTaskInputs(task);
  if (plan === null || !matchesPlan(plan, sources)) return createRestartOutcome(task.progress);
  const calls = planAnalysingCalls(collectFindings(sources, gathered), task.task, canProfile(plan));
  const { granted } = splitCallsByGrant(calls, plan.capabilities);
  const first = await executePlannedCalls(hands, sources, granted, analysed);
  if (first.budgetQuestion !== null)
    return createBudgetBlockOutcome(first.budgetQuestion, first.entries);
  const checks = splitCallsByGrant(
    planCheckingCalls(collectFindings(sources, first.entries)),
    plan.capabilities,
  );
  const second = await executePlannedCalls(hands, sources, checks.granted, first.entries);
  if (second.budgetQuestion !== null)
    return createBudgetBlockOutcome(second.budgetQuestion, second.entries);
  const entries = [...gathered, ...second.entries];
  const hasNoResults = entries.length > 0 && entries.every(({ found }) => found === null);
  if (hasNoResults && !isBudgetIncreaseDeclined(task, entries))
    return createNoResultsOutcome(entries);
  return createNextPhaseOutcome("analysing", { analysed: second.entries });
}

function createBudgetBlockOutcome(question: string, analysed: CompletedCall[]): StepOutcome {
  return { kind: "block", why: "budget", question, work: { analysed } };
}

const KINDS_WITH_CHARTS: readonly DeliverableKind[] = ["report", "presentation", "chart"];
/** A larger drawing is made again rather than kept in the task's log while the budget is asked for. */
const STORED_SVG_CHARACTERS_MAX = 64_000;

/** Draws the charts, words the result, and writes every deliverable. */
export async function runDraftingPhase(
  task: Task,
  hands: StepExecutionContext,
): Promise<StepOutcome> {
  const { plan, gathered, analysed, drawn } = parseReportState(task.work);
  const material = await readTaskInputs(task);
  const { sources } = material;
  if (plan === null || !matchesPlan(plan, sources)) return createRestartOutcome(task.progress);
  const findings = collectFindings(sources, [...gathered, ...analysed]);
  const words = resolveDeliverableTypes(task);
  const asks = (kinds: readonly DeliverableKind[]) =>
    words.some((word) => kinds.some((kind) => kind === parseDeliverableKind(word)));
  const plans = asks(KINDS_WITH_CHARTS) ? planCharts(findings, task.task) : [];
  const tables = sources.filter(({ id }) =>
    findings.tables.some((table) => table.source === id && fitsSpreadsheet(table)),
  );
  const calls = [
    ...plans.map(({ call }) => call),
    ...(asks(["spreadsheet"]) ? planRowCalls(tables) : []),
  ];
  // Asked anew, where there is something to call: a reviewer who wants a chart may have granted the tool for it.
  const tools = calls.length === 0 ? [] : await hands.listTools();
  if (tools === null) return createAgentUnavailableOutcome(task.agentName);
  const { granted, missing } = splitCallsByGrant(calls, listCapabilityPaths(tools));
  const { entries, budgetQuestion } = await executePlannedCalls(hands, sources, granted, drawn);
  if (budgetQuestion !== null) {
    return {
      kind: "block",
      why: "budget",
      question: budgetQuestion,
      work: { drawn: entries.filter(isSmallEnoughToStore) },
    };
  }
  const { draft, workbook } = await composeDraft({
    task,
    material,
    plan,
    findings,
    words,
    entries: [...gathered, ...analysed, ...entries],
    missing,
    charts: collectDrawnCharts(plans, entries),
    data: collectTableData(tables, findings, entries),
  });
  const deliverables: Deliverable[] = [];
  for (const file of await renderDeliverables(draft, words, workbook)) {
    deliverables.push(await hands.saveFile(file));
  }
  const { result, quality } = draft;
  const drafted = {
    result: {
      ...result,
      insights: [...result.insights],
      recommendations: [...result.recommendations],
    },
    quality: { ...quality },
    deliverables: deliverables.map((deliverable) => ({ ...deliverable })),
  };
  return createNextPhaseOutcome("drafting", {
    drafted,
    ...(drawn.length === 0 ? {} : { drawn: [] }),
  });
}

function isSmallEnoughToStore({ capability, found }: CompletedCall): boolean {
  if (capability === "convert") return false;
  const svg = found?.["svg"];
  return typeof svg !== "string" || svg.length <= STORED_SVG_CHARACTERS_MAX;
}

/** Hands the drafted work over as done; the task judges whether people look at it first. */
export function runFinalizingPhase(task: Task): StepOutcome {
  const { drafted } = parseReportState(task.work);
  if (drafted === null) return createRestartOutcome(task.progress);
  return { kind: "complete", outcome: drafted };
}

const ALL_PERCENT = 100;
const REPORTED_PROBLEMS_MAX = 3;

/** On to the phase after `done`, with what it left for the later ones. */
export function createNextPhaseOutcome(done: BuiltinPhase, work: JsonObject): StepOutcome {
  const place = BUILTIN_PHASES.indexOf(done) + 1;
  const progress = (place * ALL_PERCENT) / BUILTIN_PHASES.length;
  return { kind: "progress", progress, phase: BUILTIN_PHASES[place] ?? done, work };
}

/** Back to planning: the material was replaced, so that what was found so far is void. */
export function createRestartOutcome(progress: number): StepOutcome {
  return { kind: "progress", progress, phase: "planning", work: { plan: null } };
}

/** Of a task whose calls all came to nothing. What was refused may be allowed another time. */
export function createNoResultsOutcome(entries: readonly CompletedCall[]): StepOutcome {
  const problems = [...new Set(entries.map(({ problem }) => problem?.message ?? ""))];
  const reportedProblems = problems.slice(0, REPORTED_PROBLEMS_MAX).join(" ");
  const message = `Nothing could be done: ${formatCount(entries.length, "call")} of tools gave no result. ${reportedProblems}`;
  const retryable = entries.some(({ problem }) => problem?.kind === "refused");
  const calls = entries.map((entry) => ({
    capability: capabilityPathOf(entry),
    source: entry.source,
    problem: entry.problem?.message ?? "",
  }));
  return { kind: "fail", error: { code: "TOOL_ERROR", message, retryable, details: { calls } } };
}

/** Of a task whose material no granted tool can read. */
export function createMissingToolsOutcome(
  capabilities: readonly string[],
  agentName: string,
): StepOutcome {
  const needed = [...new Set(capabilities)].join(", ");
  const message = `${agentName} has no access to a tool that reads the material; it needs one of ${needed}.`;
  const details = { needed: [...new Set(capabilities)] };
  return { kind: "fail", error: { code: "TOOL_ERROR", message, retryable: true, details } };
}
