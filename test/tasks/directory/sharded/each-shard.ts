import { assignShard } from "../../../../src/platform/d1/client.ts";
import { create } from "../../../support/tasks.ts";

/** Databases of the directory in this folder. */
export const SHARDS = 3;

/** The shard of a task, where new ones are spread over all. */
export function shardOf(taskId: string): number {
  return assignShard(taskId, { first: 0, count: SHARDS });
}

/** Makes tasks until there is one in each shard, by its number: their ids are the platform's. */
export async function createTaskInEachShard(
  make: () => Promise<string> = create,
): Promise<string[]> {
  const found = new Map<number, string>();
  while (found.size < SHARDS) {
    const id = await make();
    found.set(shardOf(id), id);
  }
  return Array.from({ length: SHARDS }, (_, shard) => found.get(shard) ?? "");
}
