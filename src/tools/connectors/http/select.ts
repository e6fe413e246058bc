import type { Json } from "../../../domain/json.ts";
import { ANSWER_DEPTH_MAX, SELECTED_VALUES_MAX } from "../../../domain/limits.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { eachMatch, type PathBounds } from "../../jsonpath.ts";

// About a second of work: an answer of 1 MiB holds half a million values at most.
const BOUNDS: PathBounds = {
  unitsMax: 1_000_000,
  depthMax: ANSWER_DEPTH_MAX + 1,
  patterns: "ecmascript",
};

/**
 * What a JSONPath (RFC 9535) selects from an answer. A path that can name one place only (`$.data.id`)
 * gives that value, or null when there is none; any other path a list. The failure completes "it …".
 */
export function select(path: string, document: Json): Result<Json, string> {
  const values: Json[] = [];
  let isCut = false;
  const walked = eachMatch(path, document, BOUNDS, (match) => {
    isCut = values.length === SELECTED_VALUES_MAX;
    if (!isCut) values.push(match.value());
    return !isCut;
  });
  if (!walked.ok) {
    return walked.failure.kind === "work_exceeded"
      ? fail("sent more than its result path can be applied to.")
      : fail(`has a result path that is no JSONPath: ${walked.failure.reason}.`);
  }
  if (isCut) return fail(`has a result path that selects more than ${SELECTED_VALUES_MAX} values.`);
  return ok(walked.value.isSingular ? (values[0] ?? null) : values);
}
