import { toListTotal } from "../../../src/kernel/limits.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOTAL_COUNTED_MAX } from "../../../src/kernel/limits.ts";
import {
  addListTotals,
  mergeRows,
  compareNewestFirst,
  type ListPosition,
} from "../../../src/tasks/model/listing.ts";

/** Positions with unique ids but few different timestamps, so that many tasks share a timestamp. */
const PLACES = fc.uniqueArray(
  fc.record({
    createdAt: fc.integer({ min: 1, max: 6 }),
    id: fc.string({ unit: fc.constantFrom("0", "7", "a", "f"), minLength: 4, maxLength: 4 }),
  }),
  { selector: ({ id }) => id, maxLength: 60 },
);
const SPREAD = fc.array(fc.nat({ max: 4 }), { minLength: 60, maxLength: 60 });

/** Deals tasks to shards. Returns each shard's sorted tasks, and all tasks in order. */
function dealt(
  places: readonly ListPosition[],
  spread: readonly number[],
): [ListPosition[][], ListPosition[]] {
  const shards = [0, 1, 2, 3, 4].map((shard) =>
    places.filter((_, index) => spread[index] === shard).toSorted(compareNewestFirst),
  );
  return [shards, places.toSorted(compareNewestFirst)];
}

/** Returns a page of a database's rows, after a position. */
function pageOf(rows: readonly ListPosition[], { limit, offset, after }: Wanted): ListPosition[] {
  const behind = rows.filter((row) => after === null || compareNewestFirst(after, row) < 0);
  return behind.slice(offset, offset + limit);
}

interface Wanted {
  readonly limit: number;
  readonly offset: number;
  readonly after: ListPosition | null;
}

describe("a list in the order of titles", () => {
  const TITLED = fc.uniqueArray(
    fc.record({
      createdAt: fc.integer({ min: 1, max: 3 }),
      id: fc.string({ unit: fc.constantFrom("0", "a"), minLength: 3, maxLength: 3 }),
      titleKey: fc.string({ unit: fc.constantFrom("a", "b", "\uFF21", "\u{1F6A2}"), maxLength: 3 }),
    }),
    { selector: ({ id }) => id, maxLength: 20 },
  );

  it("titles are compared by their UTF-8 bytes, as in SQLite, and ties are sorted newest first", () => {
    const byBytes = (one: string, other: string): number =>
      Buffer.compare(Buffer.from(one), Buffer.from(other));
    fc.assert(
      fc.property(TITLED, (places) => {
        const expected = places.toSorted(
          (one, other) => byBytes(one.titleKey, other.titleKey) || compareNewestFirst(one, other),
        );
        expect(mergeRows([places], 99, "title")).toEqual(expected);
        const reversed = places.toSorted(
          (one, other) => byBytes(other.titleKey, one.titleKey) || compareNewestFirst(one, other),
        );
        expect(mergeRows([places], 99, "-title")).toEqual(reversed);
      }),
    );
  });
});

describe("a list over shards", () => {
  it("the pages of a list over shards equal those of the list over one database", () => {
    fc.assert(
      fc.property(PLACES, SPREAD, fc.integer({ min: 1, max: 9 }), (places, spread, limit) => {
        const [shards, all] = dealt(places, spread);
        const listedPositions: ListPosition[] = [];
        let after: ListPosition | null = null;
        for (;;) {
          const wanted: Wanted = { limit, offset: 0, after };
          const page: ListPosition[] = mergeRows(
            shards.map((rows) => pageOf(rows, wanted)),
            limit,
          );
          expect(page).toEqual(pageOf(all, wanted));
          listedPositions.push(...page);
          after = page.at(-1) ?? null;
          if (after === null) break;
        }
        expect(listedPositions).toEqual(all);
      }),
    );
  });

  it("a page at an offset over shards equals that over one database", () => {
    fc.assert(
      fc.property(
        PLACES,
        SPREAD,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 70 }),
        fc.option(fc.nat({ max: 59 })),
        (places, spread, limit, offset, start) => {
          const [shards, all] = dealt(places, spread);
          const after = start === null ? null : (all[start] ?? null);
          const skipping = { limit: offset, offset: 0, after };
          const skipped = mergeRows(
            shards.map((rows) => pageOf(rows, skipping)),
            offset,
          );
          expect(skipped).toEqual(pageOf(all, skipping));
          const last = skipped.at(-1) ?? null;
          const behind = { limit, offset: 0, after: last };
          const page =
            skipped.length < offset
              ? []
              : mergeRows(
                  shards.map((rows) => pageOf(rows, behind)),
                  limit,
                );
          expect(page).toEqual(pageOf(all, { limit, offset, after }));
        },
      ),
    );
  });

  it("the total over shards equals the total over one database", () => {
    const count = fc.oneof(
      fc.nat({ max: 5 }),
      fc.integer({ min: TOTAL_COUNTED_MAX - 3, max: TOTAL_COUNTED_MAX + 3 }),
      fc.nat({ max: 3 * TOTAL_COUNTED_MAX }),
    );
    fc.assert(
      fc.property(fc.array(count, { minLength: 1, maxLength: 5 }), (counts) => {
        // A database counts at most one row beyond the limit.
        const counted = counts.map((one) => toListTotal(Math.min(one, TOTAL_COUNTED_MAX + 1)));
        const all = counts.reduce((sum, one) => sum + one, 0);
        expect(addListTotals(counted)).toEqual(toListTotal(all));
      }),
    );
  });
});

describe("the order of lists", () => {
  it("tasks are listed by creation time, newest first, and then by highest id", () => {
    const rows = [
      { createdAt: 1, id: "b" },
      { createdAt: 2, id: "a" },
      { createdAt: 1, id: "c" },
      { createdAt: 2, id: "0" },
    ];
    const sorted = rows
      .toSorted(compareNewestFirst)
      .map(({ createdAt, id }) => `${createdAt}${id}`);
    expect(sorted).toEqual(["2a", "20", "1c", "1b"]);
    expect(compareNewestFirst({ createdAt: 1, id: "a" }, { createdAt: 1, id: "a" })).toBe(0);
  });

  it("merging empty lists, or with a page size of zero, returns nothing", () => {
    expect(mergeRows([], 3)).toEqual([]);
    expect(mergeRows([[], []], 3)).toEqual([]);
    expect(mergeRows([[{ createdAt: 1, id: "a" }]], 0)).toEqual([]);
  });
});
