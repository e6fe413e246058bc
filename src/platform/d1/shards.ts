import { DIRECTORY_SHARDS_MAX } from "../limits.ts";

/** The databases that the directory lies in, by the number of their shard. The first holds all else as well. */
export type DirectoryDatabases = readonly [D1Database, ...D1Database[]];

export type DirectoryEnv = Pick<Env, "DB" | `DIRECTORY_${number}`>;
export type ShardRangeEnv = DirectoryEnv & Pick<Env, "DIRECTORY_SHARDS" | "DIRECTORY_FULL">;

const FURTHER_BINDINGS = Array.from(
  { length: DIRECTORY_SHARDS_MAX - 1 },
  (_, place) => `DIRECTORY_${place + 1}` as const,
);

/** Every database that is bound: its tasks are listed, whether or not new ones go there any more, or yet. */
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

/**
 * Which of them get new tasks: the first DIRECTORY_SHARDS without the DIRECTORY_FULL first of those. A number
 * without its bindings, or that leaves none, is a mistake worth an error.
 */
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

/** The database of a task that was once put there. */
export function getDirectoryDatabase(shards: DirectoryDatabases, shard: number): D1Database {
  const found = shards[shard];
  if (found === undefined)
    throw missingBindingError(`A task lies in shard ${shard} of the directory`, shard);
  return found;
}

function missingBindingError(fact: string, shard: number): Error {
  return new Error(`${fact}, but the D1 database DIRECTORY_${shard} is not bound`);
}

function parseWholeNumber(name: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (value !== "" && Number.isInteger(number) && number >= least && number <= most) return number;
  const rule = `must be a whole number from ${least} to ${most}`;
  throw new Error(`${name} ${rule}, not ${JSON.stringify(value)}`);
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The shards of the directory that new tasks go to: `count` of them, from the number `first` on. */
export interface ShardRange {
  readonly first: number;
  readonly count: number;
}

/**
 * The shard that a new task goes to: by FNV-1a of its id, so that tasks spread evenly. It is noted in the
 * task's first event, as later tasks may be spread otherwise.
 */
export function assignShard(taskId: string, { first, count }: ShardRange): number {
  let hash = FNV_OFFSET;
  for (let place = 0; place < taskId.length; place += 1) {
    hash = Math.imul(hash ^ taskId.charCodeAt(place), FNV_PRIME);
  }
  return first + ((hash >>> 0) % count);
}
