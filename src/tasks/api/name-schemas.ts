import * as z from "zod";
import { isJsonObject, type Json } from "../../kernel/json.ts";
import { fail, ok, preview, type Result } from "../../kernel/result.ts";
import { customIssue, queryList } from "../../http/validation.ts";
import {
  EXTERNAL_ID_CHARACTERS_MAX,
  LABEL_KEY_CHARACTERS_MAX,
  LABEL_VALUE_CHARACTERS_MAX,
  LABELS_MAX,
  TITLE_CHARACTERS_MAX,
} from "../limits.ts";
import type { TaskLabels } from "../model/task.ts";

/** Control characters, including line breaks and tabs. */
const CONTROL = /\p{Cc}/u;

/** A task's title. Its length is checked before spaces at its ends are removed. */
export const title = z
  .string()
  .max(TITLE_CHARACTERS_MAX)
  .trim()
  .min(1)
  .refine((text) => !CONTROL.test(text), {
    error: "must not contain line breaks, tabs or other control characters",
  })
  .meta({ pattern: "\\S" });

export const externalId = z.string().min(1).max(EXTERNAL_ID_CHARACTERS_MAX);

const LABEL_KEY = `[A-Za-z0-9._/-]{1,${LABEL_KEY_CHARACTERS_MAX}}`;
const KEY_PATTERN = new RegExp(`^${LABEL_KEY}$`);
const KEY_RULE = `must have a key of 1 to ${LABEL_KEY_CHARACTERS_MAX} letters, digits, or . _ / -`;
const VALUE_RULE = `must be a string of at most ${LABEL_VALUE_CHARACTERS_MAX} characters`;

export const LABELS_DESCRIPTION = `Keys and values for filters, such as \`{"project": "harbour"}\`: at most ${LABELS_MAX}. A key has 1 to ${LABEL_KEY_CHARACTERS_MAX} letters, digits, or \`.\` \`_\` \`/\` \`-\`; a value has at most ${LABEL_VALUE_CHARACTERS_MAX} characters.`;

/** A task's labels. A custom schema, because Zod's records drop the key __proto__. */
export const labels = z
  .custom<TaskLabels>((value) => isJsonObject(value as Json | undefined), {
    error: "must be an object",
  })
  .meta({
    type: "object",
    maxProperties: LABELS_MAX,
    propertyNames: { pattern: KEY_PATTERN.source },
    additionalProperties: { type: "string", maxLength: LABEL_VALUE_CHARACTERS_MAX },
  })
  .check(({ value, issues }) => {
    const entries = Object.entries(value);
    if (entries.length > LABELS_MAX) {
      const rule = `must have at most ${LABELS_MAX} labels, got ${entries.length}`;
      issues.push(customIssue(rule, value));
    }
    for (const [key, one] of entries) {
      const problem = checkLabel(key, one);
      if (problem !== null) issues.push(customIssue(problem, one, key));
    }
  });

/** What is wrong with a label, or null. The value can have any type, because it comes from a request. */
function checkLabel(key: string, value: unknown): string | null {
  if (!KEY_PATTERN.test(key)) return `${KEY_RULE}, got ${preview(key)}`;
  if (typeof value !== "string") return `${VALUE_RULE}, got ${preview(value)}`;
  const { length } = value;
  if (length <= LABEL_VALUE_CHARACTERS_MAX) return null;
  return `${VALUE_RULE}, got ${length} characters`;
}

/** The labels that listed tasks must have: pairs of key and value, each once, in order. */
export const labelQuery = queryList<`${string}:${string}`, [key: string, value: string]>(
  readLabels,
  {
    type: "string",
    pattern: `^${LABEL_KEY}:`,
    examples: ["project:harbour"],
  },
);

function readLabels(texts: readonly string[]): Result<[key: string, value: string][], string> {
  const given = [...new Set(texts)].toSorted();
  if (given.length > LABELS_MAX) {
    return fail(`must be given at most ${LABELS_MAX} times, got ${given.length} labels`);
  }
  const pairs: [key: string, value: string][] = [];
  for (const text of given) {
    const at = text.indexOf(":");
    if (at < 0) return fail(`must have the form key:value, got ${preview(text)}`);
    const [key, value] = [text.slice(0, at), text.slice(at + 1)];
    const problem = checkLabel(key, value);
    if (problem !== null) return fail(problem);
    pairs.push([key, value]);
  }
  return ok(pairs);
}
