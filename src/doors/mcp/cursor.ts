import type { Place } from "../../tools/callable.ts";

/** Before all capabilities. */
export const FIRST: Place = { seq: 0, position: -1 };

const CURSOR = /^(\d{1,15})\.(\d{1,15})$/;

/** A place in the catalogue as clients hand it back; it opens nothing that the key does not. */
export function writeCursor({ seq, position }: Place): string {
  return `${seq}.${position}`;
}

export function readCursor(cursor: string): Place | null {
  const [, seq, position] = CURSOR.exec(cursor) ?? [];
  return seq === undefined ? null : { seq: Number(seq), position: Number(position) };
}
