import { DrizzleQueryError, getTableColumns, sql as sqlText, type SQL } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import { SQLiteAsyncDialect, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { log } from "../log.ts";
import { withTimeout } from "../promises.ts";
import { hashText } from "../../kernel/text.ts";
import { DIRECTORY_SHARDS_MAX } from "../limits.ts";

/**
 * Removes SQL and values from an error. The message of a Drizzle error contains them, but the error's cause does not.
 */
export function redactDatabaseError(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? (error.cause ?? error.name) : error;
}

/** Waits for a query. If it fails or takes longer than `timeoutMs`, logs `event` and returns null. */
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

/** One client per binding, because creating a Drizzle client is expensive. */
const clientsByBinding = new WeakMap<D1Database, Database>();

/** The only place that creates Drizzle clients. */
export function getDatabase(binding: D1Database): Database {
  const known = clientsByBinding.get(binding);
  if (known !== undefined) return known;
  const client = drizzle(binding);
  clientsByBinding.set(binding, client);
  return client;
}

/** Inserts a row if `condition` holds. */
export function buildConditionalInsert<Table extends SQLiteTable>(
  db: Database,
  table: Table,
  row: Table["$inferSelect"],
  condition: SQL,
) {
  const values = Object.entries(getTableColumns(table)).map(
    ([name, column]) => sqlText`${sqlText.param(Reflect.get(row, name), column)}`,
  );
  return db
    .insert(table)
    .select(sqlText`SELECT ${sqlText.join(values, sqlText`, `)} WHERE ${condition}`);
}

/**
 * Runs two plain SQL queries in one round trip. Drizzle's own batch does not accept plain SQL. Rows are returned as D1
 * returns them.
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

/** The directory's databases by shard number. The first one also contains all other tables. */
export type DirectoryDatabases = readonly [D1Database, ...D1Database[]];

export type DirectoryEnv = Pick<Env, "DB" | `DIRECTORY_${number}`>;
export type ShardRangeEnv = DirectoryEnv & Pick<Env, "DIRECTORY_SHARDS" | "DIRECTORY_FULL">;

const FURTHER_BINDINGS = Array.from(
  { length: DIRECTORY_SHARDS_MAX - 1 },
  (_, place) => `DIRECTORY_${place + 1}` as const,
);

/** All bound databases. Lists read all of them, including those that store no new tasks. */
export function listDirectoryDatabases(env: DirectoryEnv): DirectoryDatabases {
  const further: D1Database[] = [];
  for (const [place, name] of FURTHER_BINDINGS.entries()) {
    const bound = env[name];
    if (bound === undefined) continue;
    if (further.length < place) throw missingBindingError(`${name} is bound`, further.length + 1);
    further.push(bound);
  }
  return [env.DB, ...further];
}

/** The first DIRECTORY_SHARDS shards, except the first DIRECTORY_FULL. Throws if one is not bound or none remains. */
export function readShardRange(env: ShardRangeEnv): ShardRange {
  const shards = parseWholeNumber(
    "DIRECTORY_SHARDS",
    env.DIRECTORY_SHARDS,
    1,
    DIRECTORY_SHARDS_MAX,
  );
  const { length } = listDirectoryDatabases(env);
  if (shards > length) throw missingBindingError(`DIRECTORY_SHARDS is ${shards}`, length);
  const first = parseWholeNumber("DIRECTORY_FULL", env.DIRECTORY_FULL, 0, shards - 1);
  return { first, count: shards - first };
}

/** The database that stores an existing task. */
export function getDirectoryDatabase(shards: DirectoryDatabases, shard: number): D1Database {
  const found = shards[shard];
  if (found === undefined)
    throw missingBindingError(`A task is in shard ${shard} of the directory`, shard);
  return found;
}

function missingBindingError(fact: string, shard: number): Error {
  return new Error(`${fact}, but the D1 database DIRECTORY_${shard} is not bound`);
}

function parseWholeNumber(name: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (value !== "" && Number.isInteger(number) && number >= least && number <= most) return number;
  const rule = `must be a whole number from ${least} to ${most}`;
  throw new Error(`${name} ${rule}, got ${JSON.stringify(value)}`);
}

/** The shards for new tasks: `count` shards, starting with shard number `first`. */
export interface ShardRange {
  readonly first: number;
  readonly count: number;
}

/**
 * The shard of a new task, based on the FNV-1a hash of its id. The task's first event records the shard, because the
 * number of shards can change.
 */
export function assignShard(taskId: string, { first, count }: ShardRange): number {
  return first + (hashText(taskId) % count);
}
