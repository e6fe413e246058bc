import { assignShard } from "../../../../src/platform/d1/client.ts";
import { create } from "../../../support/tasks.ts";

/** The directory databases in this folder. */
export const SHARDS = 3;

/** The shard of a task when new tasks are spread over all shards. */
export function shardOf(taskId: string): number {
  return assignShard(taskId, { first: 0, count: SHARDS });
}

/** Creates tasks until each shard has one, because the platform chooses their ids; returns them by shard. */
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
