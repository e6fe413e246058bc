/** How much of a tool an agent may use. */
export type AccessLevel =
  | { readonly level: "none" }
  | { readonly level: "some"; readonly granted: number; readonly total: number }
  | { readonly level: "all" };

/**
 * Compares the capabilities of a grant (null for all) with those of the tool. A grant can contain capabilities that no
 * longer exist.
 */
export function accessLevelOf(
  granted: readonly string[] | null | undefined,
  capabilities: readonly string[],
): AccessLevel {
  if (granted === undefined) return { level: "none" };
  if (granted === null) return { level: "all" };
  const names = new Set(granted);
  const usable = capabilities.filter((id) => names.has(id)).length;
  return usable === capabilities.length
    ? { level: "all" }
    : { level: "some", granted: usable, total: capabilities.length };
}
