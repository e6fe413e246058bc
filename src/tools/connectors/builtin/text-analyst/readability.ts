import type { JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { humanDuration } from "../../../../domain/duration.ts";
import { readableText } from "./parameters.ts";

/** Silent reading of English non-fiction (Brysbaert, 2019). */
const WORDS_PER_MINUTE = 238;
const SECONDS_PER_MINUTE = 60;
const MS_PER_SECOND = 1_000;

/**
 * `{text}` → `{words, sentences, syllables, fleschReadingEase, fleschKincaidGrade, gunningFog,
 * smog, colemanLiau, automatedReadability, level, readingTime, notes}`; what needs Latin letters is
 * null for a text in another script.
 */
export async function readability(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const text = readableText(parameters["text"]);
  if (!text.ok) return fail([text.failure]);
  const [{ countsOf }, { figuresOf, NO_FIGURES }, { notesOn }] = await Promise.all([
    import("./reading-counts.ts"),
    import("./reading-figures.ts"),
    import("./reading-notes.ts"),
  ]);
  const counts = countsOf(text.value);
  const { words, sentences, syllables, latin } = counts;
  return ok({
    words,
    sentences,
    ...(latin ? { syllables, ...figuresOf(counts) } : { syllables: null, ...NO_FIGURES }),
    readingTime: latin ? readingTimeOf(words) : null,
    notes: notesOn(counts),
  });
}

function readingTimeOf(words: number): string {
  const seconds = Math.ceil((words / WORDS_PER_MINUTE) * SECONDS_PER_MINUTE);
  return humanDuration(seconds * MS_PER_SECOND);
}
