import type { DirectoryFilter, SortedPosition, TitleSort } from "../model/listing.ts";
import { decodeCursor, encodeCursor, type CursorScope } from "../../http/cursor.ts";
import { decodeBase64urlText, encodeBase64url } from "../../platform/crypto/hash.ts";

/** Creates a cursor for a position in a task list. The cursor is valid only with the same filter and order. */
export function writeTaskCursor(
  secret: string,
  filter: DirectoryFilter,
  { createdAt, id, titleKey }: SortedPosition,
  sort?: TitleSort,
): string {
  const key = titleKey === undefined ? [] : [encodeBase64url(new TextEncoder().encode(titleKey))];
  return encodeCursor(secret, cursorScopeOf(filter, sort), [createdAt, id, ...key].join("."));
}

/** The position in a cursor; null if this service did not create the cursor for this filter and order. */
export function readTaskCursor(
  secret: string,
  filter: DirectoryFilter,
  cursor: string,
  sort?: TitleSort,
): SortedPosition | null {
  const position = decodeCursor(secret, cursorScopeOf(filter, sort), cursor);
  if (position === null) return null;
  const [createdAt, id = "", key] = position.split(".");
  const place = { createdAt: Number(createdAt), id };
  return key === undefined ? place : { ...place, titleKey: decodeBase64urlText(key) ?? "" };
}

/** Earlier releases created cursors with at most one status, which was not in a list. Those cursors remain valid. */
function cursorScopeOf(filter: DirectoryFilter, sort: TitleSort | undefined): CursorScope {
  const { status } = filter;
  const scope = { ...filter, status: status?.length === 1 ? status[0] : status, sort };
  return { use: "cursor", filter: [JSON.stringify(scope)] };
}
