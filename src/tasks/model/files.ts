import { preview } from "../../kernel/result.ts";
import { FILE_NAME_CHARACTERS_MAX } from "../limits.ts";

/** The key prefix of a task's files in the file store. */
export function taskFilePrefix(taskId: string): string {
  return `tasks/${taskId}/`;
}

/** The key prefix of the files of one attempt. */
export function attemptFilePrefix(taskId: string, attempt: number): string {
  return `${taskFilePrefix(taskId)}${attempt}.`;
}

/** The storage key of a deliverable: task, attempt, review round, writer (if there can be several) and name. */
export function fileKey(
  taskId: string,
  { attempt, round }: { attempt: number; round: number },
  name: string,
  writer: string | null = null,
): string {
  const by = writer === null ? "" : `.${writer}`;
  return `${attemptFilePrefix(taskId, attempt)}${round}${by}/${name}`;
}

/** Whether a string looks like a key from `fileKey`. */
export function isFileKey(text: string): boolean {
  return /^tasks\/[0-9a-f]{64}\//.test(text);
}

/** The file store failed. This is the only platform failure with its own task error code. */
export class FileStoreError extends Error {}

const STEM_CHARACTERS_MAX = 60;
const FALLBACK_STEM = "document";
const DISALLOWED_CHARACTERS = /[^a-z0-9]+/g;
const DIACRITICS = /\p{M}/gu;

/** Converts text to a file name stem that contains only a to z, 0 to 9 and hyphens. */
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

/** Returns a function that makes file names unique. A second report.md becomes report-2.md. */
export function createFileNamer(): (stem: string, extension: string) => string {
  const used = new Set<string>();
  return (stem, extension) => {
    let name = `${stem}.${extension}`;
    for (let place = 2; used.has(name); place += 1) name = `${stem}-${place}.${extension}`;
    used.add(name);
    return name;
  };
}

/** Slashes change the path. Invisible characters and characters that change the text direction can disguise a name. */
const UNSAFE = /[/\\\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Returns what is wrong with a file name, or null. */
export function checkFileName(name: string): string | null {
  const isName = name !== "" && name !== "." && name !== "..";
  if (isName && name.length <= FILE_NAME_CHARACTERS_MAX && !UNSAFE.test(name)) return null;
  const rule = `must be a file name of 1 to ${FILE_NAME_CHARACTERS_MAX} characters, other than "." and "..", without slashes or control characters`;
  return `${rule}, got ${preview(name)}`;
}
