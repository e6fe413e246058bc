import type { BlockKind, Deliverable, TaskOutcome, Task } from "../../tasks/model/task.ts";
import { NOTES_CHARACTERS_MAX } from "../../tasks/limits.ts";
import { validateSchema } from "../../http/validation.ts";
import {
  createCallOutcome,
  createInvalidCallOutcome,
  formatArgumentProblems,
  type ExecutedCall,
  type LlmCallOutcome,
  type ParsedLlmCall,
} from "./tool-call.ts";
import { askSchema, finishSchema, type FinishArguments } from "./system-functions.ts";
import { matchDeliverableType } from "./execute-calls.ts";

export type LlmTerminalAction =
  | { readonly kind: "none"; readonly isReminded: boolean }
  | { readonly kind: "ask"; readonly blockKind: BlockKind; readonly question: string }
  | { readonly kind: "finish"; readonly finish: FinishArguments };

const NO_ACTION: LlmTerminalAction = { kind: "none", isReminded: false };

export function isTerminalCall({ name }: Pick<ParsedLlmCall, "name">): boolean {
  return name === "ask" || name === "finish";
}

/** Resolves terminal calls. `missing`: requested types without a file; null if the model has been reminded of them. */
export function resolveTerminalCalls(
  calls: readonly ParsedLlmCall[],
  executed: readonly ExecutedCall[],
  missing: readonly string[] | null,
): { readonly action: LlmTerminalAction; readonly resolved: readonly ExecutedCall[] } {
  const resolved: ExecutedCall[] = [];
  let action: LlmTerminalAction = NO_ACTION;
  for (const call of calls.filter(({ name }) => name === "ask")) {
    const asked = resolveAsk(call);
    if ("result" in asked) resolved.push({ call, outcome: asked });
    else if (action.kind === "ask")
      resolved.push({ call, outcome: createCallOutcome(ALREADY_ASKED) });
    else {
      action = asked;
      const outcome = { ...createCallOutcome("People have been asked."), isOk: true };
      resolved.push({ call, outcome });
    }
  }
  for (const call of calls.filter(({ name }) => name === "finish")) {
    if (action.kind === "ask") {
      resolved.push({ call, outcome: createCallOutcome(NOT_FINISHED_ASKED) });
      continue;
    }
    const finished = resolveFinish(call, executed, missing);
    resolved.push({ call, outcome: finished.outcome });
    if (finished.action.kind !== "none" || finished.action.isReminded) action = finished.action;
  }
  return { action, resolved };
}

const ALREADY_ASKED = "Not asked: one question at a time. Put all you need to know into one.";
const NOT_FINISHED_ASKED = "Not finished: you have asked people. Finish once they have answered.";
const NOT_FINISHED_RESULTS_UNSEEN =
  "Not finished yet: you have not seen what came of the calls beside it. Look at their results, then call finish by itself.";
const FINISHED = "The work was handed over.";

function resolveAsk(
  call: ParsedLlmCall,
): LlmCallOutcome | Extract<LlmTerminalAction, { kind: "ask" }> {
  if (call.invalidReason !== null) return createInvalidCallOutcome(call.invalidReason);
  const parsed = validateSchema(askSchema, call.input);
  if (!parsed.ok) return createInvalidCallOutcome(formatArgumentProblems("ask", parsed.failure));
  const { question, kind } = parsed.value;
  return { kind: "ask", blockKind: kind ?? "input", question };
}

function resolveFinish(
  call: ParsedLlmCall,
  executed: readonly ExecutedCall[],
  missing: readonly string[] | null,
): { action: LlmTerminalAction; outcome: LlmCallOutcome } {
  if (call.invalidReason !== null)
    return { action: NO_ACTION, outcome: createInvalidCallOutcome(call.invalidReason) };
  const parsed = validateSchema(finishSchema, call.input);
  if (!parsed.ok) {
    const problems = formatArgumentProblems("finish", parsed.failure);
    return { action: NO_ACTION, outcome: createInvalidCallOutcome(problems) };
  }
  const hasSeenResults = executed.every(
    (one) => one.call.name === "deliver_file" && one.outcome.isOk,
  );
  if (!hasSeenResults)
    return { action: NO_ACTION, outcome: createCallOutcome(NOT_FINISHED_RESULTS_UNSEEN) };
  if (missing !== null && missing.length > 0) {
    const outcome = createCallOutcome(formatMissingDeliverables(missing));
    return { action: { kind: "none", isReminded: true }, outcome };
  }
  const action = { kind: "finish", finish: parsed.value } as const;
  return { action, outcome: createCallOutcome(FINISHED) };
}

export function formatMissingDeliverables(missing: readonly string[]): string {
  return `Files of these types were asked for and are not there: ${missing.join(", ")}. Write them with deliver_file and finish again; or finish again without them, and say why.`;
}

export function listMissingDeliverableTypes(
  { deliverableTypes }: Pick<Task, "deliverableTypes">,
  files: readonly Deliverable[],
): string[] {
  return deliverableTypes.filter(
    (wanted) => !files.some(({ type }) => matchDeliverableType(type, [wanted]) === wanted),
  );
}

/** The outcome of the task; its summary names missing deliverables, whether the model has done so or not. */
export function buildLlmOutcome(
  task: Task,
  { summary, insights, recommendations, quality }: Omit<FinishArguments, "review">,
  files: readonly Deliverable[],
): TaskOutcome {
  const missing = listMissingDeliverableTypes(task, files);
  const suffix = missing.length === 0 ? "" : `\n\nNot delivered: ${missing.join(", ")}.`;
  return {
    result: {
      summary: `${summary.slice(0, NOTES_CHARACTERS_MAX).toWellFormed()}${suffix}`,
      insights: insights.map((text) => text.toWellFormed()),
      recommendations: recommendations.map((text) => text.toWellFormed()),
    },
    quality: quality ?? null,
    deliverables: files,
  };
}
