import type { TaskEventType, TaskEvent } from "../model/events.ts";
import type { FeedEvent } from "../../events/model/feed.ts";
import { toFeedData } from "../../events/model/feed-data.ts";
import { isJsonObject, type Json, type JsonObject, jsonSizeOf } from "../../kernel/json.ts";
import type { Viewer } from "../../keys/model/key.ts";
import type { LeaseGrant } from "../model/lease.ts";
import { CONTEXT_INLINE_BYTES_MAX, EVENT_TITLE_CHARACTERS_MAX } from "../limits.ts";
import type { Deliverable, Task } from "../model/task.ts";
import { sanitizeText } from "../../kernel/text.ts";
import { isFileKey } from "../model/file-key.ts";

/**
 * One line of a log as clients read it. Objects too large to be shown are told by their size; who
 * else was considered for the task, and by whose key it came, is not for a key bound to one of them.
 */
export function eventView(event: TaskEvent, viewer: Viewer): object {
  const { seq, type, at } = event;
  const data = dataFor(viewer, type, shownData(event));
  return { seq, type, at: iso(at), data };
}

/**
 * An event for the feed, as an unbound key reads it; `task` is the task after the event. All tasks share the
 * feed, so the size of clients' data is bounded.
 */
export function toFeedEvent(
  taskId: string,
  { agentId, teamId, task }: Pick<Task, "agentId" | "teamId" | "task">,
  event: TaskEvent,
): FeedEvent {
  const { seq, type, at } = event;
  const shown = toFeedData(asJson(shownData(event)));
  return { taskId, seq, type, at: iso(at), agentId, teamId, title: toEventTitle(task), ...shown };
}

/** An event of the feed as clients read it. */
export function feedEventView(event: FeedEvent, viewer: Viewer): object {
  const { taskId, seq, type, at, agentId, teamId, title, data, dataBytes } = event;
  return {
    taskId,
    seq,
    type,
    at,
    ...(agentId === null ? {} : { agentId }),
    ...(teamId === null ? {} : { teamId }),
    ...(title === undefined ? {} : { title }),
    data: dataFor(viewer, type, data),
    ...(dataBytes === undefined ? {} : { dataBytes }),
  };
}

/** What an unbound key reads: ISO 8601 instants, and neither internal causes nor where the bytes of a file are. */
function shownData(event: TaskEvent): object {
  switch (event.type) {
    case "created": {
      const { context, fingerprint, shard, deadline, estimatedCompletion, ...rest } = event.data;
      const instants = { deadline: iso(deadline), estimatedCompletion: iso(estimatedCompletion) };
      return { ...rest, ...instants, ...sized("context", context) };
    }
    case "retried": {
      const { cause, context, automatic, ...rest } = event.data;
      const lost = automatic && {
        automatic: { ...automatic, notBefore: iso(automatic.notBefore) },
      };
      return { ...rest, ...lost, ...sized("context", context) };
    }
    case "updated": {
      const { context, deadline, ...rest } = event.data;
      return {
        ...rest,
        ...(deadline === undefined ? {} : { deadline: iso(deadline) }),
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
      const { cause, work, file, ...rest } = event.data;
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
    case "responded":
      return sized("response", event.data.response);
    default:
      return event.data;
  }
}

function shownFile({ key, heldAt, createdAt, ...file }: Deliverable): object {
  return { ...file, createdAt: iso(createdAt) };
}

/** What an agent keeps for itself, files among it. */
function shownWork(work: Json): Json {
  if (Array.isArray(work)) return work.map(shownWork);
  if (!isJsonObject(work)) return work;
  const { key, heldAt, ...rest } = work;
  const isFile = typeof key === "string" && isFileKey(key);
  const shown = Object.entries(isFile ? rest : work);
  return Object.fromEntries(shown.map(([name, value]) => [name, shownWork(value)]));
}

function dataFor({ agentId, teamId }: Viewer, type: TaskEventType, data: object): object {
  if (agentId === null && teamId === null) return data;
  const shown = new Map(Object.entries(data));
  if (type === "created") shown.delete("createdBy");
  if (type === "assigned") shown.delete("candidates");
  const choice: unknown = shown.get("choice");
  if (typeof choice === "object" && choice !== null) {
    const { candidates, ...own } = { candidates: null, ...choice };
    shown.set("choice", own);
  }
  return Object.fromEntries(shown);
}

/** Whoever knows its token holds the task. */
function shownLease({ worker, seconds }: LeaseGrant): object {
  return { worker, seconds };
}

/** An object under its name, or its size where it is larger than an answer should carry. */
function sized(name: string, value: Json): object {
  const bytes = isJsonObject(value) ? jsonSizeOf(value) : 0;
  return bytes <= CONTEXT_INLINE_BYTES_MAX ? { [name]: value } : { [`${name}Bytes`]: bytes };
}

/** Every kind of data in a log came out of JSON or goes into it unchanged. */
function asJson(data: object): JsonObject {
  return data as JsonObject;
}

function iso(at: number): string;
function iso(at: number | null): string | null;
function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The beginning of a task's text, in one line. */
function toEventTitle(task: string): string {
  return sanitizeText(task.replaceAll(/\s+/g, " "), EVENT_TITLE_CHARACTERS_MAX);
}
