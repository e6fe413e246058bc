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

/** "1 file", "2 files". */
export function count(amount: number, singular: string, plural = `${singular}s`): string {
  return `${amount.toLocaleString("en")} ${amount === 1 ? singular : plural}`;
}

/** An amount of US dollars: "$0", "$0.0031", "$1.25". */
export function formatCost(dollars: number): string {
  if (dollars === 0) return "$0";
  const isSmall = dollars < 1;
  return `$${dollars.toLocaleString("en", isSmall ? { maximumSignificantDigits: 2 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB"] as const;

/** A size in its largest unit: "512 B", "1.8 KiB". */
export function formatBytes(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${BYTE_UNITS[power]}`;
}

/** The first line of a task's text. */
export function firstLine(text: string): string {
  return text.trim().split(/\r?\n/u, 1)[0]?.trim() ?? "";
}
