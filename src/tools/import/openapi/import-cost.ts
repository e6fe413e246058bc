import { IMPORT_PARAMETERS_BYTES_MAX } from "../../limits.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";

/** Limits how much is copied from a document; references can name more than it has bytes. */
export interface CopyAllowance {
  /** Charges for an object without nested values; false if the limit is exceeded. */
  spendOn(object: JsonObject): boolean;
  /** Charges for a value with everything in it. */
  spendOnAll(value: Json): boolean;
  isSpent(): boolean;
}

/** Stripe's requests need 80,000. An entry exists three times for a moment, at least 60 bytes each. */
const ENTRIES_MAX = 200_000;
/** The characters of text that cost as much as an entry. */
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

/** Documents have at most a hundred levels, so recursion is safe. */
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

/** The work of an import so far. */
export interface ImportCost {
  /** The approximate memory of the parameters, in bytes. */
  bytes: number;
  /** References followed to measure schemas. */
  steps: number;
}

/** A million take a third of a second; GitHub's document needs 8,000. */
const STEPS_MAX = 6_000_000;
/** The approximate memory of an object or a field without its text. */
const ENTRY_BYTES = 50;

export function createImportCost(): ImportCost {
  return { bytes: 0, steps: 0 };
}

export function isOverImportCost({ bytes, steps }: ImportCost): boolean {
  return bytes > IMPORT_PARAMETERS_BYTES_MAX || steps > STEPS_MAX;
}

/** The approximate memory of the value of a JSON text. */
export function estimateMemoryBytes(json: string): number {
  let entries = 0;
  for (const character of json) if (character === "{" || character === ":") entries += 1;
  return json.length + ENTRY_BYTES * entries;
}
