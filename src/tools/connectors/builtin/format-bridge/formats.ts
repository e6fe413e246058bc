import type { Json } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import type { Result } from "../../../../domain/result.ts";

export const FORMATS = ["csv", "json", "yaml", "xml"] as const;
export type Format = (typeof FORMATS)[number];

/** A text read as data; `notes` says what was not carried over as it was. */
export interface Reading {
  readonly value: Json;
  readonly notes: readonly string[];
}

/** Data written as text; `rows` when it was written as rows. */
export interface Writing {
  readonly content: string;
  readonly rows?: number;
  readonly notes: readonly string[];
}

/** Problems are about the parameter `content`. */
export type Read = (content: string) => Result<Reading, Problem>;
export type Write = (value: Json) => Result<Writing, Problem>;

export const CONTENT = "content";
