const LABEL_CHARACTERS_MAX = 80;
/** Non-printing characters, and marks that change the text direction. */
const UNPRINTABLE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;
const SPACES = /[\s\u2028\u2029]+/g;

/**
 * Converts user text to one printable line of at most `charactersMax` characters. Longer text is cut and ends in "…".
 */
export function toSingleLine(text: string, charactersMax: number): string {
  const line = text
    .slice(0, 10 * charactersMax)
    .replace(SPACES, " ")
    .replace(UNPRINTABLE, "")
    .trim();
  const characters = Array.from(line);
  if (characters.length <= charactersMax) return line;
  return `${characters
    .slice(0, charactersMax - 1)
    .join("")
    .trimEnd()}…`;
}

/** Formats a column name or value for use in a sentence. */
export function formatLabel(name: string | number | boolean): string {
  return toSingleLine(String(name), LABEL_CHARACTERS_MAX) || "(blank)";
}

/** "1 row", "344 rows". */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** "a", "a and b", "a, b and c". */
export function formatList(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

export function capitalize(text: string): string {
  const [first = ""] = text;
  return first.toUpperCase() + text.slice(first.length);
}

/**
 * Makes text from another system safe to store and show: fixes malformed Unicode, removes control characters except
 * tabs and line feeds, and truncates the text. Its length is measured in UTF-16 code units, so the result also fits
 * limits that count code points.
 */
export function sanitizeText(text: string, charactersMax: number): string {
  const sanitized = text
    // Limits the work if the text is very long.
    .slice(0, 2 * charactersMax + 2)
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- exactly these are removed
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "")
    .trim();
  if (sanitized.length <= charactersMax) return sanitized;
  // Do not split a surrogate pair.
  return `${sanitized.slice(0, charactersMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The 32-bit FNV-1a hash of a string's UTF-16 code units. Hashes are stored, so the function must never change. */
export function hashText(text: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  }
  return hash >>> 0;
}

const UNITS: readonly (readonly [letter: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
];

/**
 * Formats a duration for people: the two largest units, without zero parts.
 * @example formatDuration(850) // "850ms"
 * @example formatDuration(200_000) // "3m 20s"
 */
export function formatDuration(durationMs: number): string {
  const wholeMs = Math.max(0, Math.round(durationMs));
  if (wholeMs < 1_000) return `${wholeMs}ms`;
  const first = UNITS.findIndex(([, ms]) => wholeMs >= ms);
  let restMs = wholeMs;
  const parts: string[] = [];
  for (const [letter, ms] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(restMs / ms);
    restMs -= count * ms;
    if (count > 0) parts.push(`${count}${letter}`);
  }
  return parts.join(" ");
}

/** Converts a time in milliseconds since 1970 to ISO 8601. Null stays null. */
export function toIsoTime(at: number): string;
export function toIsoTime(at: number | null): string | null;
export function toIsoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
