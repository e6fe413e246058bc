import { base64url, isSigned, sign, textOfBase64url } from "../http/signature.ts";
import type { DirectoryFilter, Place } from "./directory.ts";

const USE = "cursor";

/** A place in a list as clients carry it: opaque, signed, and good for one filter only. */
export async function writeCursor(
  secret: string,
  filter: DirectoryFilter,
  { createdAt, id }: Place,
): Promise<string> {
  const place = `${createdAt}.${id}`;
  const signature = await sign(secret, USE, `${place}\n${JSON.stringify(filter)}`);
  return base64url(new TextEncoder().encode(`${place}.${signature}`));
}

/** The place in a cursor, or null when it was not made by this service for this filter. */
export async function readCursor(
  secret: string,
  filter: DirectoryFilter,
  cursor: string,
): Promise<Place | null> {
  const [createdAt, id, signature] = (textOfBase64url(cursor) ?? "").split(".");
  if (createdAt === undefined || id === undefined || signature === undefined) return null;
  const text = `${createdAt}.${id}\n${JSON.stringify(filter)}`;
  return (await isSigned(secret, USE, text, signature))
    ? { createdAt: Number(createdAt), id }
    : null;
}
