import {
  createCallOutcome,
  type ExecutedCall,
  type LlmCallOutcome,
  parseLlmCall,
  createInvalidCallOutcome,
  parseCallArguments,
  type ParsedLlmCall,
} from "./tool-call.ts";
import { requiresReview } from "../../tasks/model/guards.ts";
import type { Deliverable, Task, BlockKind, TaskOutcome } from "../../tasks/model/task.ts";
import { createFailOutcome, type TurnOutcome } from "../contract.ts";
import type { LlmResponse } from "./response.ts";
import { LLM_INVALID_CALLS_MAX, LLM_CALLS_PER_TURN_MAX, LLM_LOOP_TURNS } from "./limits.ts";
import { executeLlmCalls, type LlmTurn, matchDeliverableType } from "./execute-calls.ts";
import { type FinishArguments, askSchema, finishSchema } from "./system-functions.ts";
import {
  countInvalidCallsInARow,
  createLlmTurnRecord,
  findRepeatedCall,
  listTurnFiles,
  serializeLlmTurn,
  type LlmTurnRecord,
} from "./transcript.ts";
import { NOTES_CHARACTERS_MAX } from "../../tasks/limits.ts";

/** Executes the calls of a response; returns the outcome of the turn. */
export async function handleLlmResponse(
  response: LlmResponse,
  turn: LlmTurn,
): Promise<TurnOutcome> {
  if (response.calls.length === 0) return handleTextResponse(response, turn);
  const { task, turns } = turn;
  const isCutOff = response.finishReason === "length";
  const accepted = response.calls.slice(0, LLM_CALLS_PER_TURN_MAX);
  const calls = await Promise.all(accepted.map((call) => parseLlmCall(call, isCutOff)));
  const repeated = findRepeatedCall(turns, calls);
  if (repeated !== null) {
    return createFailOutcome(
      `The model loops: it made the same call of ${repeated} ${LLM_LOOP_TURNS} turns in a row.`,
      true,
    );
  }

  const files = listTurnFiles(turns);
  const { executed, budgetQuestion } = await executeLlmCalls(
    calls.filter((call) => !isTerminalCall(call)),
    turn,
    files.map(({ name }) => name),
  );
  const isRemindedOfFiles = turns.some(({ reminded }) => reminded.includes("deliverables"));
  const added = executed.flatMap(({ outcome: { file } }) => (file === null ? [] : [file]));
  const newest = listTurnFiles([{ files }, { files: added }]);
  const missing = isRemindedOfFiles ? null : listMissingDeliverableTypes(task, newest);
  const terminalCalls = budgetQuestion === null ? calls.filter(isTerminalCall) : [];
  const { action, resolved } = resolveTerminalCalls(terminalCalls, executed, missing);
  const outcomes = new Map([...executed, ...resolved].map((one) => [one.call, one.outcome]));
  const all = calls.map((call) => ({
    call,
    outcome: outcomes.get(call) ?? createCallOutcome(DEFERRED_BY_BUDGET),
  }));

  const isReminded = action.kind === "none" && action.isReminded;
  const record = createLlmTurnRecord(response, all, {
    remark: formatTooManyCalls(response.calls.length),
    reminded: isReminded ? ["deliverables"] : [],
    ...countSeenMessages(task),
  });
  const invalidCount = countInvalidCallsInARow([...turns, record]);
  if (invalidCount >= LLM_INVALID_CALLS_MAX) return failInvalidCalls(invalidCount, all);
  const work = serializeLlmTurn(turns.length + 1, record);
  if (budgetQuestion !== null)
    return { kind: "block", why: "budget", question: budgetQuestion, work };
  if (action.kind === "ask")
    return { kind: "block", why: action.blockKind, question: action.question, work };
  if (action.kind === "finish") return finishTurn(action.finish, newest, record, turn);
  const outcomesInOrder = all.map(({ outcome }) => outcome);
  return continueTurn(record, outcomesInOrder, turn);
}

/** Handles a response without calls: the first is answered with a reminder to call `finish`, the second finishes. */
async function handleTextResponse(
  { text, reasoning, finishReason }: LlmResponse,
  turn: LlmTurn,
): Promise<TurnOutcome> {
  const { task, turns } = turn;
  const summary = text.trim();
  if (summary === "" && finishReason === "content-filter") {
    return createFailOutcome("The provider's content filter withheld the model's answer.", true);
  }
  const files = listTurnFiles(turns);
  const last = turns.at(-1);
  const isRemindedToFinish = last !== undefined && last.reminded.includes("finish");
  const missing = listMissingDeliverableTypes(task, files);
  const isFinal = isRemindedToFinish && summary !== "" && finishReason !== "length";
  const isRemindedOfFiles = turns.some(({ reminded }) => reminded.includes("deliverables"));
  const reminders =
    missing.length > 0 && !isRemindedOfFiles ? [formatMissingDeliverables(missing)] : [];
  const remark = [
    summary === "" ? EMPTY : finishReason === "length" ? CUT_OFF : NO_CALL,
    ...reminders,
  ];
  const record = createLlmTurnRecord({ text: summary, reasoning }, [], {
    remark: isFinal ? null : remark.join("\n"),
    reminded: ["finish", ...(reminders.length > 0 ? (["deliverables"] as const) : [])],
    ...countSeenMessages(task),
  });
  if (isFinal) {
    const finish = { summary, insights: [], recommendations: [], quality: null, review: null };
    return finishTurn(finish, files, record, turn);
  }
  const invalidCount = countInvalidCallsInARow([...turns, record]);
  if (invalidCount >= LLM_INVALID_CALLS_MAX)
    return createFailOutcome(`The model gave ${invalidCount} unusable responses in a row.`, true);
  return continueTurn(record, [], turn);
}

