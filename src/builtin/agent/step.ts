import { asJson, type JsonObject } from "../../kernel/json.ts";
import {
  type ExecutionContext,
  type StepOutcome,
  createAgentUnavailableOutcome,
} from "../../executors/contract.ts";
import {
  capabilityPathOf,
  type CallStop,
  type CompletedCall,
  executePlannedCalls,
  type PlannedCall,
} from "./tool-calls.ts";
import {
  BUILTIN_PHASES,
  type BuiltinPhase,
  parseBuiltinPhase,
} from "../../tasks/model/schedule.ts";
import { formatCount } from "../../kernel/text.ts";
import {
  type Deliverable,
  hasAnswer,
  type Task,
  type TaskOutcome,
} from "../../tasks/model/task.ts";
import {
  canProfile,
  isBudgetIncreaseDeclined,
  matchesPlan,
  parseReportState,
  type ReportPlan,
  type ReportState,
} from "./state.ts";
import { planCharts, collectDrawnCharts } from "./charts.ts";
import { analyzeFindings } from "./insights.ts";
import { composeDraft } from "./compose-draft.ts";
import { renderDeliverables } from "./deliverables/render.ts";
import {
  parseDeliverableKind,
  resolveDeliverableTypes,
  type DeliverableKind,
} from "./deliverables/kinds.ts";
import { collectFindings } from "./findings.ts";
import { readTaskInputs, type TaskInputs } from "./inputs.ts";
import {
  listCapabilityPaths,
  planAnalysingCalls,
  planCheckingCalls,
  planGatheringCalls,
  splitCallsByGrant,
} from "./call-planning.ts";
import { fitsSpreadsheet, planRowCalls, collectTableData } from "./table-rows.ts";
import { initialQuestion } from "../../tasks/model/fields.ts";

/**
 * Runs one step of the built-in agent. A step can be repeated, calls only granted tools, and derives all figures from
 * their results.
 */
export async function runReportStep(task: Task, context: ExecutionContext): Promise<StepOutcome> {
  const phase = parseBuiltinPhase(task.currentPhase);
  if (phase === "planning") return runPlanningPhase(task, context);
  const state = parseReportState(task.work);
  if (phase === "finalising") {
    return state.drafted === null
      ? createRestartOutcome(task.progress)
      : { kind: "complete", outcome: state.drafted };
  }
  const inputs = await readTaskInputs(task);
  const { plan } = state;
  if (plan === null || !matchesPlan(plan, inputs.sources))
    return createRestartOutcome(task.progress);
  const input = { task, context, state, plan, inputs };
  if (phase === "gathering") return runGatheringPhase(input);
  return phase === "analysing" ? runAnalysingPhase(input) : runDraftingPhase(input);
}

interface PhaseInput {
  readonly task: Task;
  readonly context: ExecutionContext;
  readonly state: ReportState;
  readonly plan: ReportPlan;
  readonly inputs: TaskInputs;
}

const KNOWN_TOOLS = /^(?:table-analyst|text-analyst|chart-maker|format-bridge)\//;

/** Asks the initial question if there is one, then plans the sources and capabilities. */
async function runPlanningPhase(task: Task, context: ExecutionContext): Promise<StepOutcome> {
  const question = initialQuestion(task.context);
  if (question !== null && !hasAnswer(task, question)) {
    return { kind: "block", why: "input", question, work: {} };
  }
  const name = task.agentName ?? "The agent";
  const { sources } = await readTaskInputs(task);
  // Without sources there is nothing to call, but the agent must still be enabled.
  const tools =
    sources.length > 0 ? await context.listTools() : (await context.isAgentEnabled()) ? [] : null;
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
  const planned = sources.map(({ id, kind, amount, digest }) => ({ id, kind, amount, digest }));
  const plan: ReportPlan = { sources: planned, capabilities };
  return createNextPhaseOutcome("planning", {
    plan,
    ...(Object.hasOwn(task.work, "gathered") ? { gathered: [], analysed: [], drawn: [] } : {}),
  });
}

/** Executes the calls that the plan grants and that are not yet in `done`. */
async function executeGrantedCalls(
  { context, plan, inputs }: PhaseInput,
  calls: readonly PlannedCall[],
  done: readonly CompletedCall[],
) {
  const { granted } = splitCallsByGrant(calls, plan.capabilities);
  return executePlannedCalls(context, inputs.sources, granted, done);
}

/** Reads every source: profiles tables, and measures and summarises texts. */
async function runGatheringPhase(input: PhaseInput): Promise<StepOutcome> {
  const { task, state, plan } = input;
  const { sources } = input.inputs;
  const calls = planGatheringCalls(sources);
  const { entries, stop } = await executeGrantedCalls(input, calls, state.gathered);
  const work = { gathered: entries };
  if (stop !== null) return createStopOutcome(stop, work);
  const next = planAnalysingCalls(collectFindings(sources, entries), task.task, canProfile(plan));
  const hasFurtherCalls = splitCallsByGrant(next, plan.capabilities).granted.length > 0;
  if (hasNoResults(entries) && !hasFurtherCalls && !isBudgetIncreaseDeclined(task, entries))
    return createNoResultsOutcome(entries);
  return createNextPhaseOutcome("gathering", work);
}

function hasNoResults(entries: readonly CompletedCall[]): boolean {
  return entries.length > 0 && entries.every(({ found }) => found === null);
}

