import type * as z from "zod";
import {
  createCallOutcome,
  type LlmCallOutcome,
  parseLlmCall,
  parseCallArguments,
  type ParsedLlmCall,
} from "./tool-call.ts";
import { requiresReview } from "../../tasks/model/guards.ts";
import type { Deliverable, Task, TaskOutcome } from "../../tasks/model/task.ts";
import { createFailOutcome, type TurnOutcome } from "../contract.ts";
import type { LlmResponse } from "./response.ts";
import { LLM_INVALID_CALLS_MAX, LLM_CALLS_PER_TURN_MAX, LLM_LOOP_TURNS } from "./limits.ts";
import {
  executeLlmCalls,
  type CallStop,
  type LlmTurn,
  matchDeliverableType,
} from "./execute-calls.ts";
import { type FinishArguments, askSchema, finishSchema } from "./functions.ts";
import {
  countInvalidCallsInARow,
  createLlmTurnRecord,
  findRepeatedCall,
  listTurnFiles,
  serializeLlmTurn,
  type LlmTurnRecord,
} from "./transcript.ts";
import { NOTES_CHARACTERS_MAX } from "../../tasks/limits.ts";
import { formatList } from "../../kernel/text.ts";

/** Executes the calls in a response and returns the outcome of the turn. */
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
      `The model is in a loop: it made the same call to ${repeated} in ${LLM_LOOP_TURNS} consecutive turns.`,
      true,
    );
  }

  const files = listTurnFiles(turns);
  const { outcomes, stop } = await executeLlmCalls(
    calls.filter((call) => !isTerminalCall(call)),
    turn,
    files.map(({ name }) => name),
  );
  const added = [...outcomes.values()].flatMap(({ file }) => file ?? []);
  const newest = listTurnFiles([{ files }, { files: added }]);
  const missing = listUnremindedDeliverableTypes(turn, newest);
  const approvalIds = [...new Set([...outcomes.values()].flatMap((one) => one.approvalId ?? []))];
  const mustWait = stop !== null || approvalIds.length > 0;
  const terminalCalls = mustWait ? [] : calls.filter(isTerminalCall);
  const { asked, finish, isReminded } = resolveTerminalCalls(terminalCalls, outcomes, missing);
  const executed = calls.map((call) => ({
    ...call,
    ...(outcomes.get(call) ?? createCallOutcome(DEFERRED[stop?.kind ?? "approval"])),
  }));

  const record = createLlmTurnRecord(response, executed, {
    remark: formatTooManyCalls(response.calls.length),
    reminded: isReminded ? ["deliverables"] : [],
    answers: task.answers.length,
    comments: task.reviewComments.length,
  });
  const invalidCount = countInvalidCallsInARow([...turns, record]);
  if (invalidCount >= LLM_INVALID_CALLS_MAX) {
    const last = executed.findLast(({ isInvalid }) => isInvalid)?.result ?? "";
    const message = `The model made ${invalidCount} invalid function calls in a row. The last result: ${last}`;
    return createFailOutcome(message, true);
  }
  const work = serializeLlmTurn(turns.length + 1, record);
  // The approvals are first: after the decisions, the next call stops the attempt again if the agent is still paused.
  if (approvalIds.length > 0) {
    const names = executed
      .filter((call) => call.approvalId !== null)
      .map(({ usedCapability }) => usedCapability);
    const question = `Approve ${formatList([...new Set(names.map(String))])}?`;
    return { kind: "block", why: "approval", question, work, approvalIds };
  }
  if (stop?.kind === "paused") return { kind: "hold", work };
  if (stop !== null) return { kind: "block", why: "budget", question: stop.question, work };
  if (asked !== null)
    return { kind: "block", why: asked.kind ?? "input", question: asked.question, work };
  if (finish !== null) return finishTurn(finish, newest, record, turn);
  return continueTurn(record, executed, turn);
}

/**
 * Handles a response without calls. The model is first reminded to call `finish`. If its next response is also complete
 * text without calls, the task ends with that text as its summary.
 */
