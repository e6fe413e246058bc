import type { TaskEvent } from "./events.ts";
import type { FeedEvent, FeedEventType } from "../../events/model/feed.ts";
import { toFeedData } from "../../events/model/feed-data.ts";
import { isJsonObject, type Json, type JsonObject, jsonSizeOf } from "../../kernel/json.ts";
import type { Viewer } from "../../keys/model/key.ts";
import type { LeaseGrant } from "./lease.ts";
import { CONTEXT_INLINE_BYTES_MAX, EVENT_TITLE_CHARACTERS_MAX } from "../limits.ts";
import type { Deliverable, Task } from "./task.ts";
import { sanitizeText, toIsoTime } from "../../kernel/text.ts";
import { isFileKey } from "./files.ts";

/**
 * Converts an event to the feed's format, with the data that an unbound key sees. `task`: the task after the event. All
 * tasks share the feed, so the size of client data is limited.
 */
export function toFeedEvent(
  taskId: string,
  { agentId, teamId, task, title }: Pick<Task, "agentId" | "teamId" | "task" | "title">,
  event: TaskEvent,
): FeedEvent {
  const { seq, type, at } = event;
  const shown = toFeedData(asJson(toEventData(event)));
  return {
    taskId,
    seq,
    type,
    at: toIsoTime(at),
    agentId,
    teamId,
    title: title ?? toEventTitle(task),
    ...shown,
  };
}

/** Event data in responses. The event's type determines its schema in `api/event-schemas.ts`. */
export type EventData = Readonly<Record<string, unknown>>;

/**
 * Event data as an unbound key sees it, with ISO 8601 times and without internal fields such as file storage keys and
 * lease tokens.
 */
export function toEventData(event: TaskEvent): EventData {
  switch (event.type) {
    case "created": {
      const { context, fingerprint, shard, contextId, ...data } = event.data;
      const { deadline, estimatedCompletion, ...rest } = data;
      const instants = {
        deadline: toIsoTime(deadline),
        estimatedCompletion: toIsoTime(estimatedCompletion),
      };
      return { ...rest, ...instants, ...sized("context", context) };
    }
    case "retried": {
      const { cause, context, automatic, ...rest } = event.data;
      const lost = automatic && {
        automatic: { ...automatic, notBefore: toIsoTime(automatic.notBefore) },
      };
      return { ...rest, ...lost, ...sized("context", context) };
    }
    case "updated": {
      const { context, deadline, ...rest } = event.data;
      return {
        ...rest,
        ...(deadline === undefined ? {} : { deadline: toIsoTime(deadline) }),
        ...(context === undefined ? {} : sized("context", context)),
      };
    }
    case "started":
    case "resumed": {
      const { lease, ...rest } = event.data;
      return lease === undefined ? rest : { ...rest, lease: shownLease(lease) };
    }
    case "declined": {
      const { cause, work, ...rest } = event.data;
      return work === undefined ? rest : { ...rest, ...sized("work", shownWork(work)) };
    }
    case "progressed": {
      const { cause, work, file, estimated, ...rest } = event.data;
      const handed = file && { file: shownFile(file) };
      return { ...rest, ...handed, ...sized("work", shownWork(work)) };
    }
    case "blocked": {
      const { work, ...rest } = event.data;
      return { ...rest, ...sized("work", shownWork(work)) };
    }
    case "submitted":
    case "completed":
      return { ...event.data, deliverables: event.data.deliverables.map(shownFile) };
    case "responded": {
      const { response, ...rest } = event.data;
      return { ...sized("response", response), ...rest };
    }
    default:
      return { ...event.data };
  }
}

function shownFile({ key, heldAt, createdAt, ...file }: Deliverable): EventData {
  return { ...file, createdAt: toIsoTime(createdAt) };
}

/** An agent's saved `work`, without the storage keys of its files. */
function shownWork(work: Json): Json {
  if (Array.isArray(work)) return work.map(shownWork);
  if (!isJsonObject(work)) return work;
  const { key, heldAt, ...rest } = work;
  const isFile = typeof key === "string" && isFileKey(key);
  const shown = Object.entries(isFile ? rest : work);
  return Object.fromEntries(shown.map(([name, value]) => [name, shownWork(value)]));
}

/** Event data as a viewer sees it. A bound key sees neither the other candidates nor which keys caused events. */
export function filterEventData(
  { agentId, teamId }: Viewer,
  type: FeedEventType,
  data: EventData,
): EventData {
  if (agentId === null && teamId === null) return data;
  const shown = new Map(Object.entries(data));
  shown.delete("by");
  shown.delete("decidedBy");
  if (type === "created") shown.delete("createdBy");
  if (type === "assigned") shown.delete("candidates");
  const choice: unknown = shown.get("choice");
  if (typeof choice === "object" && choice !== null) {
    const { candidates, ...own } = { candidates: null, ...choice };
    shown.set("choice", own);
  }
  return Object.fromEntries(shown);
}

/** A lease without its token, which is a secret. */
function shownLease({ worker, seconds }: LeaseGrant): EventData {
  return { worker, seconds };
}

/** The value under its name, or only its size if it is too large for a response. */
function sized(name: string, value: Json): EventData {
  const bytes = isJsonObject(value) ? jsonSizeOf(value) : 0;
  return bytes <= CONTEXT_INLINE_BYTES_MAX ? { [name]: value } : { [`${name}Bytes`]: bytes };
}

/** Event data is always valid JSON. */
function asJson(data: EventData): JsonObject {
  return data as JsonObject;
}

/** The beginning of a task's text, on one line. */
function toEventTitle(task: string): string {
  return sanitizeText(task.replaceAll(/\s+/g, " "), EVENT_TITLE_CHARACTERS_MAX);
}
