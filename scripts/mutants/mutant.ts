import type { Promised } from "./promises.ts";

/** A change that disables one protection. At least one of the listed tests must then fail. */
export interface Mutant {
  readonly name: string;
  readonly promise: Promised;
  /** The property that the change breaks. */
  readonly protects: string;
  readonly file: string;
  /** The code of the protection, which must appear exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The one or two fastest test files that detect the change. */
  readonly tests: readonly string[];
  /** Matches the tests to run, if other tests in the files are slow or would send real requests. */
  readonly only?: RegExp;
}

/** The source without the protection. Throws an error if `find` does not appear exactly once. */
export function mutated(source: string, { name, file, find, replace }: Mutant): string {
  const places = source.split(find).length - 1;
  if (places === 1) return source.replace(find, () => replace);
  throw new Error(
    `${name}: this code must appear exactly once in ${file}, but appears ${places} times:\n${find}`,
  );
}
