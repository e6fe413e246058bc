import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { decodeBase64url, toHex } from "../../kernel/bytes.ts";

const ENCODER = new TextEncoder();

/** HMAC-SHA-256 in base64url with SIGNING_KEY; `use` separates kinds of signatures. Synchronous: see `hashApiKey`. */
export function signHmac(secret: string, use: string, text: string): string {
  return encodeBase64url(hmac(sha256, ENCODER.encode(secret), ENCODER.encode(`${use}\n${text}`)));
}

/** Whether `signature` is valid, in constant time. */
export function verifyHmac(secret: string, use: string, text: string, signature: string): boolean {
  const [a, b] = [ENCODER.encode(signHmac(secret, use, text)), ENCODER.encode(signature)];
  return a.byteLength === b.byteLength && crypto.subtle.timingSafeEqual(a, b);
}

export function encodeBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** The text in base64url of UTF-8, or null if it is invalid. */
export function decodeBase64urlText(encoded: string): string | null {
  const bytes = decodeBase64url(encoded);
  if (bytes === null) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}

/** SHA-256 in hex, of bytes or of a text as UTF-8. */
export async function sha256Hex(content: BufferSource | string): Promise<string> {
  const bytes = typeof content === "string" ? ENCODER.encode(content) : content;
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
