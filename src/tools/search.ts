import { sql, type SQL } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { tools } from "../db/schema.ts";

/** The index holds three letters at a time. */
const GRAM_CHARACTERS = 3;
/** Up to here the places of a one or two letter text are read from the index; beyond, it is so common
 *  that walking the catalogue in order meets a page of matches soon. */
const PLACES_READ_MAX = 2_000;

/**
 * The condition that a tool's name or description holds `text`: a substring, case-insensitive, in which
 * no character is special. Reads the trigram index, never the whole table.
 */
export async function searchCondition(db: Database, text: string): Promise<SQL> {
  const folded = text.toLowerCase();
  if (Array.from(folded).length >= GRAM_CHARACTERS) {
    const phrase = `"${text.replaceAll('"', '""')}"`;
    return sql`${tools.seq} IN (SELECT rowid FROM tools_search WHERE tools_search MATCH ${phrase})`;
  }
  const places = sql`SELECT doc FROM tools_terms WHERE term >= ${folded} AND term < ${`${folded}\u{10FFFF}`}`;
  const found = await db.get<{ count: number }>(
    sql`SELECT count(*) AS count FROM (${places} LIMIT ${PLACES_READ_MAX + 1})`,
  );
  if (found.count <= PLACES_READ_MAX) return sql`${tools.seq} IN (${places})`;
  const held = (column: SQL) => sql`instr(lower(${column}), ${folded}) > 0`;
  return sql`(${held(sql`${tools.name}`)} OR ${held(sql`${tools.description}`)})`;
}
