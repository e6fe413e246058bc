import type { SQL } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";

/** Why a store failed, for the log: drizzle's own message tells the SQL with all its values, its cause does not. */
export function redactDatabaseError(fault: unknown): unknown {
  return fault instanceof Error ? (fault.cause ?? fault.name) : fault;
}

export type Database = DrizzleD1Database & { readonly $client: D1Database };

const DIALECT = new SQLiteAsyncDialect();

/** Made once for each binding, as drizzle is not made for free. */
const clientsByBinding = new WeakMap<D1Database, Database>();

/** The one place where D1 meets drizzle. */
export function getDatabase(binding: D1Database): Database {
  const known = clientsByBinding.get(binding);
  if (known !== undefined) return known;
  const made = drizzle(binding);
  clientsByBinding.set(binding, made);
  return made;
}

/**
 * Two queries in one round trip, their rows as D1 gives them and of the types that the queries say: plain
 * SQL, which drizzle's own batch does not take.
 */
export async function queryBoth<One, Other>(
  { $client: binding }: Database,
  one: SQL<One>,
  other: SQL<Other>,
): Promise<[one: One[], other: Other[]]> {
  const statements = [one, other].map((query) => {
    const { sql, params } = DIALECT.sqlToQuery(query);
    return binding.prepare(sql).bind(...params);
  });
  const [first, second] = await binding.batch<never>(statements);
  return [first?.results ?? [], second?.results ?? []];
}