async function handleTextResponse(
  { text, reasoning, finishReason }: LlmResponse,
  turn: LlmTurn,
): Promise<TurnOutcome> {
  const { task, turns } = turn;
  const summary = text.trim();
  if (summary === "" && finishReason === "content-filter") {
    return createFailOutcome("The provider's content filter withheld the model's response.", true);
  }
  const files = listTurnFiles(turns);
  const isRemindedToFinish = turns.at(-1)?.reminded.includes("finish") === true;
  const isFinal = isRemindedToFinish && summary !== "" && finishReason !== "length";
  const missing = listUnremindedDeliverableTypes(turn, files);
  const remark = [
    summary === "" ? EMPTY : finishReason === "length" ? CUT_OFF : NO_CALL,
    ...(missing.length > 0 ? [formatMissingDeliverables(missing)] : []),
  ];
  const record = createLlmTurnRecord({ text: summary, reasoning }, [], {
    remark: isFinal ? null : remark.join("\n"),
    reminded: ["finish", ...(missing.length > 0 ? (["deliverables"] as const) : [])],
    answers: task.answers.length,
    comments: task.reviewComments.length,
  });
  if (isFinal) {
    const finish = { summary, insights: [], recommendations: [], quality: null, review: null };
    return finishTurn(finish, files, record, turn);
  }
  const invalidCount = countInvalidCallsInARow([...turns, record]);
  if (invalidCount >= LLM_INVALID_CALLS_MAX)
    return createFailOutcome(
      `The model returned ${invalidCount} unusable responses in a row.`,
      true,
    );
  return continueTurn(record, [], turn);
}

const DEFERRED: Readonly<Record<CallStop["kind"] | "approval", string>> = {
  budget:
    "Not executed because people must decide about the budget first. Repeat the call if it is still needed.",
  approval:
    "Not executed because people must decide about another call first. Repeat the call if it is still needed.",
  paused: "Not executed because you were paused. Repeat the call if it is still needed.",
};
const NO_CALL =
  "Your response did not call a function, so the task continues. If the work is done, call finish; otherwise, call the functions you need.";
const CUT_OFF =
  "Your response reached its token limit before it was complete. Write less in one response, and call a function.";
const EMPTY = "Your response was empty. Call a function; if the work is done, call finish.";

function formatTooManyCalls(count: number): string | null {
  if (count <= LLM_CALLS_PER_TURN_MAX) return null;
  return `You made ${count} calls in one response; all but the first ${LLM_CALLS_PER_TURN_MAX} were ignored.`;
}

function continueTurn(
  record: LlmTurnRecord,
  outcomes: readonly LlmCallOutcome[],
  { task, turns }: LlmTurn,
): TurnOutcome {
  const number = turns.length + 1;
  const hasFile = outcomes.some(({ file }) => file !== null);
  return {
    kind: "progress",
    progress: estimateTurnProgress(number, task.progress),
    phase: formatTurnPhase(number, outcomes),
    work: serializeLlmTurn(number, record),
    ...(hasFile ? {} : { estimated: true }),
  };
}

