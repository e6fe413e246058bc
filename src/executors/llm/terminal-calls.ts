import type { BlockKind, Deliverable, TaskOutcome, Task } from "../../tasks/model/task.ts";
import { NOTES_CHARACTERS_MAX } from "../../tasks/limits.ts";
import { validateSchema } from "../../http/validation.ts";
import {
  createCallOutcome,
  createInvalidCallOutcome,
  formatArgumentProblems,
  type LlmCallOutcome,
  type ParsedLlmCall,
} from "./tool-call.ts";
import { askSchema, finishSchema, type FinishArguments } from "./system-functions.ts";
import { matchDeliverableType } from "./execute-calls.ts";

/** What a turn's `ask` and `finish` come to. */
export type LlmTerminalAction =
  | { readonly kind: "none"; readonly isReminded: boolean }
  | { readonly kind: "ask"; readonly why: BlockKind; readonly question: string }
  | { readonly kind: "finish"; readonly finish: FinishArguments };

const NO_ACTION: LlmTerminalAction = { kind: "none", isReminded: false };

/** Whether a call ends the turn rather than being made in it. */
export function isTerminalCall({ name }: Pick<ParsedLlmCall, "name">): boolean {
  return name === "ask" || name === "finish";
}

/**
 * Judges the endings among a turn's calls, and what the model is told of each, by its id. `made` are its other
 * calls, `missing` the kinds of files that were asked for and are not there; null once it was told of them.
 */
export function resolveTerminalCalls(
  calls: readonly ParsedLlmCall[],
  made: readonly { readonly call: ParsedLlmCall; readonly made: LlmCallOutcome }[],
  missing: readonly string[] | null,
): { readonly ending: LlmTerminalAction; readonly told: ReadonlyMap<string, LlmCallOutcome> } {
  const results = new Map<string, LlmCallOutcome>();
  let action: LlmTerminalAction = NO_ACTION;
  for (const call of calls.filter(({ name }) => name === "ask")) {
    const asked = resolveAsk(call);
    if ("result" in asked) results.set(call.id, asked);
    else if (action.kind === "ask") results.set(call.id, createCallOutcome(ALREADY_ASKED));
    else {
      action = asked;
      results.set(call.id, { ...createCallOutcome("People have been asked."), isOk: true });
    }
  }
  for (const call of calls.filter(({ name }) => name === "finish")) {
    if (action.kind === "ask") {
      results.set(call.id, createCallOutcome(NOT_FINISHED_ASKED));
      continue;
    }
    const resolved = resolveFinish(call, made, missing);
    results.set(call.id, resolved.told);
    if (resolved.ending.kind !== "none" || resolved.ending.isReminded) action = resolved.ending;
  }
  return { ending: action, told: results };
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
  return { kind: "ask", why: kind ?? "input", question };
}

function resolveFinish(
  call: ParsedLlmCall,
  made: readonly { readonly call: ParsedLlmCall; readonly made: LlmCallOutcome }[],
  missing: readonly string[] | null,
): { ending: LlmTerminalAction; told: LlmCallOutcome } {
  if (call.invalidReason !== null)
    return { ending: NO_ACTION, told: createInvalidCallOutcome(call.invalidReason) };
  const parsed = validateSchema(finishSchema, call.input);
  if (!parsed.ok)
    return {
      ending: NO_ACTION,
      told: createInvalidCallOutcome(formatArgumentProblems("finish", parsed.failure)),
    };
  const isSeen = made.every((one) => one.call.name === "deliver_file" && one.made.isOk);
  if (!isSeen) return { ending: NO_ACTION, told: createCallOutcome(NOT_FINISHED_RESULTS_UNSEEN) };
  if (missing !== null && missing.length > 0) {
    return {
      ending: { kind: "none", isReminded: true },
      told: createCallOutcome(formatMissingDeliverables(missing)),
    };
  }
  return { ending: { kind: "finish", finish: parsed.value }, told: createCallOutcome(FINISHED) };
}

export function formatMissingDeliverables(missing: readonly string[]): string {
  return `Files of these types were asked for and are not there: ${missing.join(", ")}. Write them with deliver_file and finish again; or finish again without them, and say why.`;
}

/** The kinds of files that were asked for, of which there is none. */
export function listMissingDeliverableTypes(
  { deliverableTypes }: Pick<Task, "deliverableTypes">,
  files: readonly Deliverable[],
): string[] {
  return deliverableTypes.filter(
    (wanted) => !files.some(({ type }) => matchDeliverableType(type, [wanted]) === wanted),
  );
}

/** What is handed over; what is missing of it is said in the summary, whether the model has said so or not. */
export function buildLlmOutcome(
  task: Task,
  { summary, insights, recommendations, quality }: Omit<FinishArguments, "review">,
  files: readonly Deliverable[],
): TaskOutcome {
  const missing = listMissingDeliverableTypes(task, files);
  const summaryText = summary.slice(0, NOTES_CHARACTERS_MAX).toWellFormed();
  return {
    result: {
      summary:
        missing.length === 0
          ? summaryText
          : `${summaryText}\n\nNot delivered: ${missing.join(", ")}.`,
      insights: insights.map((text) => text.toWellFormed()),
      recommendations: recommendations.map((text) => text.toWellFormed()),
    },
    quality: quality ?? null,
    deliverables: files,
  };
}
