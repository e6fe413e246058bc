import {
  countInvalidCallsInARow,
  createCallOutcome,
  findRepeatedCall,
  type LlmCallOutcome,
  type ParsedLlmCall,
  parseLlmCall,
} from "./tool-call.ts";
import { requiresReview } from "../../tasks/model/report.ts";
import type { Deliverable, Task } from "../../tasks/model/task.ts";
import type { ExecutionContext, TurnOutcome } from "../contract.ts";
import type { LlmResponse } from "./response.ts";
import {
  isTerminalCall,
  resolveTerminalCalls,
  listMissingDeliverableTypes,
  buildLlmOutcome,
  formatMissingDeliverables,
} from "./terminal-calls.ts";
import type { LlmFunctions } from "./function-tools.ts";
import { LLM_INVALID_CALLS_MAX, LLM_CALLS_PER_TURN_MAX, LLM_LOOP_TURNS } from "./limits.ts";
import { executeLlmCalls } from "./execute-calls.ts";
import type { FinishArguments } from "./system-functions.ts";
import { listTurnFiles, serializeLlmTurn, type LlmTurnRecord } from "./transcript.ts";
import { createLlmTurnRecord } from "./turn-record.ts";

/** What a turn has in hand once the model has answered. */
export interface LlmTurn {
  readonly task: Task;
  readonly context: ExecutionContext;
  readonly functions: LlmFunctions;
  readonly signal: AbortSignal;
  readonly turns: readonly LlmTurnRecord[];
}

/** Makes what the model asked for, and tells what the turn comes to. */
export async function handleLlmResponse(
  response: LlmResponse,
  turn: LlmTurn,
): Promise<TurnOutcome> {
  if (response.calls.length === 0) return handleTextResponse(response, turn);
  const isCutOff = response.finishReason === "length";
  const asked = response.calls.slice(0, LLM_CALLS_PER_TURN_MAX);
  const calls = await Promise.all(asked.map((call) => parseLlmCall(call, isCutOff)));
  const loop = findRepeatedCall(turn.turns, calls);
  if (loop !== null)
    return failAttempt(
      `The model loops: it made the same call of ${loop} ${LLM_LOOP_TURNS} turns in a row.`,
    );

  const { task, turns } = turn;
  const files = listTurnFiles(turns);
  const others = calls.filter((call) => !isTerminalCall(call));
  const bench = { ...turn, fileNames: new Set(files.map(({ name }) => name)) };
  const { outcomes, budgetQuestion } = await executeLlmCalls(others, bench);
  const executed = others.map((call, place) => ({
    call,
    made: outcomes[place] ?? createCallOutcome(""),
  }));
  const isRemindedOfFiles = turns.some(({ reminded }) => reminded.includes("deliverables"));
  const added = outcomes.flatMap(({ file }) => (file === null ? [] : [file]));
  const newest = listTurnFiles([{ files }, { files: added }]);
  const missing = isRemindedOfFiles ? null : listMissingDeliverableTypes(task, newest);
  const endings = budgetQuestion === null ? calls.filter(isTerminalCall) : [];
  const resolved = resolveTerminalCalls(endings, executed, missing);
  const results = new Map(executed.map((one) => [one.call, one.made]));
  const all = calls.map((call) => ({
    call,
    made: resolved.told.get(call.id) ?? results.get(call) ?? createCallOutcome(DEFERRED_BY_BUDGET),
  }));

  const { ending: action } = resolved;
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
    return { kind: "block", why: action.why, question: action.question, work };
  if (action.kind === "finish") return finishTurn(action.finish, newest, record, turn);
  return continueTurn(
    record,
    all.map((one) => one.made),
    turn,
  );
}

/** An answer without a call: told once how to end the task, it counts as the end the second time. */
async function handleTextResponse(
  { text, reasoning, finishReason }: LlmResponse,
  turn: LlmTurn,
): Promise<TurnOutcome> {
  const { task, turns } = turn;
  const said = text.trim();
  if (said === "" && finishReason === "content-filter") {
    return failAttempt("The provider's content filter withheld the model's answer.");
  }
  const files = listTurnFiles(turns);
  const last = turns.at(-1);
  const isRemindedToFinish = last !== undefined && last.reminded.includes("finish");
  const missing = listMissingDeliverableTypes(task, files);
  const isFinal = isRemindedToFinish && said !== "" && finishReason !== "length";
  const isRemindedOfFiles = turns.some(({ reminded }) => reminded.includes("deliverables"));
  const reminders =
    missing.length > 0 && !isRemindedOfFiles ? [formatMissingDeliverables(missing)] : [];
  const remark = [
    said === "" ? EMPTY : finishReason === "length" ? CUT_OFF : NO_CALL,
    ...reminders,
  ];
  const record = createLlmTurnRecord({ text: said, reasoning }, [], {
    remark: isFinal ? null : remark.join("\n"),
    reminded: ["finish", ...(reminders.length > 0 ? (["deliverables"] as const) : [])],
    ...countSeenMessages(task),
  });
  if (isFinal) {
    const plain = { summary: said, insights: [], recommendations: [], quality: null, review: null };
    return finishTurn(plain, files, record, turn);
  }
  const invalidCount = countInvalidCallsInARow([...turns, record]);
  if (invalidCount >= LLM_INVALID_CALLS_MAX)
    return failAttempt(
      `The model gave ${invalidCount} answers in a row that held nothing to work with.`,
    );
  return continueTurn(record, [], turn);
}

const DEFERRED_BY_BUDGET =
  "Not carried out: the budget is asked about first. Call it again if it is still right.";
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
  made: readonly LlmCallOutcome[],
  { task, turns }: LlmTurn,
): TurnOutcome {
  const number = turns.length + 1;
  const progress = estimateTurnProgress(number, task.progress);
  return {
    kind: "progress",
    progress,
    phase: formatTurnPhase(number, made),
    work: serializeLlmTurn(number, record),
  };
}

/**
 * Where people will look at the work, the turn is written down first: they may send it back, and an
 * outcome leaves nothing behind in the task's work.
 */
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

function failInvalidCalls(
  count: number,
  all: readonly { readonly call: ParsedLlmCall; readonly made: LlmCallOutcome }[],
): TurnOutcome {
  const last = all.findLast(({ made }) => made.isInvalid)?.made.result ?? "";
  return failAttempt(
    `The model made ${count} calls in a row that no function could take. The last: ${last}`,
  );
}

function failAttempt(message: string): TurnOutcome {
  return { kind: "fail", error: { code: "AGENT_ERROR", message, retryable: true } };
}

const FIRST_PERCENT = 5;
const LAST_PERCENT = 90;
/** Half of the way is told after so many turns. */
const HALF_TURNS = 5;

/** How far the work has come after so many turns: ever nearer to 90, and never back. */
export function estimateTurnProgress(number: number, before: number): number {
  const span = LAST_PERCENT - FIRST_PERCENT;
  const percent = FIRST_PERCENT + Math.floor((span * number) / (number + HALF_TURNS));
  return Math.max(before, percent);
}

/** What people read of a turn: "used table-analyst/correlate and 2 more". */
export function formatTurnPhase(number: number, outcomes: readonly LlmCallOutcome[]): string {
  const done = outcomes.flatMap(({ usedCapability, file }) => {
    if (file !== null) return [`wrote ${file.name}`];
    return usedCapability === null ? [] : [`used ${usedCapability}`];
  });
  const [first] = done;
  if (first === undefined) return `turn ${number}`;
  return done.length === 1 ? first : `${first} and ${done.length - 1} more`;
}
