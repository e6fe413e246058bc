import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { decodeBase64url } from "../../kernel/bytes.ts";

/** HMAC-SHA-256 with SIGNING_KEY, in base64url. `use` keeps different kinds of signatures apart. */
export function signHmac(secret: string, use: string, text: string): string {
  return createHmac("sha256", secret).update(`${use}\n${text}`).digest("base64url");
}

/** Checks in constant time whether `signature` is valid. */
export function verifyHmac(secret: string, use: string, text: string, signature: string): boolean {
  return isEqualInConstantTime(signHmac(secret, use, text), signature);
}

/** Whether two secrets are equal. The time that the comparison takes reveals at most their lengths. */
export function isEqualInConstantTime(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}

export function encodeBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

/** Decodes UTF-8 text from base64url; null if the input is invalid. */
export function decodeBase64urlText(encoded: string): string | null {
  const bytes = decodeBase64url(encoded);
  if (bytes === null) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}

/** The SHA-256 hash, in hex, of a string encoded as UTF-8. For many short texts. */
export function sha256Text(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The SHA-256 hash, in hex, of bytes or of a string encoded as UTF-8. */
export async function sha256Hex(content: BufferSource | string): Promise<string> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}
