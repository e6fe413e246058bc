import { mustBeReviewed } from "../../../domain/report.ts";
import type { Deliverable, Task } from "../../../domain/task.ts";
import type { TurnHands, TurnOutcome } from "../contract.ts";
import type { Heard } from "./answer.ts";
import { badInARow, loopIn, readCall, type ReadCall } from "./asked.ts";
import { isEnding, judgeEndings, missingTypes, outcomeOf, reminder } from "./ending.ts";
import type { Functions } from "./functions.ts";
import { BAD_CALLS_MAX, CALLS_MAX, LOOP_TURNS } from "./limits.ts";
import { told, type Made } from "./made.ts";
import { makeCalls } from "./make-calls.ts";
import type { Finish } from "./own.ts";
import { phaseOf, progressAt } from "./progress.ts";
import { filesOf, workOf, type TurnRecord } from "./record.ts";
import { turnRecord } from "./write-turn.ts";

/** What a turn has in hand once the model has answered. */
export interface Turn {
  readonly task: Task;
  readonly hands: TurnHands;
  readonly functions: Functions;
  readonly signal: AbortSignal;
  readonly turns: readonly TurnRecord[];
}

/** Makes what the model asked for, and tells what the turn comes to. */
export async function afterAnswer(heard: Heard, turn: Turn): Promise<TurnOutcome> {
  if (heard.calls.length === 0) return afterText(heard, turn);
  const isCutOff = heard.finish === "length";
  const asked = heard.calls.slice(0, CALLS_MAX);
  const calls = await Promise.all(asked.map((call) => readCall(call, isCutOff)));
  const loop = loopIn(turn.turns, calls);
  if (loop !== null)
    return failed(
      `The model loops: it made the same call of ${loop} ${LOOP_TURNS} turns in a row.`,
    );

  const { task, turns } = turn;
  const files = filesOf(turns);
  const others = calls.filter((call) => !isEnding(call));
  const bench = { ...turn, fileNames: new Set(files.map(({ name }) => name)) };
  const { made, question } = await makeCalls(others, bench);
  const paired = others.map((call, place) => ({ call, made: made[place] ?? told("") }));
  const isToldOf = turns.some(({ reminded }) => reminded.includes("deliverables"));
  const added = made.flatMap(({ file }) => (file === null ? [] : [file]));
  const newest = filesOf([{ files }, { files: added }]);
  const missing = isToldOf ? null : missingTypes(task, newest);
  const endings = question === null ? calls.filter(isEnding) : [];
  const judged = judgeEndings(endings, paired, missing);
  const results = new Map(paired.map((one) => [one.call, one.made]));
  const all = calls.map((call) => ({
    call,
    made: judged.told.get(call.id) ?? results.get(call) ?? told(PUT_OFF),
  }));

  const { ending } = judged;
  const isReminded = ending.kind === "none" && ending.isReminded;
  const record = turnRecord(heard, all, {
    remark: tooManyRemark(heard.calls.length),
    reminded: isReminded ? ["deliverables"] : [],
    ...seen(task),
  });
  const bad = badInARow([...turns, record]);
  if (bad >= BAD_CALLS_MAX) return tooManyBad(bad, all);
  const work = workOf(turns.length + 1, record);
  if (question !== null) return { kind: "block", why: "budget", question, work };
  if (ending.kind === "ask")
    return { kind: "block", why: ending.why, question: ending.question, work };
  if (ending.kind === "finish") return handOver(ending.finish, newest, record, turn);
  return onward(
    record,
    all.map((one) => one.made),
    turn,
  );
}

/** An answer without a call: told once how to end the task, it counts as the end the second time. */
async function afterText({ text, reasoning, finish }: Heard, turn: Turn): Promise<TurnOutcome> {
  const { task, turns } = turn;
  const said = text.trim();
  if (said === "" && finish === "content-filter") {
    return failed("The provider's content filter withheld the model's answer.");
  }
  const files = filesOf(turns);
  const last = turns.at(-1);
  const isNudged = last !== undefined && last.reminded.includes("finish");
  const missing = missingTypes(task, files);
  const isFinal = isNudged && said !== "" && finish !== "length";
  const isToldOf = turns.some(({ reminded }) => reminded.includes("deliverables"));
  const reminders = missing.length > 0 && !isToldOf ? [reminder(missing)] : [];
  const remark = [said === "" ? EMPTY : finish === "length" ? CUT_OFF : NO_CALL, ...reminders];
  const record = turnRecord({ text: said, reasoning }, [], {
    remark: isFinal ? null : remark.join("\n"),
    reminded: ["finish", ...(reminders.length > 0 ? (["deliverables"] as const) : [])],
    ...seen(task),
  });
  if (isFinal) {
    const plain = { summary: said, insights: [], recommendations: [], quality: null, review: null };
    return handOver(plain, files, record, turn);
  }
  const bad = badInARow([...turns, record]);
  if (bad >= BAD_CALLS_MAX)
    return failed(`The model gave ${bad} answers in a row that held nothing to work with.`);
  return onward(record, [], turn);
}

const PUT_OFF =
  "Not carried out: the budget is asked about first. Call it again if it is still right.";
const NO_CALL =
  "Your answer called no function, so the task goes on. If the work is done, call finish; else call what you need.";
const CUT_OFF =
  "Your answer reached its limit of tokens before its end. Write less at once, and call a function.";
const EMPTY = "Your answer was empty. Call a function; if the work is done, call finish.";

function tooManyRemark(count: number): string | null {
  if (count <= CALLS_MAX) return null;
  return `You asked for ${count} calls at once; only the first ${CALLS_MAX} were looked at.`;
}

function seen({ answers, reviewComments }: Task): Pick<TurnRecord, "answers" | "comments"> {
  return { answers: answers.length, comments: reviewComments.length };
}

function onward(record: TurnRecord, made: readonly Made[], { task, turns }: Turn): TurnOutcome {
  const number = turns.length + 1;
  const progress = progressAt(number, task.progress);
  return { kind: "progress", progress, phase: phaseOf(number, made), work: workOf(number, record) };
}

/**
 * Where people will look at the work, the turn is written down first: they may send it back, and an
 * outcome leaves nothing behind in the task's work.
 */
async function handOver(
  finish: Finish,
  files: readonly Deliverable[],
  record: TurnRecord,
  { task, hands, turns }: Turn,
): Promise<TurnOutcome> {
  const outcome = outcomeOf(task, finish, files);
  const isSubmitted = finish.review === true;
  if (isSubmitted || mustBeReviewed(task)) {
    const number = turns.length + 1;
    const handedOver = { round: task.round, outcome };
    await hands.progress({
      progress: progressAt(number, task.progress),
      phase: "handing over",
      work: workOf(number, { ...record, handedOver }),
    });
  }
  return { kind: isSubmitted ? "submit" : "complete", outcome };
}

function tooManyBad(
  count: number,
  all: readonly { readonly call: ReadCall; readonly made: Made }[],
): TurnOutcome {
  const last = all.findLast(({ made }) => made.isBad)?.made.result ?? "";
  return failed(
    `The model made ${count} calls in a row that no function could take. The last: ${last}`,
  );
}

function failed(message: string): TurnOutcome {
  return { kind: "fail", error: { code: "AGENT_ERROR", message, retryable: true } };
}
