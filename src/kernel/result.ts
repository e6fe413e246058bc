/** An expected outcome: a value, or a failure that the caller must handle. Only bugs and outages throw. */
export type Result<Value, Failed> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failed };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function fail<Failed>(failure: Failed): { readonly ok: false; readonly failure: Failed } {
  return { ok: false, failure };
}

/** A problem with one input field. `path` is the field (`context.data[3]`); `message` says what is wrong with it. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Long enough for a task id in quotes. */
const PREVIEW_CHARACTERS_MAX = 80;

/** Formats a value for a message: as JSON, truncated to 80 characters. */
export function preview(value: unknown): string {
  const text =
    value === undefined ? "nothing" : (JSON.stringify(value) ?? "a value that is not JSON");
  const characters = Array.from(text.slice(0, 2 * PREVIEW_CHARACTERS_MAX));
  if (characters.length <= PREVIEW_CHARACTERS_MAX) return characters.join("");
  return `${characters.slice(0, PREVIEW_CHARACTERS_MAX).join("")}…`;
}

/** Prefixes the paths of problems with `field`. */
export function prefixProblems(field: string, problems: readonly Problem[]): Problem[] {
  return problems.map(({ path, message }) => ({ path: `${field}.${path}`, message }));
}
