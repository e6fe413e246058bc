import { sql as sqlText, type SQL } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { log } from "../log.ts";
import { withTimeout } from "../timeout.ts";

/** The reason of a store's failure for the log. Drizzle's message contains SQL and values; its cause does not. */
export function redactDatabaseError(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error.name) : error;
}

/** The result of a query. If it fails or takes longer than `timeoutMs`, logs `event` and returns null. */
export async function queryOrNull<Value>(
  timeoutMs: number,
  query: Promise<Value>,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<Value | null> {
  try {
    return await withTimeout(timeoutMs, query);
  } catch (error) {
    log.warn(event, { ...fields, error: redactDatabaseError(error) });
    return null;
  }
}

/** A list of any length as a subquery with one bound parameter. */
export function jsonList(values: readonly string[]): SQL {
  return sqlText`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

export type Database = DrizzleD1Database & { readonly $client: D1Database };

const DIALECT = new SQLiteAsyncDialect();

/** One per binding, because creating a Drizzle client is expensive. */
const clientsByBinding = new WeakMap<D1Database, Database>();

/** The only place that creates Drizzle clients. */
export function getDatabase(binding: D1Database): Database {
  const known = clientsByBinding.get(binding);
  if (known !== undefined) return known;
  const client = drizzle(binding);
  clientsByBinding.set(binding, client);
  return client;
}

/**
 * Two queries of plain SQL, which Drizzle's batch does not accept, in one round trip. Returns rows as D1 returns
 * them, with the types of the queries.
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
