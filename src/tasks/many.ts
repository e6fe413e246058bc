import { Lately } from "../clock/lately.ts";
import { MANY_KNOWN_MS, MANY_FILTERS_MAX, TOTAL_COUNTED_MAX } from "../domain/limits.ts";
import type { Total } from "../domain/listing.ts";
import type { DirectoryFilter } from "./directory.ts";

/** Filters under which this isolate has counted more tasks than totals tell. */
const many = new Lately<true>(MANY_KNOWN_MS, MANY_FILTERS_MAX);

/** What is told of more tasks than are counted. */
export const MANY: Total = { total: TOTAL_COUNTED_MAX, totalExact: false };

/** Whether there were lately so many tasks under a filter that counting them again would tell nothing. */
export function wereMany(filter: DirectoryFilter, now: number): boolean {
  return many.get(nameOf(filter), now) ?? false;
}

export function noteTotal(filter: DirectoryFilter, { totalExact }: Total, now: number): void {
  if (totalExact) many.forget(nameOf(filter));
  else many.set(nameOf(filter), true, now);
}

export function forgetTotals(): void {
  many.forgetAll();
}

function nameOf(filter: DirectoryFilter): string {
  return JSON.stringify(Object.entries(filter).filter(([, value]) => value !== undefined));
}
