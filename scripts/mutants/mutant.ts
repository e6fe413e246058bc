import type { Promised } from "./promises.ts";

/** One protection turned off: the tests named with it must then fail. */
export interface Mutant {
  readonly name: string;
  readonly promise: Promised;
  /** What no longer holds once it is off. */
  readonly protects: string;
  readonly file: string;
  /** The protection as the file has it, exactly once. */
  readonly find: string;
  readonly replace: string;
  /** One or two, as quick as there are. */
  readonly tests: readonly string[];
  /** The names of their tests that are run, where others would be slow, or send what nothing guards any more. */
  readonly only?: RegExp;
}

/** The file's text without the protection. Throws where the text is not there exactly once. */
export function mutated(source: string, { name, file, find, replace }: Mutant): string {
  const places = source.split(find).length - 1;
  if (places === 1) return source.replace(find, () => replace);
  throw new Error(
    `${name}: its text must stand once in ${file}, and does ${places} times:\n${find}`,
  );
}
