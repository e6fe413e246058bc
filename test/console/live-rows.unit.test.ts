import { describe, expect, it } from "vitest";
import { mergeLiveRows } from "../../console/src/tasks/live-rows.ts";
import { Rng } from "../support/rng.ts";

const CASES = 5_000;

interface Item {
  readonly id: number;
  readonly version: number;
}

const idOf = ({ id }: Item): string => String(id);
const idsOf = (rows: readonly { readonly item: Item }[]): number[] =>
  rows.map(({ item }) => item.id);

/** Random items in descending order of id, as the API returns them. */
function randomItems(rng: Rng, max: number): Item[] {
  const ids = Array.from({ length: max }, (_, id) => max - id).filter(() => !rng.oneIn(3));
  return ids.map((id) => ({ id, version: rng.below(3) }));
}

describe("the rows of a live list", () => {
  it("shown rows keep their places, items after the last one are added, and nothing is lost or repeated", () => {
    const rng = new Rng(1);
    for (let n = 0; n < CASES; n += 1) {
      const shown = randomItems(rng, rng.below(12));
      const fetched = randomItems(rng, rng.below(16));
      const { rows, added, gone } = mergeLiveRows(shown, fetched, idOf);
      expect(idsOf(rows).slice(0, shown.length)).toEqual(shown.map(({ id }) => id));
      expect(new Set(idsOf(rows)).size).toBe(rows.length);
      expect(gone).toBe(rows.filter(({ isGone }) => isGone).length);
      expect(rows.length - gone + added).toBe(fetched.length);
      for (const { item, isGone } of rows) {
        const current = fetched.find(({ id }) => id === item.id);
        expect(isGone).toBe(current === undefined);
        if (current !== undefined) expect(item).toBe(current);
      }
    }
  });

  it("the first page is shown at once", () => {
    const fetched = [
      { id: 2, version: 0 },
      { id: 1, version: 0 },
    ];
    expect(mergeLiveRows([], fetched, idOf)).toEqual({
      rows: fetched.map((item) => ({ item, isGone: false })),
      added: 0,
      gone: 0,
    });
  });

  it("a new item before a shown one is counted, but moves no row", () => {
    const shown = [{ id: 2, version: 0 }];
    const merged = mergeLiveRows(shown, [{ id: 3, version: 0 }, ...shown], idOf);
    expect(idsOf(merged.rows)).toEqual([2]);
    expect(merged.added).toBe(1);
  });

  it("rows that new items move to a later page still match, and rows before a fetched one do not", () => {
    const itemsOf = (ids: readonly number[]) => ids.map((id) => ({ id, version: 0 }));
    const shown = itemsOf([4, 3, 2, 1]);
    const pushed = itemsOf([6, 5, 4, 2]);
    const merged = mergeLiveRows(shown, pushed, idOf, true);
    expect(merged.rows.map(({ isGone }) => isGone)).toEqual([false, true, false, false]);
    expect(merged.gone).toBe(1);
    expect(merged.added).toBe(2);
  });
});
