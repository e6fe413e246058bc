export function listed(counts: Iterable<readonly [string, number]>): string {
  return [...counts].map(([name, count]) => `${count} ${name}`).join(", ");
}
