import { hashText } from "../../kernel/text.ts";
import type { FeedEvent, FeedFilter } from "./feed.ts";

/**
 * Hashes of the agents, teams, tasks and types in a segment of the feed. A hash collision can cause a segment without a
 * match to be read, but never a matching segment to be skipped.
 */
export type SegmentKeys = Uint32Array<ArrayBuffer>;

export function buildSegmentKeys(events: Iterable<FeedEvent>): SegmentKeys {
  const keys = new Set<number>();
  for (const event of events) {
    keys.add(hashSegmentKey("type", event.type));
    for (const key of hashIds(event)) keys.add(key);
  }
  return Uint32Array.from(keys);
}

/** Whether a filter can exclude events, so that segments can be skipped. */
export function isSelectiveFilter({ types, agentId, teamId, taskId }: FeedFilter): boolean {
  return types !== null || agentId !== null || teamId !== null || taskId !== null;
}

/** Returns a test that is false only for segments in which no event passes the filter. */
export function createSegmentTest(filter: FeedFilter): (keys: SegmentKeys) => boolean {
  const required = hashIds(filter);
  const oneOf = filter.types?.map((type) => hashSegmentKey("type", type)) ?? null;
  return (keys) =>
    required.every((key) => keys.includes(key)) &&
    (oneOf === null || oneOf.some((key) => keys.includes(key)));
}

function hashIds({ taskId, agentId, teamId }: Omit<FeedFilter, "types">): number[] {
  const ids = { task: taskId, agent: agentId, team: teamId };
  return Object.entries(ids).flatMap(([kind, id]) => (id === null ? [] : hashSegmentKey(kind, id)));
}

/** Hashes are stored, so this function must never change. */
function hashSegmentKey(kind: string, value: string): number {
  return hashText(`${kind}:${value}`);
}
