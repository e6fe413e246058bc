import { base64url, isSigned, sign, textOfBase64url } from "../http/signature.ts";

const USE = "feed";

/** A place in the feed as clients carry it, opaque and signed; good under any filter. */
export async function writeFeedCursor(secret: string, position: number): Promise<string> {
  const signature = await sign(secret, USE, String(position));
  return base64url(new TextEncoder().encode(`${position}.${signature}`));
}

/** The position in a cursor, or null when it was not made by this service. */
export async function readFeedCursor(secret: string, cursor: string): Promise<number | null> {
  const [position = "", signature = ""] = (textOfBase64url(cursor) ?? "").split(".");
  return (await isSigned(secret, USE, position, signature)) ? Number(position) : null;
}
