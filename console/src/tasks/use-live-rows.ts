import { useState } from "react";
import { mergeLiveRows, type LiveRows } from "./live-rows.ts";

/**
 * The rows to show for the fetched items. Rows do not move until `update` is called or `listKey`, which identifies the
 * query, changes.
 */
export function useLiveRows<Item>(
  listKey: string,
  fetched: readonly Item[],
  idOf: (item: Item) => string,
  hasMore: boolean,
): LiveRows<Item> & { readonly update: () => void } {
  const [shown, setShown] = useState<{ listKey: string; items: readonly Item[] }>({
    listKey,
    items: fetched,
  });
  const items = shown.listKey === listKey ? shown.items : [];
  const merged = mergeLiveRows(items, fetched, idOf, hasMore);
  if (shown.listKey !== listKey || merged.rows.length > items.length) {
    setShown({ listKey, items: merged.rows.map(({ item }) => item) });
  }
  return { ...merged, update: () => setShown({ listKey, items: fetched }) };
}
