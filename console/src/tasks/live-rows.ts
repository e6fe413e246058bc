/** A row of a live list. `isGone`: the task no longer matches the filters. */
export interface LiveRow<Item> {
  readonly item: Item;
  readonly isGone: boolean;
}

export interface LiveRows<Item> {
  readonly rows: readonly LiveRow<Item>[];
  /** Items that match but are not shown yet. */
  readonly added: number;
  readonly gone: number;
}

/**
 * Applies fetched items to the shown ones without moving a row: items that are new between shown rows are counted but
 * not shown, and rows that no longer match stay. Items after the last shown row come from the next page and are added. If
 * the list has more pages, new items move old ones out of the fetched pages, so rows at the end may still match.
 */
export function mergeLiveRows<Item>(
  shown: readonly Item[],
  fetched: readonly Item[],
  idOf: (item: Item) => string,
  hasMore = false,
): LiveRows<Item> {
  const byId = new Map(fetched.map((item) => [idOf(item), item]));
  const shownIds = new Set(shown.map(idOf));
  const lastFetched = shown.findLastIndex((item) => byId.has(idOf(item)));
  const rows = shown.map((item, index): LiveRow<Item> => {
    const current = byId.get(idOf(item));
    return {
      item: current ?? item,
      isGone: current === undefined && (!hasMore || index < lastFetched),
    };
  });
  const lastShown = fetched.findLastIndex((item) => shownIds.has(idOf(item)));
  const isFirst = shown.length === 0;
  const fresh = fetched.filter((item) => !shownIds.has(idOf(item)));
  const later = isFirst ? fetched : fetched.slice(lastShown + 1);
  const appended = lastShown === -1 && !isFirst ? [] : later;
  return {
    rows: [...rows, ...appended.map((item) => ({ item, isGone: false }))],
    added: fresh.length - appended.length,
    gone: rows.filter(({ isGone }) => isGone).length,
  };
}
