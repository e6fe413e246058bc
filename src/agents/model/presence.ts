import { WORKER_ONLINE_MS } from "../limits.ts";

/** When an agent was last seen, in milliseconds since 1970 (null if unknown), and whether it is online. */
export interface Presence {
  readonly lastSeenAt: number | null;
  readonly isOnline: boolean;
}

/**
 * A worker agent's presence at `now`. `seenAt`: the times at which it was seen; null if unknown. A worker that holds a
 * task is online, because its lease would have expired without heartbeats.
 */
export function presenceOf(
  seenAt: readonly (number | null)[],
  holdsTask: boolean,
  now: number,
): Presence {
  const known = seenAt.filter((at) => at !== null);
  const lastSeenAt = known.length === 0 ? null : Math.max(...known);
  const isRecent = lastSeenAt !== null && now - lastSeenAt <= WORKER_ONLINE_MS;
  return { lastSeenAt, isOnline: isRecent || holdsTask };
}
