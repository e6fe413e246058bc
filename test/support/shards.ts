import { env } from "cloudflare:workers";
import { onTestFinished } from "vitest";
import { listDirectoryDatabases } from "../../src/platform/d1/client.ts";

/** Whether a test file needs a directory with several databases. */
export function isSharded(file: string): boolean {
  return file.includes("/test/tasks/directory/sharded/");
}

/** Binds 1 to 3 directory databases. Applies to the Worker and to objects that start later. */
export function bindShards(count: number): void {
  for (const [place, database] of [env.SHARD_1, env.SHARD_2].entries()) {
    const name = `DIRECTORY_${place + 1}`;
    if (place + 1 < count) Reflect.set(env, name, database);
    else Reflect.deleteProperty(env, name);
  }
}

/**
 * Spreads new tasks over this number of bound databases, skipping the first `full` of them. Applies
 * to objects that start later.
 */
export function setShardCount(shards: number, full = 0): void {
  Object.assign(env, { DIRECTORY_SHARDS: String(shards), DIRECTORY_FULL: String(full) });
}

/** Returns the shards that contain a row for this task, in order. */
export async function shardsWith(taskId: string): Promise<number[]> {
  const found = await Promise.all(
    listDirectoryDatabases(env).map((database) =>
      database.prepare("SELECT id FROM directory WHERE id = ?").bind(taskId).first(),
    ),
  );
  return found.flatMap((row, shard) => (row === null ? [] : [shard]));
}

/** Returns a task's stored row in a shard, or null if there is none. */
export function rowIn(shard: number, taskId: string): Promise<Record<string, unknown> | null> {
  const database = listDirectoryDatabases(env)[shard];
  if (database === undefined) throw new Error(`Shard ${shard} does not exist`);
  return database.prepare("SELECT * FROM directory WHERE id = ?").bind(taskId).first();
}

export const rejectConnection = (): Promise<never> =>
  Promise.reject(new Error("D1_ERROR: Network connection lost."));
export const neverAnswer = (): Promise<never> => new Promise(() => {});

/** Blocks inserts into a database until the returned function releases them. */
export function holdWrites(database: D1Database): () => Promise<void> {
  const gate = Promise.withResolvers<void>();
  const held: Promise<unknown>[] = [];
  const prepare = database.prepare.bind(database);
  const late = (statement: D1PreparedStatement): object => ({
    bind: (...values: unknown[]) => late(statement.bind(...values)),
    run: () => {
      const written = gate.promise.then(() => statement.run());
      held.push(written);
      return written;
    },
  });
  const isWrite = (sql: string): boolean => sql.startsWith("insert");
  Object.assign(database, {
    prepare: (sql: string) => (isWrite(sql) ? late(prepare(sql)) : prepare(sql)),
  });
  const letThrough = async (): Promise<void> => {
    Reflect.deleteProperty(database, "prepare");
    gate.resolve();
    await Promise.all(held);
  };
  onTestFinished(letThrough);
  return letThrough;
}

/**
 * Disconnects one database from the Worker and all objects until the returned function reconnects
 * it.
 */
export function disconnectDatabase(
  database: D1Database,
  answer: () => Promise<never> = rejectConnection,
): () => void {
  const statement = {
    bind: () => statement,
    all: answer,
    raw: answer,
    first: answer,
    run: answer,
  };
  // Override only this binding, because its prototype is shared with the other databases.
  Object.assign(database, { prepare: () => statement, batch: answer });
  const bringBack = (): void => {
    Reflect.deleteProperty(database, "prepare");
    Reflect.deleteProperty(database, "batch");
  };
  onTestFinished(bringBack);
  return bringBack;
}
