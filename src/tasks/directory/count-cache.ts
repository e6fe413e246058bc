import { TtlCache } from "../../platform/ttl-cache.ts";
import { COUNT_CACHE_MS, COUNT_CACHE_ENTRIES_MAX } from "../limits.ts";
import { TOTAL_COUNTED_MAX } from "../../kernel/limits.ts";
import type { ListTotal, DirectoryFilter } from "../model/listing.ts";

/** Filters under which this isolate has counted more tasks than totals tell. */
const many = new TtlCache<true>(COUNT_CACHE_MS, COUNT_CACHE_ENTRIES_MAX);

/** What is told of more tasks than are counted. */
export const UNCOUNTED_TOTAL: ListTotal = { total: TOTAL_COUNTED_MAX, totalExact: false };

/** Whether there were lately so many tasks under a filter that counting them again would tell nothing. */
export function isAboveCountLimit(filter: DirectoryFilter, now: number): boolean {
  return many.get(nameOf(filter), now) ?? false;
}

export function cacheTotal(filter: DirectoryFilter, { totalExact }: ListTotal, now: number): void {
  if (totalExact) many.delete(nameOf(filter));
  else many.set(nameOf(filter), true, now);
}

export function clearCountCache(): void {
  many.clear();
}

function nameOf(filter: DirectoryFilter): string {
  return JSON.stringify(Object.entries(filter).filter(([, value]) => value !== undefined));
}
