import type { Json } from "../../../kernel/json.ts";
import { fail, type Problem, type Result } from "../../../kernel/result.ts";

export const DATA_FORMATS = ["csv", "json", "yaml", "xml"] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];

/** The data that was read. `notes` states what was changed or lost. */
export interface FormatReadResult {
  readonly value: Json;
  readonly notes: readonly string[];
}

/** Data as text. `rows` is the number of CSV rows. */
export interface FormatWriteResult {
  readonly content: string;
  readonly rows?: number;
  readonly notes: readonly string[];
}

/** Every Problem refers to the parameter `content`. */
export interface FormatConverter {
  read(content: string): Result<FormatReadResult, Problem>;
  write(value: Json): Result<FormatWriteResult, Problem>;
}

export const CONTENT_PARAMETER = "content";

export function failContent(message: string): Result<never, Problem> {
  return fail({ path: CONTENT_PARAMETER, message });
}
