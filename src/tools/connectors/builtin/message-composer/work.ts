/**
 * The unit in which rendering a template is metered: about ten nanoseconds of work. Workers freeze
 * their clock while code runs, so liquidjs's own time limit cannot stop a loop there.
 */
export const WORK_UNITS_MAX = 50_000_000;

/** One tag, output or piece of text (about two microseconds, measured). */
export const NODE_UNITS = 200;

const KEY_UNITS = 10;
const SCANNED_PER_UNIT = 16;

const keyCounts = new WeakMap<object, number>();
const sizes = new WeakMap<object, number>();

/** What scanning or copying `value` once costs: its characters, items or keys. */
export function scanWork(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length / SCANNED_PER_UNIT;
  if (typeof value !== "object" || value === null) return 0;
  return keyCount(value) * KEY_UNITS;
}

/** What looking for a text in another costs at worst, when it nearly matches at each position. */
export function searchWork(textCharacters: number, patternCharacters: number): number {
  return (textCharacters * patternCharacters) / SCANNED_PER_UNIT;
}

/**
 * About how many characters `value` takes as text, its items and properties counted as often as
 * they are reached; each array and object is measured once (they never change while rendering).
 */
export function textSize(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 1;
  for (const [key, item] of Object.entries(value)) {
    size += (Array.isArray(value) ? 1 : key.length) + textSize(item);
  }
  sizes.set(value, size);
  return size;
}

function keyCount(value: object): number {
  const known = keyCounts.get(value);
  if (known !== undefined) return known;
  const count = Object.keys(value).length;
  keyCounts.set(value, count);
  return count;
}
