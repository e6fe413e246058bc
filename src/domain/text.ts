import { EVENT_TITLE_CHARACTERS_MAX } from "./limits.ts";

/** The beginning of a task's text, in one line. */
export function titleOf(task: string): string {
  return cut(task.replaceAll(/\s+/g, " "), EVENT_TITLE_CHARACTERS_MAX);
}

/**
 * A text of another system as it can be stored and shown: well-formed, without control characters, cut.
 * Characters are UTF-16 units: at least as many as the code points that limits of input go by.
 */
export function cut(text: string, charactersMax: number): string {
  const tidy = text
    // Twice as much as can be shown is enough to cut from.
    .slice(0, 2 * charactersMax + 2)
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- exactly these are taken out
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "")
    .trim();
  if (tidy.length <= charactersMax) return tidy;
  // A character of two units goes as a whole.
  return `${tidy.slice(0, charactersMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
