import { checkLength } from "../checks.ts";
import type { TextFindings } from "../findings.ts";
import { counted, listed } from "../wording.ts";
import { insight, type Insight } from "./insight.ts";

const TERMS_MAX = 5;

export function textInsights(text: TextFindings): Insight[] {
  const { readability, keywords, extract } = text;
  const insights: Insight[] = [];
  if (readability !== null) {
    const { words, sentences, fleschReadingEase, level, readingTime } = readability;
    const time = readingTime === null ? "" : `, a reading time of ${readingTime}`;
    const length = `The text has ${counted(words, "word")} in ${counted(sentences, "sentence")}${time}`;
    insights.push(insight(length, checkLength(text), true));
    if (fleschReadingEase !== null) {
      const ease = `Flesch reading ease of the text is ${fleschReadingEase} (${level})`;
      insights.push(insight(ease, "unchecked", true));
    }
  }
  if (keywords !== null && keywords.keywords.length > 0) {
    const terms = keywords.keywords
      .slice(0, TERMS_MAX)
      .map(({ term, count }) => `${term} (${count})`);
    const told = `Keywords of the text, with counts, are ${listed(terms)}`;
    insights.push(insight(told, "unchecked", true));
  }
  for (const { position, text: sentence } of extract?.sentences ?? []) {
    insights.push(insight(`Central sentence ${position}: "${sentence}"`, null));
  }
  return insights;
}
