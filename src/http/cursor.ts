import { base64url, isSigned, sign, textOfBase64url } from "./signature.ts";

/** The list that a cursor is good for. */
export interface Listing {
  /** Which of the service's lists it is. */
  readonly use: string;
  /** What the list is narrowed to, each part in one line. */
  readonly filter: readonly string[];
}

/** A place in a list as clients carry it: opaque, signed, and good for that list alone. `place` is ASCII. */
export function writeCursor(secret: string, list: Listing, place: string): string {
  const signature = sign(secret, list.use, textOf(list, place));
  return base64url(new TextEncoder().encode(`${place}.${signature}`));
}

/** The place in a cursor, or null when it was not made by this service for this list. */
export function readCursor(secret: string, list: Listing, cursor: string): string | null {
  const text = textOfBase64url(cursor) ?? "";
  const end = text.lastIndexOf(".");
  if (end < 0) return null;
  const [place, signature] = [text.slice(0, end), text.slice(end + 1)];
  return isSigned(secret, list.use, textOf(list, place), signature) ? place : null;
}

function textOf({ filter }: Listing, place: string): string {
  return [place, ...filter].join("\n");
}
