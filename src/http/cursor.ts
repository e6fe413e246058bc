import {
  encodeBase64url,
  verifyHmac,
  signHmac,
  decodeBase64urlText,
} from "../platform/crypto/hash.ts";

/** The list that a cursor is valid for. */
export interface CursorScope {
  /** Which of the service's lists it is. */
  readonly use: string;
  /** The filter of the list, one line per part. */
  readonly filter: readonly string[];
}

/** A position in a list for clients: opaque, signed, and valid for that list only. `place` is ASCII. */
export function encodeCursor(secret: string, list: CursorScope, place: string): string {
  const signature = signHmac(secret, list.use, signedTextOf(list, place));
  return encodeBase64url(new TextEncoder().encode(`${place}.${signature}`));
}

/** The position in a cursor, or null if this service did not create it for this list. */
export function decodeCursor(secret: string, list: CursorScope, cursor: string): string | null {
  const text = decodeBase64urlText(cursor) ?? "";
  const end = text.lastIndexOf(".");
  if (end < 0) return null;
  const [place, signature] = [text.slice(0, end), text.slice(end + 1)];
  return verifyHmac(secret, list.use, signedTextOf(list, place), signature) ? place : null;
}

/** The number in a cursor whose position is a number; null as above. */
export function decodeNumberCursor(
  secret: string,
  list: CursorScope,
  cursor: string,
): number | null {
  const place = decodeCursor(secret, list, cursor);
  return place === null ? null : Number(place);
}

function signedTextOf({ filter }: CursorScope, place: string): string {
  return [place, ...filter].join("\n");
}
