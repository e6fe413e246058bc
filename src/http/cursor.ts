import {
  encodeBase64url,
  verifyHmac,
  signHmac,
  decodeBase64urlText,
} from "../platform/crypto/hmac.ts";

/** The list that a cursor is good for. */
export interface CursorScope {
  /** Which of the service's lists it is. */
  readonly use: string;
  /** What the list is narrowed to, each part in one line. */
  readonly filter: readonly string[];
}

/** A place in a list as clients carry it: opaque, signed, and good for that list alone. `place` is ASCII. */
export function encodeCursor(secret: string, list: CursorScope, place: string): string {
  const signature = signHmac(secret, list.use, signedTextOf(list, place));
  return encodeBase64url(new TextEncoder().encode(`${place}.${signature}`));
}

/** The place in a cursor, or null when it was not made by this service for this list. */
export function decodeCursor(secret: string, list: CursorScope, cursor: string): string | null {
  const text = decodeBase64urlText(cursor) ?? "";
  const end = text.lastIndexOf(".");
  if (end < 0) return null;
  const [place, signature] = [text.slice(0, end), text.slice(end + 1)];
  return verifyHmac(secret, list.use, signedTextOf(list, place), signature) ? place : null;
}

function signedTextOf({ filter }: CursorScope, place: string): string {
  return [place, ...filter].join("\n");
}
