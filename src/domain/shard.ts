const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The shards of the directory that new tasks go to: `count` of them, from the number `first` on. */
export interface Spread {
  readonly first: number;
  readonly count: number;
}

/**
 * The shard that a new task goes to: by FNV-1a of its id, so that tasks spread evenly. It is noted in the
 * task's first event, as later tasks may be spread otherwise.
 */
export function shardFor(taskId: string, { first, count }: Spread): number {
  let hash = FNV_OFFSET;
  for (let place = 0; place < taskId.length; place += 1) {
    hash = Math.imul(hash ^ taskId.charCodeAt(place), FNV_PRIME);
  }
  return first + ((hash >>> 0) % count);
}
