import type { StoredKey } from "./store.ts";

/** A key as D1 has it, and the presented key that matched its hash; null if none has matched yet. */
export interface Seen {
  readonly stored: StoredKey;
  readonly shown: string | null;
}

/**
 * A key that was read again. While its hash stays the same, the presented key is not hashed again, because
 * hashing costs more than the rest of the authentication.
 */
export function readAgain(before: Seen | null, stored: StoredKey): Seen {
  return { stored, shown: before?.stored.hash === stored.hash ? before.shown : null };
}
