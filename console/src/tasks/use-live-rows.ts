import { useState } from "react";
import { mergeLiveRows, type LiveRows } from "./live-rows.ts";

/**
 * The rows to show for the fetched items. Rows do not move until `update` is called or `listKey`, which identifies the
 * query, changes. When the list is opened, the first fetch replaces what an earlier visit left in the cache.
 */
export function useLiveRows<Item>(
  listKey: string,
  fetched: readonly Item[],
  idOf: (item: Item) => string,
  { hasNextPage, isFetching }: { readonly hasNextPage: boolean; readonly isFetching: boolean },
): LiveRows<Item> & { readonly update: () => void } {
  const [isOpening, setIsOpening] = useState(true);
  const [shown, setShown] = useState<{ listKey: string; items: readonly Item[] }>({
    listKey,
    items: fetched,
  });
  const items = isOpening || shown.listKey !== listKey ? [] : shown.items;
  const merged = mergeLiveRows(items, fetched, idOf, hasNextPage);
  const hasOpened = isOpening && !isFetching;
  if (hasOpened) setIsOpening(false);
  const isChanged = shown.listKey !== listKey || merged.rows.length > items.length;
  if (hasOpened || (!isOpening && isChanged)) {
    setShown({ listKey, items: merged.rows.map(({ item }) => item) });
  }
  return { ...merged, update: () => setShown({ listKey, items: fetched }) };
}
