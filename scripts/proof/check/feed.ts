import { isDeepStrictEqual } from "node:util";
import type { Log } from "../read-state.ts";
import type { EventShape, FeedEventShape } from "../responses.ts";
import { feedDataOf } from "./feed-data.ts";
import type { Violation } from "./violation.ts";

const RULE = "the feed contains every event once";

/** Compares the feed with the logs, and the events that a follower received with the feed. */
export function checkFeed(
  logs: readonly Log[],
  feed: readonly FeedEventShape[],
  followed: readonly string[],
): Violation[] {
  const problems: { about: string | null; message: string }[] = [];
  const places = new Map<string, number>();
  const last = new Map<string, number>();
  const written = new Map<string, EventShape>();
  for (const { taskId, events } of logs) {
    for (const event of events) written.set(`${taskId}.${event.seq}`, event);
  }
  for (const [place, { taskId, seq, type, at, data }] of feed.entries()) {
    const name = `${taskId}.${seq}`;
    const line = written.get(name);
    if (places.has(name)) problems.push({ about: taskId, message: `event ${seq} appears twice` });
    if (seq < (last.get(taskId) ?? 0))
      problems.push({ about: taskId, message: `event ${seq} is out of order` });
    if (line === undefined)
      problems.push({ about: taskId, message: `event ${seq} is not in any log` });
    else if (!isDeepStrictEqual({ ...line, data: feedDataOf(line) }, { seq, type, at, data })) {
      problems.push({ about: taskId, message: `event ${seq} differs from the log` });
    }
    places.set(name, place);
    last.set(taskId, seq);
  }
  for (const [name] of written) {
    const [taskId = null] = name.split(".");
    if (!places.has(name)) problems.push({ about: taskId, message: `${name} is missing` });
  }
  const gap = followed.findIndex((name, place) => places.get(name) !== place);
  if (gap >= 0) {
    const message = `the follower received ${followed[gap]} at position ${gap}, but its position in the feed is ${places.get(followed[gap] ?? "")}`;
    problems.push({ about: null, message });
  }
  return problems.map((problem) => ({ rule: RULE, ...problem }));
}
