import type { Promised } from "./promises.ts";

/** A change that disables one protection: the listed tests must then fail. */
export interface Mutant {
  readonly name: string;
  readonly promise: Promised;
  /** The property that no longer holds. */
  readonly protects: string;
  readonly file: string;
  /** The code of the protection, which occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** One or two test files, the fastest that detect the change. */
  readonly tests: readonly string[];
  /** The tests to run, if others in the files are slow or would send real requests. */
  readonly only?: RegExp;
}

/** The file's text without the protection. Throws if the text does not occur exactly once. */
export function mutated(source: string, { name, file, find, replace }: Mutant): string {
  const places = source.split(find).length - 1;
  if (places === 1) return source.replace(find, () => replace);
  throw new Error(
    `${name}: this code must occur exactly once in ${file}, but occurs ${places} times:\n${find}`,
  );
}
