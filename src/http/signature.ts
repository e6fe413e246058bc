import { bytesOfBase64url } from "../bytes/base64.ts";

const ENCODER = new TextEncoder();
const ALGORITHM = { name: "HMAC", hash: "SHA-256" };

/** HMAC-SHA-256 of a text under the secret SIGNING_KEY, in base64url. `use` keeps signatures apart. */
export async function sign(secret: string, use: string, text: string): Promise<string> {
  const key = await crypto.subtle.importKey("raw", ENCODER.encode(secret), ALGORITHM, false, [
    "sign",
  ]);
  const mac = await crypto.subtle.sign(ALGORITHM, key, ENCODER.encode(`${use}\n${text}`));
  return base64url(new Uint8Array(mac));
}

/** Whether `signature` is what `sign` made; takes the same time wherever they differ. */
export async function isSigned(
  secret: string,
  use: string,
  text: string,
  signature: string,
): Promise<boolean> {
  const [expected, given] = [
    ENCODER.encode(await sign(secret, use, text)),
    ENCODER.encode(signature),
  ];
  return expected.byteLength === given.byteLength && crypto.subtle.timingSafeEqual(expected, given);
}

export function base64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The text behind base64url of UTF-8, or null when it is none. */
export function textOfBase64url(encoded: string): string | null {
  const bytes = bytesOfBase64url(encoded);
  if (bytes === null) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}
