import { IMPORT_WEIGHT_BYTES_MAX } from "../../../domain/limits.ts";

/** What an import has done so far, whether it was of use or not. */
export interface Work {
  /** Written parameters, in bytes of memory, roughly. */
  bytes: number;
  /** References followed to measure schemas. */
  steps: number;
}

/** A million take a third of a second; GitHub's document takes 8,000. */
const STEPS_MAX = 6_000_000;
/** An object or a field with hardly a character in it takes about this much. */
const ENTRY_BYTES = 50;

export function newWork(): Work {
  return { bytes: 0, steps: 0 };
}

export function isTooMuch({ bytes, steps }: Work): boolean {
  return bytes > IMPORT_WEIGHT_BYTES_MAX || steps > STEPS_MAX;
}

/** The memory that the value of a JSON text takes, roughly. */
export function weightOf(json: string): number {
  let entries = 0;
  for (const character of json) if (character === "{" || character === ":") entries += 1;
  return json.length + ENTRY_BYTES * entries;
}
