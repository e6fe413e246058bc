import type { Artifact, Message } from "@a2a-js/sdk";
import type { A2aExecutor } from "../../../domain/agent.ts";
import { A2A_TEXT_CHARACTERS_MAX } from "../../../domain/limits.ts";
import type { TurnHands, TurnOutcome, TurnWork } from "../contract.ts";
import { storeFiles } from "./files.ts";
import { lookOnce, type Heard, type Talk } from "./follow.ts";
import { workOf } from "./held.ts";
import { outcomeOf } from "./outcome.ts";
import { pauseMs } from "./pace.ts";
import { Sight } from "./sight.ts";
import { failed, troubled } from "./trouble.ts";
import { textOf, wordsOf } from "./words.ts";

type Work = Pick<TurnWork<A2aExecutor>, "taskId" | "task" | "secret" | "signal">;

/** What a turn comes to whose talk met no fault. */
export async function concluded(
  came: Exclude<Heard, { kind: "fault" }>,
  talk: Talk,
  work: Work,
  hands: TurnHands,
): Promise<TurnOutcome> {
  const { sight, log } = talk;
  const { meaning, message, reply } = sight;
  const { held } = log;
  if (came.kind !== "settled") return again(held.since);
  if (reply !== null) return completed(reply, [], talk, work, hands);
  switch (meaning?.kind) {
    case undefined:
    case "going":
      return again(held.since);
    case "asks":
      return {
        kind: "block",
        why: meaning.why,
        question: wordsOf(message) || meaning.otherwise,
        work: workOf({ ...held, asked: sight.mark }),
      };
    case "over": {
      const words = wordsOf(message);
      return failed(
        words === "" ? meaning.otherwise : `${meaning.lead}${words}`,
        meaning.retryable,
      );
    }
    case "done": {
      const whole = came.by === "look" ? sight : await wholeOf(talk);
      if (whole instanceof Sight) {
        return completed(whole.message, [...whole.artifacts.values()], talk, work, hands);
      }
      if (sight.artifacts.size === 0) return troubled(work, held, whole.fault, true);
      return completed(message, [...sight.artifacts.values()], talk, work, hands);
    }
  }
}

/**
 * The task as the agent keeps it, which is surer than what was put together from a stream: chunks
 * can come twice or in another order. Where it keeps less than it has sent, what it has sent counts.
 */
async function wholeOf(talk: Talk): Promise<Sight | Extract<Heard, { kind: "fault" }>> {
  const { sight } = talk;
  const whole = new Sight(sight.taskId, null);
  const seen =
    sight.taskId === null ? null : await lookOnce({ ...talk, sight: whole }, sight.taskId);
  if (seen?.kind === "fault") return seen;
  const isWhole = whole.state === sight.state && whole.artifacts.size >= sight.artifacts.size;
  return isWhole ? whole : sight;
}

async function completed(
  message: Message | null,
  artifacts: readonly Artifact[],
  { line, sight }: Talk,
  { task, signal }: Work,
  hands: TurnHands,
): Promise<TurnOutcome> {
  const wanted = task.deliverableTypes;
  const text = textOf(message?.parts ?? []);
  const isAnswer =
    sight.reply !== null || wanted.length > 0 || text.length > A2A_TEXT_CHARACTERS_MAX;
  // Where there is nothing but a message, it is what was made.
  const made =
    artifacts.length === 0 && message !== null && isAnswer ? [answerOf(message)] : artifacts;
  const stored = await storeFiles(made, wanted, { line, hands, signal });
  return { kind: "complete", outcome: outcomeOf(message, artifacts, stored) };
}

function answerOf({ messageId, parts, extensions }: Message): Artifact {
  return {
    artifactId: messageId,
    name: "answer",
    description: "",
    parts: parts.map((part) => part),
    metadata: undefined,
    extensions,
  };
}

function again(since: number): TurnOutcome {
  return { kind: "again", afterMs: pauseMs(Date.now() - since), fault: null };
}
