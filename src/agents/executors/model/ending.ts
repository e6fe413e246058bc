import type { BlockKind, Deliverable, Outcome, Task } from "../../../domain/task.ts";
import { NOTES_CHARACTERS_MAX } from "../../../domain/limits.ts";
import { validate } from "../../../http/validate.ts";
import type { ReadCall } from "./asked.ts";
import { bad, problemText, told, type Made } from "./made.ts";
import { askShape, finishShape, type Finish } from "./own.ts";
import { wantedWord } from "./deliver.ts";

/** What a turn's `ask` and `finish` come to. */
export type Ending =
  | { readonly kind: "none"; readonly isReminded: boolean }
  | { readonly kind: "ask"; readonly why: BlockKind; readonly question: string }
  | { readonly kind: "finish"; readonly finish: Finish };

const GO_ON: Ending = { kind: "none", isReminded: false };

/** Whether a call ends the turn rather than being made in it. */
export function isEnding({ name }: Pick<ReadCall, "name">): boolean {
  return name === "ask" || name === "finish";
}

/**
 * Judges the endings among a turn's calls, and what the model is told of each, by its id. `made` are its other
 * calls, `missing` the kinds of files that were asked for and are not there; null once it was told of them.
 */
export function judgeEndings(
  calls: readonly ReadCall[],
  made: readonly { readonly call: ReadCall; readonly made: Made }[],
  missing: readonly string[] | null,
): { readonly ending: Ending; readonly told: ReadonlyMap<string, Made> } {
  const results = new Map<string, Made>();
  let ending: Ending = GO_ON;
  for (const call of calls.filter(({ name }) => name === "ask")) {
    const asked = judgeAsk(call);
    if ("result" in asked) results.set(call.id, asked);
    else if (ending.kind === "ask") results.set(call.id, told(ONE_QUESTION));
    else {
      ending = asked;
      results.set(call.id, { ...told("People have been asked."), isOk: true });
    }
  }
  for (const call of calls.filter(({ name }) => name === "finish")) {
    if (ending.kind === "ask") {
      results.set(call.id, told(ASKED_FIRST));
      continue;
    }
    const judged = judgeFinish(call, made, missing);
    results.set(call.id, judged.told);
    if (judged.ending.kind !== "none" || judged.ending.isReminded) ending = judged.ending;
  }
  return { ending, told: results };
}

const ONE_QUESTION = "Not asked: one question at a time. Put all you need to know into one.";
const ASKED_FIRST = "Not finished: you have asked people. Finish once they have answered.";
const UNSEEN =
  "Not finished yet: you have not seen what came of the calls beside it. Look at their results, then call finish by itself.";
const FINISHED = "The work was handed over.";

function judgeAsk(call: ReadCall): Made | Extract<Ending, { kind: "ask" }> {
  if (call.problem !== null) return bad(call.problem);
  const read = validate(askShape, call.input);
  if (!read.ok) return bad(problemText("ask", read.failure));
  const { question, kind } = read.value;
  return { kind: "ask", why: kind ?? "input", question };
}

function judgeFinish(
  call: ReadCall,
  made: readonly { readonly call: ReadCall; readonly made: Made }[],
  missing: readonly string[] | null,
): { ending: Ending; told: Made } {
  if (call.problem !== null) return { ending: GO_ON, told: bad(call.problem) };
  const read = validate(finishShape, call.input);
  if (!read.ok) return { ending: GO_ON, told: bad(problemText("finish", read.failure)) };
  const isSeen = made.every((one) => one.call.name === "deliver_file" && one.made.isOk);
  if (!isSeen) return { ending: GO_ON, told: told(UNSEEN) };
  if (missing !== null && missing.length > 0) {
    return { ending: { kind: "none", isReminded: true }, told: told(reminder(missing)) };
  }
  return { ending: { kind: "finish", finish: read.value }, told: told(FINISHED) };
}

export function reminder(missing: readonly string[]): string {
  return `Files of these types were asked for and are not there: ${missing.join(", ")}. Write them with deliver_file and finish again; or finish again without them, and say why.`;
}

/** The kinds of files that were asked for, of which there is none. */
export function missingTypes(
  { deliverableTypes }: Pick<Task, "deliverableTypes">,
  files: readonly Deliverable[],
): string[] {
  return deliverableTypes.filter(
    (wanted) => !files.some(({ type }) => wantedWord(type, [wanted]) === wanted),
  );
}

/** What is handed over; what is missing of it is said in the summary, whether the model has said so or not. */
export function outcomeOf(
  task: Task,
  { summary, insights, recommendations, quality }: Omit<Finish, "review">,
  files: readonly Deliverable[],
): Outcome {
  const missing = missingTypes(task, files);
  const short = summary.slice(0, NOTES_CHARACTERS_MAX).toWellFormed();
  return {
    result: {
      summary: missing.length === 0 ? short : `${short}\n\nNot delivered: ${missing.join(", ")}.`,
      insights: insights.map((text) => text.toWellFormed()),
      recommendations: recommendations.map((text) => text.toWellFormed()),
    },
    quality: quality ?? null,
    deliverables: files,
  };
}