const DEFERRED_BY_BUDGET =
  "Not executed: people are asked about the budget first. Call it again if it is still needed.";
const NO_CALL =
  "Your answer called no function, so the task goes on. If the work is done, call finish; else call what you need.";
const CUT_OFF =
  "Your answer reached its limit of tokens before its end. Write less at once, and call a function.";
const EMPTY = "Your answer was empty. Call a function; if the work is done, call finish.";

function formatTooManyCalls(count: number): string | null {
  if (count <= LLM_CALLS_PER_TURN_MAX) return null;
  return `You asked for ${count} calls at once; only the first ${LLM_CALLS_PER_TURN_MAX} were looked at.`;
}

function countSeenMessages({
  answers,
  reviewComments,
}: Task): Pick<LlmTurnRecord, "answers" | "comments"> {
  return { answers: answers.length, comments: reviewComments.length };
}

function continueTurn(
  record: LlmTurnRecord,
  outcomes: readonly LlmCallOutcome[],
  { task, turns }: LlmTurn,
): TurnOutcome {
  const number = turns.length + 1;
  return {
    kind: "progress",
    progress: estimateTurnProgress(number, task.progress),
    phase: formatTurnPhase(number, outcomes),
    work: serializeLlmTurn(number, record),
  };
}

/** Ends the task. Records the turn first if people review the outcome, because they may request changes. */
async function finishTurn(
  finish: FinishArguments,
  files: readonly Deliverable[],
  record: LlmTurnRecord,
  { task, context, turns }: LlmTurn,
): Promise<TurnOutcome> {
  const outcome = buildLlmOutcome(task, finish, files);
  const isSubmitted = finish.review === true;
  if (isSubmitted || requiresReview(task)) {
    const number = turns.length + 1;
    const handedOver = { round: task.round, outcome };
    await context.reportProgress({
      progress: estimateTurnProgress(number, task.progress),
      phase: "handing over",
      work: serializeLlmTurn(number, { ...record, handedOver }),
    });
  }
  return { kind: isSubmitted ? "submit" : "complete", outcome };
}

function failInvalidCalls(count: number, all: readonly ExecutedCall[]): TurnOutcome {
  const last = all.findLast(({ outcome }) => outcome.isInvalid)?.outcome.result ?? "";
  return createFailOutcome(
    `The model made ${count} calls in a row that no function could take. The last: ${last}`,
    true,
  );
}

const FIRST_PERCENT = 5;
const LAST_PERCENT = 90;
/** The number of turns for half of the progress. */
const HALF_TURNS = 5;

/** The progress after `number` turns: approaches 90 and never decreases. */
export function estimateTurnProgress(number: number, before: number): number {
  const span = LAST_PERCENT - FIRST_PERCENT;
  const percent = FIRST_PERCENT + Math.floor((span * number) / (number + HALF_TURNS));
  return Math.max(before, percent);
}

/** The phase that people read: "used table-analyst/correlate and 2 more". */
function formatTurnPhase(number: number, outcomes: readonly LlmCallOutcome[]): string {
  const done = outcomes.flatMap(({ usedCapability, file }) => {
    if (file !== null) return [`wrote ${file.name}`];
    return usedCapability === null ? [] : [`used ${usedCapability}`];
  });
  const [first] = done;
  if (first === undefined) return `turn ${number}`;
  return done.length === 1 ? first : `${first} and ${done.length - 1} more`;
}

type LlmTerminalAction =
  | { readonly kind: "none"; readonly isReminded: boolean }
  | { readonly kind: "ask"; readonly blockKind: BlockKind; readonly question: string }
  | { readonly kind: "finish"; readonly finish: FinishArguments };

const NO_ACTION: LlmTerminalAction = { kind: "none", isReminded: false };

function isTerminalCall({ name }: Pick<ParsedLlmCall, "name">): boolean {
  return name === "ask" || name === "finish";
}

/** Resolves terminal calls. `missing`: requested types without a file; null if the model has been reminded of them. */
function resolveTerminalCalls(
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
  "Not finished yet: you have not seen the results of the other calls in this response. Read them, then call finish by itself.";
const FINISHED = "The work was submitted.";

function resolveAsk(
  call: ParsedLlmCall,
): LlmCallOutcome | Extract<LlmTerminalAction, { kind: "ask" }> {
  if (call.invalidReason !== null) return createInvalidCallOutcome(call.invalidReason);
  const parsed = parseCallArguments("ask", askSchema, call.input);
  if (!parsed.ok) return parsed.failure;
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
  const parsed = parseCallArguments("finish", finishSchema, call.input);
  if (!parsed.ok) return { action: NO_ACTION, outcome: parsed.failure };
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

function formatMissingDeliverables(missing: readonly string[]): string {
  return `Files of these types were asked for and are not there: ${missing.join(", ")}. Write them with deliver_file and finish again; or finish again without them, and say why.`;
}

function listMissingDeliverableTypes(
  { deliverableTypes }: Pick<Task, "deliverableTypes">,
  files: readonly Deliverable[],
): string[] {
  return deliverableTypes.filter(
    (wanted) => !files.some(({ type }) => matchDeliverableType(type, [wanted]) === wanted),
  );
}

/** The outcome of the task; its summary names missing deliverables, whether the model has done so or not. */
function buildLlmOutcome(
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