async function runAnalysingPhase(input: PhaseInput): Promise<StepOutcome> {
  const { task, state, plan } = input;
  const { sources } = input.inputs;
  const findings = collectFindings(sources, state.gathered);
  const calls = planAnalysingCalls(findings, task.task, canProfile(plan));
  let { entries: analysed, stop } = await executeGrantedCalls(input, calls, state.analysed);
  if (stop === null) {
    const checks = planCheckingCalls(collectFindings(sources, analysed));
    ({ entries: analysed, stop } = await executeGrantedCalls(input, checks, analysed));
  }
  if (stop !== null) return createStopOutcome(stop, { analysed });
  const entries = [...state.gathered, ...analysed];
  if (hasNoResults(entries) && !isBudgetIncreaseDeclined(task, entries))
    return createNoResultsOutcome(entries);
  return createNextPhaseOutcome("analysing", { analysed });
}

/** Saves the work so far until people have decided about the call, or the agent is resumed. */
function createStopOutcome(stop: CallStop, work: JsonObject): StepOutcome {
  if (stop.kind === "paused") return { kind: "hold", work };
  const block = { kind: "block" as const, why: stop.kind, question: stop.question, work };
  return stop.kind === "approval" ? { ...block, approvalIds: [stop.approvalId] } : block;
}

const KINDS_WITH_CHARTS: readonly DeliverableKind[] = ["report", "presentation", "chart"];
/** Larger charts are not stored while people decide about the budget. They are drawn again afterwards. */
const STORED_SVG_CHARACTERS_MAX = 64_000;

async function runDraftingPhase({
  task,
  context,
  state: { gathered, analysed, drawn },
  plan,
  inputs,
}: PhaseInput): Promise<StepOutcome> {
  const { sources } = inputs;
  const findings = collectFindings(sources, [...gathered, ...analysed]);
  const analysis = analyzeFindings(findings, task.task);
  const deliverableTypes = resolveDeliverableTypes(task);
  const asks = (kinds: readonly DeliverableKind[]) =>
    deliverableTypes.some((type) => kinds.some((kind) => kind === parseDeliverableKind(type)));
  const plans = asks(KINDS_WITH_CHARTS) ? planCharts(analysis) : [];
  const tables = sources.filter(({ id }) =>
    findings.tables.some((table) => table.source === id && fitsSpreadsheet(table)),
  );
  const calls = [
    ...plans.map(({ call }) => call),
    ...(asks(["spreadsheet"]) ? planRowCalls(tables) : []),
  ];
  // Grants are read again because a reviewer who asks for a chart may have granted the tool for it.
  const tools = calls.length === 0 ? [] : await context.listTools();
  if (tools === null) return createAgentUnavailableOutcome(task.agentName);
  const { granted, missing } = splitCallsByGrant(calls, listCapabilityPaths(tools));
  const { entries, stop } = await executePlannedCalls(context, sources, granted, drawn);
  if (stop !== null)
    return createStopOutcome(stop, { drawn: entries.filter(isSmallEnoughToStore) });
  const { draft, workbook } = await composeDraft({
    task,
    inputs,
    plan,
    findings,
    analysis,
    deliverableTypes,
    entries: [...gathered, ...analysed, ...entries],
    missing,
    charts: collectDrawnCharts(plans, entries),
    data: collectTableData(tables, findings, entries),
  });
  const deliverables: Deliverable[] = [];
  for (const file of renderDeliverables(draft, deliverableTypes, workbook)) {
    deliverables.push(await context.saveFile(file));
  }
  const { result, quality } = draft;
  const outcome: TaskOutcome = { result, quality, deliverables };
  return createNextPhaseOutcome("drafting", {
    drafted: asJson(outcome),
    ...(drawn.length === 0 ? {} : { drawn: [] }),
  });
}

function isSmallEnoughToStore({ capability, found }: CompletedCall): boolean {
  if (capability === "convert") return false;
  const svg = found?.["svg"];
  return typeof svg !== "string" || svg.length <= STORED_SVG_CHARACTERS_MAX;
}

const ALL_PERCENT = 100;
const REPORTED_PROBLEMS_MAX = 3;

function createNextPhaseOutcome(done: BuiltinPhase, work: JsonObject): StepOutcome {
  const place = BUILTIN_PHASES.indexOf(done) + 1;
  const progress = (place * ALL_PERCENT) / BUILTIN_PHASES.length;
  return { kind: "progress", progress, phase: BUILTIN_PHASES[place] ?? done, work };
}

/** Restarts at the planning phase, for example because the sources changed. */
function createRestartOutcome(progress: number): StepOutcome {
  return { kind: "progress", progress, phase: "planning", work: { plan: null } };
}

/** Fails a task if none of its calls returned a result. The task can be retried if a call was refused. */
function createNoResultsOutcome(entries: readonly CompletedCall[]): StepOutcome {
  const problems = [...new Set(entries.map(({ problem }) => problem?.message ?? ""))];
  const reportedProblems = problems.slice(0, REPORTED_PROBLEMS_MAX).join(" ");
  const message = `No tool returned a result (${formatCount(entries.length, "call")}). ${reportedProblems}`;
  const retryable = entries.some(({ problem }) => problem?.kind === "refused");
  const calls = entries.map((entry) => ({
    capability: capabilityPathOf(entry),
    source: entry.source,
    problem: entry.problem?.message ?? "",
  }));
  return { kind: "fail", error: { code: "TOOL_ERROR", message, retryable, details: { calls } } };
}

/** Fails a task whose sources no granted tool can read. */
function createMissingToolsOutcome(
  capabilities: readonly string[],
  agentName: string,
): StepOutcome {
  const needed = [...new Set(capabilities)];
  const message = `${agentName} has no access to any tool that can read the input. Grant it one of ${needed.join(", ")}.`;
  const details = { needed };
  return { kind: "fail", error: { code: "TOOL_ERROR", message, retryable: true, details } };
}
