import type { Json, JsonObject } from "../../../domain/json.ts";
import { PROBLEM_PATH_CHARACTERS_MAX } from "../../../domain/limits.ts";
import { shown } from "../../../domain/problem.ts";
import type { Allowance } from "./allowance.ts";
import { isMalformed } from "./keywords.ts";
import type { Notes } from "./notes.ts";
import { cut } from "./text.ts";

/** Notes that keywords of schemas have no effect since their values are malformed. */
export interface Malformed {
  /** A keyword that is left out of the copy; nothing is said of those that JSON Schema does not know. */
  keyword(schema: JsonObject, keyword: string, value: Json, where: string): void;
  /** A key of `patternProperties` that is no regular expression. */
  pattern(schema: JsonObject, source: string, where: string): void;
}

/** What is shown is paid for out of `allowance`, as values can be as large as the document. */
export function malformedKeywords(notes: Notes, allowance: Allowance): Malformed {
  /** By schema, as many operations can share one by reference. */
  const told = new WeakMap<JsonObject, Set<string>>();

  function tell(schema: JsonObject, key: string, reason: string, value: Json, where: string): void {
    const keys = told.get(schema) ?? new Set();
    if (keys.has(key) || !allowance.spendOnAll(value)) return;
    told.set(schema, keys.add(key));
    notes.add(reason, `${shown(value)} in ${cut(where, PROBLEM_PATH_CHARACTERS_MAX)}`);
  }

  function pattern(schema: JsonObject, source: Json, key: string, where: string): void {
    const reason =
      "The pattern is not checked, as it is no regular expression of ECMAScript (with the flag u)";
    tell(schema, key, reason, source, where);
  }

  return {
    keyword(schema, keyword, value, where) {
      if (!isMalformed(keyword, value)) return;
      if (keyword === "pattern") {
        pattern(schema, value, keyword, where);
        return;
      }
      const reason = `Left out the keyword ${keyword}, whose value is malformed`;
      tell(schema, keyword, reason, value, where);
    },
    pattern: (schema, source, where) => pattern(schema, source, `.${source}`, where),
  };
}