/** Ends the task. If people will review the outcome, records the turn first, because they may request changes. */
async function finishTurn(
  { summary, insights, recommendations, quality = null, review }: FinishArguments,
  files: readonly Deliverable[],
  record: LlmTurnRecord,
  { task, context, turns }: LlmTurn,
): Promise<TurnOutcome> {
  const missing = listMissingDeliverableTypes(task, files);
  // The summary lists missing deliverables even if the model already mentions them.
  const suffix = missing.length === 0 ? "" : `\n\nNot delivered: ${missing.join(", ")}.`;
  const outcome: TaskOutcome = {
    result: {
      summary: `${summary.slice(0, NOTES_CHARACTERS_MAX).toWellFormed()}${suffix}`,
      insights: insights.map((text) => text.toWellFormed()),
      recommendations: recommendations.map((text) => text.toWellFormed()),
    },
    quality,
    deliverables: files,
  };
  const isSubmitted = review === true;
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

const FIRST_PERCENT = 5;
const LAST_PERCENT = 90;
/** The number of turns after which half of the progress range is reached. */
const HALF_TURNS = 5;

/** The progress after `number` turns. It approaches 90 and never decreases. */
export function estimateTurnProgress(number: number, before: number): number {
  const span = LAST_PERCENT - FIRST_PERCENT;
  const percent = FIRST_PERCENT + Math.floor((span * number) / (number + HALF_TURNS));
  return Math.max(before, percent);
}

/** The phase shown to people, such as "used table-analyst/correlate and 2 more". */
function formatTurnPhase(number: number, outcomes: readonly LlmCallOutcome[]): string {
  const done = outcomes.flatMap(({ usedCapability, file }) => {
    if (file !== null) return [`wrote ${file.name}`];
    return usedCapability === null ? [] : [`used ${usedCapability}`];
  });
  const [first] = done;
  if (first === undefined) return `turn ${number}`;
  return done.length === 1 ? first : `${first} and ${done.length - 1} more`;
}

interface TerminalCalls {
  readonly asked: z.output<typeof askSchema> | null;
  readonly finish: FinishArguments | null;
  /** Whether the model is reminded of missing files. */
  readonly isReminded: boolean;
}

function isTerminalCall({ name }: Pick<ParsedLlmCall, "name">): boolean {
  return name === "ask" || name === "finish";
}

/**
 * Resolves terminal calls and adds their outcomes to those of the other calls. `missing` lists requested types that
 * have no file and that the model has not yet been reminded of.
 */
function resolveTerminalCalls(
  calls: readonly ParsedLlmCall[],
  outcomes: Map<ParsedLlmCall, LlmCallOutcome>,
  missing: readonly string[],
): TerminalCalls {
  const hasSeenResults = [...outcomes].every(
    ([{ name }, { isOk }]) => name === "deliver_file" && isOk,
  );
  let asked: TerminalCalls["asked"] = null;
  let finish: TerminalCalls["finish"] = null;
  let isReminded = false;

  function resolveAsk(call: ParsedLlmCall): LlmCallOutcome {
    const parsed = parseCallArguments(call, askSchema);
    if (!parsed.ok) return parsed.failure;
    if (asked !== null) return createCallOutcome(ALREADY_ASKED);
    asked = parsed.value;
    return createCallOutcome("People have been asked.", { isOk: true });
  }

  function resolveFinish(call: ParsedLlmCall): LlmCallOutcome {
    if (asked !== null) return createCallOutcome(NOT_FINISHED_ASKED);
    const parsed = parseCallArguments(call, finishSchema);
    if (!parsed.ok) return parsed.failure;
    if (!hasSeenResults) return createCallOutcome(NOT_FINISHED_RESULTS_UNSEEN);
    if (missing.length > 0) {
      isReminded = true;
      return createCallOutcome(formatMissingDeliverables(missing));
    }
    finish = parsed.value;
    return createCallOutcome("The work was submitted.");
  }

  const { ask = [], finish: finishes = [] } = Object.groupBy(calls, ({ name }) => name);
  for (const call of ask) outcomes.set(call, resolveAsk(call));
  for (const call of finishes) outcomes.set(call, resolveFinish(call));
  return { asked, finish, isReminded };
}

const ALREADY_ASKED =
  "Not asked because only one question at a time is allowed. Combine everything you need to know into one question.";
const NOT_FINISHED_ASKED =
  "Not finished because you asked people a question. Finish after they answer.";
const NOT_FINISHED_RESULTS_UNSEEN =
  "Not finished yet because you have not seen the results of the other calls in this response. Read them, then call finish on its own.";

function formatMissingDeliverables(missing: readonly string[]): string {
  return `Requested files of these types are missing: ${missing.join(", ")}. Write them with deliver_file and call finish again, or call finish without them and explain why.`;
}

/** The requested types that have no file. Empty if an earlier turn already reminded the model of them. */
function listUnremindedDeliverableTypes(
  { task, turns }: LlmTurn,
  files: readonly Deliverable[],
): string[] {
  const isReminded = turns.some(({ reminded }) => reminded.includes("deliverables"));
  return isReminded ? [] : listMissingDeliverableTypes(task, files);
}

function listMissingDeliverableTypes(
  { deliverableTypes }: Pick<Task, "deliverableTypes">,
  files: readonly Deliverable[],
): string[] {
  return deliverableTypes.filter(
    (wanted) => !files.some(({ type }) => matchDeliverableType(type, [wanted]) === wanted),
  );
}
