import { hashText } from "../../kernel/text.ts";
import type { FeedEvent, FeedFilter } from "./feed.ts";

/**
 * Hashes of the agents, teams, tasks and types in a segment of the feed. If two values share a hash, a
 * segment without a match may be read, but a segment with a match is never skipped.
 */
export type SegmentKeys = Uint32Array<ArrayBuffer>;

type SegmentKeyKind = "agent" | "team" | "task" | "type";

export function buildSegmentKeys(events: Iterable<FeedEvent>): SegmentKeys {
  const keys = new Set<number>();
  for (const { type, taskId, agentId, teamId } of events) {
    keys.add(hashSegmentKey("type", type)).add(hashSegmentKey("task", taskId));
    if (agentId !== null) keys.add(hashSegmentKey("agent", agentId));
    if (teamId !== null) keys.add(hashSegmentKey("team", teamId));
  }
  return Uint32Array.from(keys);
}

/** Whether a filter can exclude events, so that segments can be skipped. */
export function isSelectiveFilter({ types, agentId, teamId, taskId }: FeedFilter): boolean {
  return types !== null || agentId !== null || teamId !== null || taskId !== null;
}

/** Returns a test that is false only for segments without an event that passes the filter. */
export function createSegmentTest(filter: FeedFilter): (keys: SegmentKeys) => boolean {
  const { types, agentId, teamId, taskId } = filter;
  const required = [
    ...(taskId === null ? [] : [hashSegmentKey("task", taskId)]),
    ...(agentId === null ? [] : [hashSegmentKey("agent", agentId)]),
    ...(teamId === null ? [] : [hashSegmentKey("team", teamId)]),
  ];
  const oneOf = types?.map((type) => hashSegmentKey("type", type)) ?? null;
  return (keys) =>
    required.every((key) => keys.includes(key)) &&
    (oneOf === null || oneOf.some((key) => keys.includes(key)));
}

/** Hashes are stored, so this function must never change. */
function hashSegmentKey(kind: SegmentKeyKind, value: string): number {
  return hashText(`${kind}:${value}`);
}
