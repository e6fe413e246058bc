import type { Json } from "../../../kernel/json.ts";
import type { Problem } from "../../../kernel/problem.ts";
import type { Result } from "../../../kernel/result.ts";

export const DATA_FORMATS = ["csv", "json", "yaml", "xml"] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];

/** A text read as data; `notes` says what was not carried over as it was. */
export interface FormatReadResult {
  readonly value: Json;
  readonly notes: readonly string[];
}

/** Data written as text; `rows` when it was written as rows. */
export interface FormatWriteResult {
  readonly content: string;
  readonly rows?: number;
  readonly notes: readonly string[];
}

/** Problems are about the parameter `content`. */
export type FormatReader = (content: string) => Result<FormatReadResult, Problem>;
export type FormatWriter = (value: Json) => Result<FormatWriteResult, Problem>;

export const CONTENT_PARAMETER = "content";
