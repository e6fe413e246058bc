import type { Json, JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { keysOf, type KeyOf } from "../../../schema/equality.ts";
import { metered } from "../../../schema/work.ts";
import { parseDocument } from "./document.ts";
import { patchBetween, tally, type Change } from "./patch.ts";

const CHANGES_MAX = 10_000;

// Aligning arrays takes the square of their edits, so it is given up for place by place.
const ALIGNED = { unitsMax: 400_000, editsMax: 1_000 };
const PLACED = { unitsMax: 3_000_000, editsMax: 0 };

/**
 * `{equal, patch, changes: {added, removed, replaced}, notes}`: the RFC 6902 patch that turns `before`
 * into `after`. It is always complete; past 10,000 operations it replaces the whole document.
 */
export async function diff(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const before = parseDocument(String(parameters["before"]), "before");
  const after = parseDocument(String(parameters["after"]), "after");
  if (!before.ok || !after.ok) {
    return fail([before, after].flatMap((part) => (part.ok ? [] : [part.failure])));
  }
  const keyOf = keysOf([before.value, after.value]);
  const { patch, notes } = changesBetween(before.value, after.value, keyOf);
  return ok({
    equal: patch.length === 0,
    patch: patch.map((change) => ({ ...change })),
    changes: tally(patch),
    notes,
  });
}

function changesBetween(
  before: Json,
  after: Json,
  keyOf: KeyOf,
): { patch: Change[]; notes: string[] } {
  for (const { unitsMax, editsMax } of [ALIGNED, PLACED]) {
    let isPlaced = false;
    const outcome = metered(unitsMax, (spend) =>
      patchBetween(before, after, keyOf, {
        editsMax,
        spend,
        onPlaceByPlace: () => {
          isPlaced = true;
        },
      }),
    );
    if (!outcome.ok || outcome.value.length > CHANGES_MAX) continue;
    const notes = isPlaced
      ? ["Arrays with many changes were compared place by place, so the patch is not the shortest."]
      : [];
    return { patch: outcome.value, notes };
  }
  return {
    patch: [{ op: "replace", path: "", value: after }],
    notes: [`More than ${CHANGES_MAX} changes, so the patch replaces the whole document.`],
  };
}
