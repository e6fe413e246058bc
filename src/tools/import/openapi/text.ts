/** Descriptions are read by agents, whose attention costs; the documentation has the rest. */
export const DESCRIPTION_CHARACTERS_MAX = 2_000;

/** The text, or its beginning with an ellipsis; never cut inside a character. */
export function cut(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  return `${text.slice(0, charactersMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Whether a JSON text holds U+0000 or half a character, which not every store and system takes. */
export function hasUnfitText(json: string): boolean {
  return /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json);
}
