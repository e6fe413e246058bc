/** Which list the view shows, as the URL states it. Keys are the default. */
export interface KeysSearch {
  readonly show?: "sessions";
}

export function readKeysSearch(search: Record<string, unknown>): KeysSearch {
  return search["show"] === "sessions" ? { show: "sessions" } : {};
}
