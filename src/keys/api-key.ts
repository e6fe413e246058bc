import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "../kernel/bytes.ts";

const ENCODER = new TextEncoder();
const SECRET_BYTES = 32;
const ID_BYTES = 8;

/** A new key: `bsn_<id>_<secret>`, of which only the hash is ever stored. */
export function generateApiKey(): { id: string; key: string; hash: string } {
  const id = toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
  const key = `bsn_${id}_${toHex(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))}`;
  return { id, key, hash: hashApiKey(key) };
}

/**
 * SHA-256 of a whole key in hex. The secret has 256 random bits, so no slow hash is needed. Not by
 * crypto.subtle: for so few bytes the wait for its promise costs each request more than the hash.
 */
export function hashApiKey(key: string): string {
  return toHex(sha256(ENCODER.encode(key)));
}

/** The id inside a key, or null for a text of another form. */
export function parseKeyId(key: string): string | null {
  return /^bsn_([0-9a-f]{16})_[0-9a-f]{64}$/.exec(key)?.[1] ?? null;
}
