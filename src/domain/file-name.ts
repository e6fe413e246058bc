import { FILE_NAME_CHARACTERS_MAX } from "./limits.ts";
import { shown } from "./problem.ts";

/** Slashes lead elsewhere; what cannot be seen, or turns the text around it, shows another name. */
const UNSAFE = /[/\\\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** What is wrong with the name of a file that is to be stored and downloaded, or null. */
export function fileNameProblem(name: string): string | null {
  const isName = name !== "" && name !== "." && name !== "..";
  if (isName && name.length <= FILE_NAME_CHARACTERS_MAX && !UNSAFE.test(name)) return null;
  const rule = `must be a file's name of 1 to ${FILE_NAME_CHARACTERS_MAX} characters, without slashes and control characters, and not . or ..`;
  return `${rule}, got ${shown(name)}`;
}
