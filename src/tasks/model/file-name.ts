import { FILE_NAME_CHARACTERS_MAX } from "../limits.ts";
import { preview } from "../../kernel/problem.ts";

const STEM_CHARACTERS_MAX = 60;
const FALLBACK_STEM = "document";
const DISALLOWED_CHARACTERS = /[^a-z0-9]+/g;
const DIACRITICS = /\p{M}/gu;

/** A word as the first part of a file's name: a to z, digits and hyphens only. */
export function toFileStem(word: string): string {
  const stem = word
    .slice(0, 10 * STEM_CHARACTERS_MAX)
    .normalize("NFKD")
    .replace(DIACRITICS, "")
    .toLowerCase()
    .replace(DISALLOWED_CHARACTERS, "-")
    .slice(0, STEM_CHARACTERS_MAX)
    .replace(/^-|-$/g, "");
  return stem === "" ? FALLBACK_STEM : stem;
}

/** Gives every file a name of its own: a second report.md becomes report-2.md. */
export function createFileNamer(): (stem: string, extension: string) => string {
  const used = new Set<string>();
  return (stem, extension) => {
    let name = `${stem}.${extension}`;
    for (let place = 2; used.has(name); place += 1) name = `${stem}-${place}.${extension}`;
    used.add(name);
    return name;
  };
}

/** Slashes lead elsewhere; what cannot be seen, or turns the text around it, shows another name. */
const UNSAFE = /[/\\\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** What is wrong with the name of a file that is to be stored and downloaded, or null. */
export function checkFileName(name: string): string | null {
  const isName = name !== "" && name !== "." && name !== "..";
  if (isName && name.length <= FILE_NAME_CHARACTERS_MAX && !UNSAFE.test(name)) return null;
  const rule = `must be a file's name of 1 to ${FILE_NAME_CHARACTERS_MAX} characters, without slashes and control characters, and not . or ..`;
  return `${rule}, got ${preview(name)}`;
}
