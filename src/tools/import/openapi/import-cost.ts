import { IMPORT_PARAMETERS_BYTES_MAX } from "../../limits.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";

/** How much may be copied out of a document; references can name more than it has bytes. */
export interface CopyAllowance {
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

export function createCopyAllowance(): CopyAllowance {
  let spent = 0;

  function spend(entries: number): boolean {
    spent += entries;
    return spent <= ENTRIES_MAX;
  }

  return {
    spendOn(object) {
      let entries = 1;
      for (const [key, value] of Object.entries(object)) {
        entries +=
          1 + computeTextWeight(key) + (typeof value === "string" ? computeTextWeight(value) : 0);
      }
      return spend(entries);
    },
    spendOnAll: (value) => spend(countEntries(value)),
    isSpent: () => spent > ENTRIES_MAX,
  };
}

/** Documents are at most a hundred levels deep, so this can recurse. */
function countEntries(value: Json): number {
  if (typeof value === "string") return 1 + computeTextWeight(value);
  let entries = 1;
  if (Array.isArray(value)) {
    for (const item of value) entries += countEntries(item);
  } else if (isJsonObject(value)) {
    for (const [key, inside] of Object.entries(value))
      entries += computeTextWeight(key) + countEntries(inside);
  }
  return entries;
}

function computeTextWeight(text: string): number {
  return Math.floor(text.length / ENTRY_CHARACTERS);
}

/** What an import has done so far, whether it was of use or not. */
export interface ImportCost {
  /** Written parameters, in bytes of memory, roughly. */
  bytes: number;
  /** References followed to measure schemas. */
  steps: number;
}

/** A million take a third of a second; GitHub's document takes 8,000. */
const STEPS_MAX = 6_000_000;
/** An object or a field with hardly a character in it takes about this much. */
const ENTRY_BYTES = 50;

export function createImportCost(): ImportCost {
  return { bytes: 0, steps: 0 };
}

export function isOverImportCost({ bytes, steps }: ImportCost): boolean {
  return bytes > IMPORT_PARAMETERS_BYTES_MAX || steps > STEPS_MAX;
}

/** The memory that the value of a JSON text takes, roughly. */
export function estimateMemoryBytes(json: string): number {
  let entries = 0;
  for (const character of json) if (character === "{" || character === ":") entries += 1;
  return json.length + ENTRY_BYTES * entries;
}
