import type { ListPosition, DirectoryFilter } from "../model/listing.ts";
import { decodeCursor, encodeCursor, type CursorScope } from "../../http/cursor.ts";

/** Creates a cursor for a position in a task list. The cursor is valid only with the same filter. */
export function writeTaskCursor(
  secret: string,
  filter: DirectoryFilter,
  { createdAt, id }: ListPosition,
): string {
  return encodeCursor(secret, cursorScopeOf(filter), `${createdAt}.${id}`);
}

/** The position in a cursor; null if this service did not create the cursor for this filter. */
export function readTaskCursor(
  secret: string,
  filter: DirectoryFilter,
  cursor: string,
): ListPosition | null {
  const position = decodeCursor(secret, cursorScopeOf(filter), cursor);
  if (position === null) return null;
  const [createdAt, id = ""] = position.split(".");
  return { createdAt: Number(createdAt), id };
}

/** Earlier releases created cursors with at most one status, which was not in a list. Those cursors remain valid. */
function cursorScopeOf(filter: DirectoryFilter): CursorScope {
  const { status } = filter;
  const scope = { ...filter, status: status?.length === 1 ? status[0] : status };
  return { use: "cursor", filter: [JSON.stringify(scope)] };
}
