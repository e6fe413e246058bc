/** The bytes of base64, padded or not; null for what is none. */
export function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The same in either alphabet, that of URLs included. */
export function bytesOfBase64url(base64: string): Uint8Array<ArrayBuffer> | null {
  return bytesOfBase64(base64.replaceAll("-", "+").replaceAll("_", "/"));
}
