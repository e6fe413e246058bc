import { sql, type SQL } from "drizzle-orm";
import type { Database } from "../platform/d1/client.ts";
import { toolsTable } from "../platform/d1/schema.ts";
import type { Category } from "./model/tool.ts";

/** The index consists of trigrams. */
const GRAM_CHARACTERS = 3;
/**
 * If more trigrams than this begin with a short search text, matches are so common that scanning the catalogue in order
 * quickly finds a page of them.
 */
const GRAMS_MAX = 2_000;

/** The parts of a query that reads the catalogue: FROM, the condition and the order. */
interface CatalogueSource {
  readonly from: SQL;
  readonly where: SQL | undefined;
  readonly order: SQL;
}

export const WHOLE_CATALOGUE: CatalogueSource = {
  from: sql`${toolsTable}`,
  where: undefined,
  order: sql`${toolsTable.seq}`,
};

/**
 * Builds the source of a query for the tools whose name or description contains `text`, which is matched literally and
 * case-insensitively. The query reads only as much of the trigram index as the page needs. `category` narrows the
 * search in the index. `isSelective`: whether other filters leave so few tools that each is looked up in the index.
 */
export async function buildSearchSource(
  db: Database,
  text: string,
  narrowed: { category: Category | undefined; isSelective: boolean },
): Promise<CatalogueSource> {
  const matchExpression = await buildMatchExpression(db, text);
  if (matchExpression === null)
    return { ...WHOLE_CATALOGUE, where: containsAny(listSpellings(text)) };
  const among =
    narrowed.category === undefined ? "" : ` AND category : ${quotePhrase(narrowed.category)}`;
  const match = `{name description} : (${matchExpression})${among}`;
  const hits = sql`SELECT rowid AS hit FROM tools_search WHERE tools_search MATCH ${match}`;
  if (narrowed.isSelective) {
    return { ...WHOLE_CATALOGUE, where: sql`EXISTS (${hits} AND rowid = ${toolsTable.seq})` };
  }
  return {
    // CROSS JOIN makes SQLite read the index first, so hits are in order and reading stops at the end of the page.
    from: sql`(${hits}) AS hits CROSS JOIN ${toolsTable}`,
    where: sql`${toolsTable.seq} = hits.hit`,
    order: sql`hits.hit`,
  };
}

/** The text as an FTS5 query; null if it matches too many trigrams. */
async function buildMatchExpression(db: Database, text: string): Promise<string | null> {
  const folded = text.toLowerCase();
  if (Array.from(folded).length >= GRAM_CHARACTERS) return quotePhrase(text);
  const grams = await findGrams(db, folded);
  if (grams.length > GRAMS_MAX) return null;
  return grams.length === 0 ? quotePhrase("") : grams.map(quotePhrase).join(" OR ");
}

/** The trigrams that begin with a text, at most GRAMS_MAX + 1. Finding each one takes one seek. */
async function findGrams(db: Database, start: string): Promise<string[]> {
  const end = `${start}\u{10FFFF}`;
  const next = (from: SQL) =>
    sql`(SELECT term FROM tools_terms WHERE term >= ${from} AND term < ${end} LIMIT 1)`;
  const rows = await db.all<{ gram: string }>(sql`
    WITH RECURSIVE grams(gram) AS (
      SELECT ${next(sql`${start}`)}
      UNION ALL
      SELECT ${next(sql`gram || char(1)`)} FROM grams WHERE gram IS NOT NULL
    )
    SELECT gram FROM grams WHERE gram IS NOT NULL LIMIT ${GRAMS_MAX + 1}
  `);
  return rows.map(({ gram }) => gram);
}

function quotePhrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** All upper- and lower-case variants of one or two letters, because SQLite's lower() converts only ASCII. */
function listSpellings(text: string): string[] {
  const cases = Array.from(text, (letter) => [letter.toLowerCase(), letter.toUpperCase()]);
  return cases.reduce<string[]>(
    (starts, letters) => starts.flatMap((start) => letters.map((letter) => start + letter)),
    [""],
  );
}

function containsAny(spellings: readonly string[]): SQL {
  const list = sql`json_each(${JSON.stringify(spellings)})`;
  return sql`EXISTS (SELECT 1 FROM ${list} WHERE instr(${toolsTable.name}, value) OR instr(${toolsTable.description}, value))`;
}
