import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";

/** How much may be copied out of a document; references can name more than it has bytes. */
export interface Allowance {
  /** For an object whose insides are paid for by themselves; false when there is no more room. */
  spendOn(object: JsonObject): boolean;
  /** For a value with all that is in it. */
  spendOnAll(value: Json): boolean;
  isSpent(): boolean;
}

/** Stripe's requests take 80,000. An entry is held three times for a moment, 60 bytes at least each. */
const ENTRIES_MAX = 200_000;
/** Text that weighs as much as an entry. */
const ENTRY_CHARACTERS = 100;

export function newAllowance(): Allowance {
  let spent = 0;

  function spend(entries: number): boolean {
    spent += entries;
    return spent <= ENTRIES_MAX;
  }

  return {
    spendOn(object) {
      let entries = 1;
      for (const [key, value] of Object.entries(object)) {
        entries += 1 + lengthOf(key) + (typeof value === "string" ? lengthOf(value) : 0);
      }
      return spend(entries);
    },
    spendOnAll: (value) => spend(entriesIn(value)),
    isSpent: () => spent > ENTRIES_MAX,
  };
}

/** Documents are at most a hundred levels deep, so this can recurse. */
function entriesIn(value: Json): number {
  if (typeof value === "string") return 1 + lengthOf(value);
  let entries = 1;
  if (Array.isArray(value)) {
    for (const item of value) entries += entriesIn(item);
  } else if (isJsonObject(value)) {
    for (const [key, inside] of Object.entries(value)) entries += lengthOf(key) + entriesIn(inside);
  }
  return entries;
}

function lengthOf(text: string): number {
  return Math.floor(text.length / ENTRY_CHARACTERS);
}
