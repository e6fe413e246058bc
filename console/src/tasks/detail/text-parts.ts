/** A text by someone else, such as an agent's name. It is shown so that its direction does not affect the sentence. */
export interface ForeignText {
  readonly foreign: string;
}

/** A sentence that may contain texts by others. */
export type Sentence = readonly (string | ForeignText)[];

export function foreign(text: string): ForeignText {
  return { foreign: text };
}

export function plainText(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === "string" ? part : part.foreign)).join("");
}

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB"] as const;

/** A size in its largest unit: "512 B", "1.8 KiB". */
export function formatBytes(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${BYTE_UNITS[power]}`;
}
