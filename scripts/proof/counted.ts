/** The number of items by name. */
export function countedBy<Item>(
  items: readonly Item[],
  name: (item: Item) => string,
): Map<string, number> {
  const groups = Map.groupBy(items, name);
  return new Map([...groups].map(([key, same]) => [key, same.length]));
}
