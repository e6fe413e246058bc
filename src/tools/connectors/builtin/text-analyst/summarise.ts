import type { JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { toFourDigits } from "../figures.ts";
import { countUpTo, readableText } from "./parameters.ts";

const SENTENCES_MAX = 20;
const SENTENCES_DEFAULT = 3;
/** Comparing every pair of more takes longer than a second; what counts tends to come first. */
const RANKED_MAX = 400;

/**
 * `{text, sentences?}` → `{summary, sentences: [{position, text, score}], ofSentences, method,
 * notes}`: the best sentences in the order of the text; positions count from 1.
 */
export async function summarise(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const text = readableText(parameters["text"]);
  const most = countUpTo("sentences", parameters["sentences"], SENTENCES_MAX, SENTENCES_DEFAULT);
  if (!text.ok || !most.ok) {
    return fail([text, most].flatMap((part) => (part.ok ? [] : [part.failure])));
  }
  const [{ sentencesOf }, { stemsOf }, { rankSentences }] = await Promise.all([
    import("./sentences.ts"),
    import("./sentence-stems.ts"),
    import("./rank-sentences.ts"),
  ]);
  const all = sentencesOf(text.value);
  const read = distinct(all).slice(0, RANKED_MAX);
  const ranks = rankSentences(stemsOf(read.map((sentence) => sentence.text)));
  const chosen = read
    .map((sentence, index) => ({ ...sentence, rank: ranks[index] ?? 0 }))
    .toSorted((one, other) => other.rank - one.rank || one.position - other.position)
    .slice(0, most.value)
    .toSorted((one, other) => one.position - other.position);
  return ok({
    summary: chosen.map((sentence) => sentence.text).join(" "),
    sentences: chosen.map(({ rank, ...sentence }) => ({ ...sentence, score: toFourDigits(rank) })),
    ofSentences: all.length,
    method: "TextRank",
    notes: notesOn(read.at(-1)?.position ?? 0, all.length),
  });
}

/** Each sentence where it first stands; a repeated one would vote for itself. */
function distinct(sentences: readonly string[]): { position: number; text: string }[] {
  const positions = new Map<string, number>();
  sentences.forEach((text, index) => {
    if (!positions.has(text)) positions.set(text, index + 1);
  });
  return Array.from(positions, ([text, position]) => ({ position, text }));
}

function notesOn(read: number, sentences: number): string[] {
  if (read < RANKED_MAX || read === sentences) return [];
  const [first, all] = [read, sentences].map((count) => count.toLocaleString("en-US"));
  return [`Only the first ${first} of ${all} sentences were read.`];
}
