import { DIRECTORY_SHARDS_MAX } from "../domain/limits.ts";
import type { Spread } from "../domain/shard.ts";

/** The databases that the directory lies in, by the number of their shard. The first holds all else as well. */
export type Shards = readonly [D1Database, ...D1Database[]];

export type ShardsEnv = Pick<Env, "DB" | `DIRECTORY_${number}`>;
export type SpreadEnv = ShardsEnv & Pick<Env, "DIRECTORY_SHARDS" | "DIRECTORY_FULL">;

const FURTHER = Array.from(
  { length: DIRECTORY_SHARDS_MAX - 1 },
  (_, place) => `DIRECTORY_${place + 1}` as const,
);

/** Every database that is bound: its tasks are listed, whether or not new ones go there any more, or yet. */
export function shardsOf(env: ShardsEnv): Shards {
  const further: D1Database[] = [];
  for (const [place, name] of FURTHER.entries()) {
    const bound = env[name];
    if (bound === undefined) continue;
    if (further.length < place) throw missing(`${name} is bound`, further.length + 1);
    further.push(bound);
  }
  return [env.DB, ...further];
}

/**
 * Which of them get new tasks: the first DIRECTORY_SHARDS without the DIRECTORY_FULL first of those. A number
 * without its bindings, or that leaves none, is a mistake worth an error.
 */
export function spreadOf(env: SpreadEnv): Spread {
  const shards = whole("DIRECTORY_SHARDS", env.DIRECTORY_SHARDS, 1, DIRECTORY_SHARDS_MAX);
  const { length } = shardsOf(env);
  if (shards > length) throw missing(`DIRECTORY_SHARDS is ${shards}`, length);
  const first = whole("DIRECTORY_FULL", env.DIRECTORY_FULL, 0, shards - 1);
  return { first, count: shards - first };
}

/** The database of a task that was once put there. */
export function shardAt(shards: Shards, shard: number): D1Database {
  const found = shards[shard];
  if (found === undefined) throw missing(`A task lies in shard ${shard} of the directory`, shard);
  return found;
}

function missing(fact: string, shard: number): Error {
  return new Error(`${fact}, but the D1 database DIRECTORY_${shard} is not bound`);
}

function whole(name: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (value !== "" && Number.isInteger(number) && number >= least && number <= most) return number;
  const rule = `must be a whole number from ${least} to ${most}`;
  throw new Error(`${name} ${rule}, not ${JSON.stringify(value)}`);
}
