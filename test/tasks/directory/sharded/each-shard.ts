import { assignShard } from "../../../../src/platform/d1/client.ts";
import { create } from "../../../support/tasks.ts";

/** The number of directory databases in the tests of this folder. */
export const SHARDS = 3;

/** Returns a task's shard if new tasks are spread over all shards. */
export function shardOf(taskId: string): number {
  return assignShard(taskId, { first: 0, count: SHARDS });
}

/**
 * Creates tasks until each shard has one, because the platform chooses their ids. Returns one task
 * id per shard, in shard order.
 */
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
