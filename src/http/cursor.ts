import {
  encodeBase64url,
  verifyHmac,
  signHmac,
  decodeBase64urlText,
} from "../platform/crypto/hash.ts";

/** The list that a cursor is valid for. */
export interface CursorScope {
  /** The kind of list. A cursor for one kind is invalid for every other kind. */
  readonly use: string;
  /** The list's filters, one string per filter. */
  readonly filter: readonly string[];
}

/** Encodes a position in a list as an opaque, signed cursor that is valid only for that list. `place` must be ASCII. */
export function encodeCursor(secret: string, list: CursorScope, place: string): string {
  const signature = signHmac(secret, list.use, signedTextOf(list, place));
  return encodeBase64url(new TextEncoder().encode(`${place}.${signature}`));
}

/** The position that a cursor encodes; null if this service did not create the cursor for this list. */
export function decodeCursor(secret: string, list: CursorScope, cursor: string): string | null {
  const text = decodeBase64urlText(cursor) ?? "";
  const end = text.lastIndexOf(".");
  if (end < 0) return null;
  const [place, signature] = [text.slice(0, end), text.slice(end + 1)];
  return verifyHmac(secret, list.use, signedTextOf(list, place), signature) ? place : null;
}

/** Like `decodeCursor`, for positions that are numbers. */
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
