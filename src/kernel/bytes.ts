/** Decodes base64, padded or not. Returns null for invalid input, which `Buffer` would accept. */
export function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Like `decodeBase64`, but also accepts base64url. */
export function decodeBase64url(base64: string): Uint8Array<ArrayBuffer> | null {
  return decodeBase64(base64.replaceAll("-", "+").replaceAll("_", "/"));
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.byteLength;
  }
  return whole;
}
