import { diffArrays } from "diff";
import { createPatch, type Operation } from "rfc6902";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import type { CapabilityHandler } from "../../../tools/connectors/contract.ts";
import { createEqualityKeys, type ToEqualityKey } from "../../../tools/schema/document-facts.ts";
import { runMetered, type SpendUnits } from "../../../tools/schema/work-limit.ts";
import { fail, ok } from "../../../kernel/result.ts";
import { collectProblems } from "../parameters.ts";
import { parseJsonDocument } from "../json-document.ts";

const CHANGES_MAX = 10_000;

// Aligning arrays takes time that is quadratic in the number of edits. Beyond these limits, arrays are compared by
// position.
const ALIGNED_LIMITS = { unitsMax: 400_000, editsMax: 1_000 };
const POSITIONAL_LIMITS = { unitsMax: 3_000_000, editsMax: 0 };

/**
 * Returns `{equal, patch, changes: {added, removed, replaced}, notes}`, with the RFC 6902 patch that turns `before`
 * into `after`. The patch is always complete. It replaces the whole document if more than 10,000 operations or too much
 * work would be needed.
 */
export const diffDocuments: CapabilityHandler = async (parameters) => {
  const before = parseJsonDocument(String(parameters["before"]), "before");
  const after = parseJsonDocument(String(parameters["after"]), "after");
  if (!before.ok || !after.ok) return fail(collectProblems([before, after]));
  const keyOf = createEqualityKeys([before.value, after.value]);
  const { patch, notes } = createPatchWithinLimits(before.value, after.value, keyOf);
  return ok({
    equal: patch.length === 0,
    patch: patch.map((change) => ({ ...change })),
    changes: countOperations(patch),
    notes,
  });
};

function createPatchWithinLimits(
  before: Json,
  after: Json,
  keyOf: ToEqualityKey,
): { patch: Operation[]; notes: string[] } {
  for (const { unitsMax, editsMax } of [ALIGNED_LIMITS, POSITIONAL_LIMITS]) {
    const outcome = runMetered(unitsMax, (spend) =>
      createJsonPatch(before, after, keyOf, editsMax, spend),
    );
    if (outcome.ok && outcome.value.patch.length <= CHANGES_MAX) return outcome.value;
  }
  return {
    patch: [{ op: "replace", path: "", value: after }],
    notes: [
      `The patch replaces the whole document, because there are more than ${CHANGES_MAX} changes or comparing them takes too long.`,
    ],
  };
}

const POSITIONAL_NOTE =
  "Arrays with many changes were compared by position, so the patch may not be the shortest possible.";

// The number of steps in Myers' algorithm is quadratic in the number of edits. The measured speed is fifty steps per
// microsecond.
const STEPS_PER_UNIT = 50;

/**
 * Aligns arrays on equal items. Items between aligned ones are compared by position, and so are arrays with more than
 * `editsMax` insertions and deletions.
 */
function createJsonPatch(
  before: Json,
  after: Json,
  keyOf: ToEqualityKey,
  editsMax: number,
  spend: SpendUnits,
): { patch: Operation[]; notes: string[] } {
  const notes = new Set<string>();

  function compareAtPath(a: Json, b: Json, path: string): Operation[] {
    const changes = createPatch(a, b, (input: Json, output: Json, pointer) =>
      compare(input, output, pointer.toString()),
    );
    return changes.map((change) => ({ ...change, path: path + change.path }));
  }

  // Returning undefined leaves the comparison of unequal objects and scalars to the library.
  function compare(a: Json, b: Json, path: string): Operation[] | undefined {
    spend(1);
    if (keyOf(a) === keyOf(b)) return [];
    if (Array.isArray(a) && Array.isArray(b)) return compareArrays(a, b, path);
    if (isJsonObject(a) && isJsonObject(b)) spend(Object.keys(a).length + Object.keys(b).length);
    return undefined;
  }

  function compareArrays(a: Json[], b: Json[], path: string): Operation[] {
    const size = a.length + b.length;
    spend(size + Math.min(size, editsMax) ** 2 / STEPS_PER_UNIT);
    const runs = diffArrays(a.map(keyOf), b.map(keyOf), { maxEditLength: editsMax });
    if (runs === undefined) {
      notes.add(POSITIONAL_NOTE);
      return comparePositions(a, b, path, 0);
    }
    const changes: Operation[] = [];
    let from = 0;
    let to = 0;
    let removed = 0;
    // A removed run precedes the added run that replaces it.
    for (const run of [...runs, { count: 0, added: false, removed: false }]) {
      if (run.removed) {
        removed = run.count;
        continue;
      }
      const added = run.added ? run.count : 0;
      const old = a.slice(from, from + removed);
      changes.push(...comparePositions(old, b.slice(to, to + added), path, to));
      from += removed + (run.added ? 0 : run.count);
      to += run.count;
      removed = 0;
    }
    return changes;
  }

  function comparePositions(a: Json[], b: Json[], path: string, start: number): Operation[] {
    const changes: Operation[] = [];
    for (const [index, value] of b.entries()) {
      const at = `${path}/${start + index}`;
      const old = a[index];
      if (old === undefined) changes.push({ op: "add", path: at, value });
      else for (const change of compareAtPath(old, value, at)) changes.push(change);
    }
    for (let index = a.length - 1; index >= b.length; index -= 1) {
      changes.push({ op: "remove", path: `${path}/${start + index}` });
    }
    return changes;
  }

  return { patch: compareAtPath(before, after, ""), notes: [...notes] };
}

function countOperations(patch: readonly Operation[]): JsonObject {
  const count = (op: Operation["op"]) => patch.filter((change) => change.op === op).length;
  return { added: count("add"), removed: count("remove"), replaced: count("replace") };
}
