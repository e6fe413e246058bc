import type { Authorisation } from "../../../domain/connector.ts";

/** Headers with the key, or null where it holds what no header can carry. */
export function withKey(headers: HeadersInit, authorisation: Authorisation | null): Headers | null {
  try {
    const all = new Headers(headers);
    if (authorisation !== null) all.set(authorisation.name, authorisation.value);
    return all;
  } catch {
    return null;
  }
}
