/** A way from a node back to itself, `["a", "b", "a"]`, or null. Does not recurse. */
export function findCycle(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] | null {
  const done = new Set<string>();
  const way: { node: string; next: Iterator<string> }[] = [];
  const onTheWay = new Set<string>();

  function enter(node: string): void {
    if (done.has(node)) return;
    onTheWay.add(node);
    way.push({ node, next: (edges.get(node) ?? new Set<string>()).values() });
  }

  for (const start of edges.keys()) {
    enter(start);
    for (let step = way.at(-1); step !== undefined; step = way.at(-1)) {
      const next = step.next.next();
      if (next.done === true) {
        done.add(step.node);
        onTheWay.delete(step.node);
        way.pop();
      } else if (onTheWay.has(next.value)) {
        const nodes = way.map(({ node }) => node);
        return [...nodes.slice(nodes.indexOf(next.value)), next.value];
      } else {
        enter(next.value);
      }
    }
  }
  return null;
}
