import type { Message, Part } from "@a2a-js/sdk";
import { A2A_TEXT_CHARACTERS_MAX } from "../../../domain/limits.ts";
import { cut } from "../../../domain/text.ts";

/** The text in the parts of a message; of an artifact, whose parts are pieces of a stream, with "" between. */
export function textOf(parts: readonly Part[], separator: "\n" | "" = "\n"): string {
  return parts
    .flatMap(({ content }) => (content?.$case === "text" ? [content.value] : []))
    .join(separator)
    .trim();
}

/** What an agent says to people: its text, with data and links written out; bounded, "" for nothing. */
export function wordsOf(message: Message | null): string {
  const words = (message?.parts ?? []).flatMap(({ content }) => {
    switch (content?.$case) {
      case "text":
      case "url":
        return [content.value];
      case "data":
        return [JSON.stringify(content.value, null, 2) ?? ""];
      case "raw":
      case undefined:
        return [];
    }
  });
  return cut(words.join("\n"), A2A_TEXT_CHARACTERS_MAX);
}
