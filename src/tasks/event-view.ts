import type { EventData, TaskEvent } from "../domain/events.ts";
import { isJsonObject, type Json } from "../domain/json.ts";
import type { Viewer } from "../domain/key.ts";
import type { LeaseGrant } from "../domain/lease.ts";
import { CONTEXT_SHOWN_BYTES_MAX } from "../domain/limits.ts";
import { jsonBytes } from "../domain/size.ts";
import type { Choice } from "../domain/task.ts";

/**
 * One line of a log as clients read it. Objects too large to be shown are told by their size; who
 * else was considered for the task, and by whose key it came, is not for a key bound to one of them.
 */
export function eventView(event: TaskEvent, viewer: Viewer): object {
  const { seq, type, at } = event;
  return { seq, type, at: new Date(at).toISOString(), data: shownData(event, viewer) };
}

function shownData(event: TaskEvent, viewer: Viewer): object {
  switch (event.type) {
    case "created":
      return createdData(event.data, viewer);
    case "assigned":
      return choiceFor(viewer, event.data);
    case "retried": {
      const { choice, context, ...rest } = event.data;
      return { ...rest, choice: choice && choiceFor(viewer, choice), ...sized("context", context) };
    }
    case "updated": {
      const { context, ...rest } = event.data;
      return { ...rest, ...(context === undefined ? {} : sized("context", context)) };
    }
    case "started":
    case "resumed": {
      const { lease, ...rest } = event.data;
      return lease === undefined ? rest : { ...rest, lease: shownLease(lease) };
    }
    case "responded":
      return sized("response", event.data.response);
    default:
      return event.data;
  }
}

/** Whoever knows its token holds the task. */
function shownLease({ worker, seconds }: LeaseGrant): object {
  return { worker, seconds };
}

function createdData(data: EventData["created"], viewer: Viewer): object {
  const { context, fingerprint, createdBy, choice, ...rest } = data;
  return {
    ...rest,
    ...(isBound(viewer) ? {} : { createdBy }),
    choice: choice && choiceFor(viewer, choice),
    ...sized("context", context),
  };
}

function choiceFor(viewer: Viewer, choice: Choice): object {
  const { candidates, ...own } = choice;
  return isBound(viewer) ? own : { ...own, candidates };
}

/** An object under its name, or its size where it is larger than an answer should carry. */
function sized(name: string, value: Json): object {
  const bytes = isJsonObject(value) ? jsonBytes(value) : 0;
  return bytes <= CONTEXT_SHOWN_BYTES_MAX ? { [name]: value } : { [`${name}Bytes`]: bytes };
}

function isBound({ agentId, teamId }: Viewer): boolean {
  return agentId !== null || teamId !== null;
}
