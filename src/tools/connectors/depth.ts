/** Whether a value has at most so many levels of lists and objects; without recursion, which depth would break. */
export function isWithinDepth(value: unknown, depthMax: number): boolean {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth > depthMax) return false;
    const depth = next.depth + 1;
    for (const child of Object.values(next.value)) open.push({ value: child, depth });
  }
  return true;
}
