import { diffArrays } from "diff";
import { createPatch, type Operation } from "rfc6902";
import { isJsonObject, type Json, type JsonObject } from "../../../../domain/json.ts";
import type { KeyOf } from "../../../schema/equality.ts";
import type { Spend } from "../../../schema/work.ts";

// Myers' algorithm takes the square of the edits; measured, fifty steps a microsecond.
const STEPS_PER_UNIT = 50;

/** An operation of a JSON Patch as it is made here; moves and copies are not looked for. */
export type Change =
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json };

export interface PatchLimits {
  /** Items inserted and deleted up to which two arrays are aligned; else they go place by place. */
  readonly editsMax: number;
  readonly onPlaceByPlace: () => void;
  readonly spend: Spend;
}

/**
 * The JSON Patch from one document to the other. Arrays are aligned on their equal items; what stands
 * between two of those is compared place by place.
 */
export function patchBetween(
  before: Json,
  after: Json,
  keyOf: KeyOf,
  limits: PatchLimits,
): Change[] {
  const { editsMax, onPlaceByPlace, spend } = limits;

  function within(a: Json, b: Json, path: string): Operation[] {
    const changes = createPatch(a, b, (input: Json, output: Json, pointer) =>
      compare(input, output, pointer.toString()),
    );
    return changes.map((change) => ({ ...change, path: path + change.path }));
  }

  // Arrays are ours; objects and scalars are left to the library, unless they are equal.
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
      onPlaceByPlace();
      return placeByPlace(a, b, path, 0);
    }
    const changes: Operation[] = [];
    let from = 0;
    let to = 0;
    let removed = 0;
    // A removed run comes before the added one that takes its place.
    for (const run of [...runs, { count: 0, added: false, removed: false }]) {
      if (run.removed) {
        removed = run.count;
        continue;
      }
      const added = run.added ? run.count : 0;
      const old = a.slice(from, from + removed);
      changes.push(...placeByPlace(old, b.slice(to, to + added), path, to));
      from += removed + (run.added ? 0 : run.count);
      to += run.count;
      removed = 0;
    }
    return changes;
  }

  function placeByPlace(a: Json[], b: Json[], path: string, start: number): Operation[] {
    const changes: Operation[] = [];
    for (const [index, value] of b.entries()) {
      const at = `${path}/${start + index}`;
      const old = a[index];
      if (old === undefined) changes.push({ op: "add", path: at, value });
      else for (const change of within(old, value, at)) changes.push(change);
    }
    for (let index = a.length - 1; index >= b.length; index -= 1) {
      changes.push({ op: "remove", path: `${path}/${start + index}` });
    }
    return changes;
  }

  return within(before, after, "").flatMap(changeOf);
}

function changeOf(operation: Operation): Change[] {
  switch (operation.op) {
    case "add":
    case "replace":
      return [{ op: operation.op, path: operation.path, value: operation.value }];
    case "remove":
      return [{ op: "remove", path: operation.path }];
    case "move":
    case "copy":
    case "test":
      return [];
  }
}

/** How many operations of each kind a patch has. */
export function tally(patch: readonly Change[]): JsonObject {
  function count(op: Change["op"]): number {
    return patch.filter((change) => change.op === op).length;
  }
  return { added: count("add"), removed: count("remove"), replaced: count("replace") };
}
