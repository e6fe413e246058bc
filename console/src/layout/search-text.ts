/** A text parameter of a URL, without surrounding spaces. The router reads numbers and booleans as such. */
export function searchText(value: unknown): string | undefined {
  const isText = ["string", "number", "boolean"].includes(typeof value);
  return (isText && String(value).trim()) || undefined;
}

/** The parts of a comma-separated list that are allowed, in the order of `allowed`, without repetitions. */
export function searchList<Value extends string>(
  text: string | undefined,
  allowed: readonly Value[],
): readonly Value[] {
  const given = text?.split(",").map((part) => part.trim()) ?? [];
  return allowed.filter((value) => given.includes(value));
}
