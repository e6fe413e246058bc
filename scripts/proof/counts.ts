/** The number of items by name. */
export function countBy<Item>(
  items: readonly Item[],
  name: (item: Item) => string,
): Map<string, number> {
  const groups = Map.groupBy(items, name);
  return new Map([...groups].map(([key, same]) => [key, same.length]));
}

/** Formats counts by name as text, such as "3 claims, 2 reports". */
export function formatCounts(counts: Iterable<readonly [string, number]>): string {
  return [...counts].map(([name, count]) => `${count} ${name}`).join(", ");
}
