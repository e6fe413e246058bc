import { DESCRIPTION_CHARACTERS_MAX } from "../../../domain/limits.ts";

/** The trimmed text, or its beginning with an ellipsis; never cut inside a character. */
export function cut(text: string, charactersMax: number): string {
  // Documents can hold megabytes of blanks, and refer to them again and again.
  const beginning = text.slice(0, 2 * charactersMax).trim();
  if (beginning.length <= charactersMax) return beginning;
  return `${beginning.slice(0, charactersMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** A description as agents read it. */
export function described(text: string, isDeprecated: boolean): string {
  const mark = isDeprecated ? "Deprecated. " : "";
  return `${mark}${cut(text, DESCRIPTION_CHARACTERS_MAX - mark.length)}`.trim();
}

/** Whether a JSON text holds U+0000 or half a character, which not every store and system takes. */
export function hasUnfitText(json: string): boolean {
  return /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json);
}
