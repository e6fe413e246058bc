import type { JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { toFourDigits } from "../figures.ts";
import { countUpTo, readableText } from "./parameters.ts";

const LIMIT_MAX = 50;
const LIMIT_DEFAULT = 10;
/** Ranking more takes longer than a second and changes little. */
const CONTENT_WORDS_MAX = 50_000;

/**
 * `{text, limit?}` → `{keywords: [{term, count, score}], words, language, method, notes}`, best
 * first; `words` is the number of words and `language` a BCP 47 tag, "und" when it does not show.
 */
export async function keywords(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const text = readableText(parameters["text"]);
  const limit = countUpTo("limit", parameters["limit"], LIMIT_MAX, LIMIT_DEFAULT);
  if (!text.ok || !limit.ok) {
    return fail([text, limit].flatMap((part) => (part.ok ? [] : [part.failure])));
  }
  const [{ wordsOf }, { languageOf }, { contentWordsOf }, { rankKeywords }] = await Promise.all([
    import("./words.ts"),
    import("./languages.ts"),
    import("./content-words.ts"),
    import("./rank-keywords.ts"),
  ]);
  const words = Array.from(wordsOf(text.value));
  const language = languageOf(words);
  const content = contentWordsOf(words, language);
  const ranked = rankKeywords(content.slice(0, CONTENT_WORDS_MAX)).slice(0, limit.value);
  return ok({
    keywords: ranked.map(({ term, count, score }) => ({ term, count, score: toFourDigits(score) })),
    words: words.length,
    language: language.code,
    method: "TextRank",
    notes: notesOn(language.code, content.length),
  });
}

function notesOn(language: string, contentWords: number): string[] {
  const notes: string[] = [];
  if (language === "und") {
    notes.push(
      "The language could not be told from the text; English stop words and stems were used.",
    );
  } else if (language !== "en") {
    notes.push("Inflections are counted together in English only.");
  }
  if (contentWords > CONTENT_WORDS_MAX) {
    const most = CONTENT_WORDS_MAX.toLocaleString("en-US");
    notes.push(
      `Only the first ${most} of ${contentWords.toLocaleString("en-US")} content words were ranked.`,
    );
  }
  return notes;
}
