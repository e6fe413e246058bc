import * as z from "zod";
import type { JsonObject } from "../../../domain/json.ts";
import type { Task } from "../../../domain/task.ts";

const ENDPOINT = z.object({
  cardUrl: z.string(),
  url: z.string().refine((url) => URL.canParse(url)),
  binding: z.enum(["JSONRPC", "HTTP+JSON"]),
  tenant: z.string(),
  streaming: z.boolean(),
  takesData: z.boolean(),
});

/**
 * Where and how an agent is spoken to, as its card says. `takesData`: whether JSON can be sent as
 * such; `streaming` turns false for a task whose streams have proved to be of no use.
 */
export type Endpoint = Readonly<z.infer<typeof ENDPOINT>>;

const HELD = z.object({
  endpoint: ENDPOINT.nullable(),
  isStarted: z.boolean(),
  taskId: z.string().nullable(),
  contextId: z.string().nullable(),
  answers: z.number(),
  own: z.array(z.number()),
  round: z.number(),
  comments: z.number(),
  since: z.number(),
  opened: z.number().default(0),
  noted: z.number().default(0),
  asked: z.string().nullable(),
});

/**
 * What the turns of one attempt hand on to each other.
 * `isStarted`: whether the agent has taken the task; `taskId`, `contextId`: as it calls it, if it does.
 * `answers`, `round`, `comments`: how many of each the agent has heard of. `own`: places of answers
 * that are not for it, as the question was not its.
 * `since`: when it was last spoken to, or people last let it go on; `noted`: when the log was last told
 * of it; both in milliseconds since 1970. `opened`: the event of ours for which `since` holds.
 * `asked`: the mark of the status in which it asked, null when it has not; see `Sight.mark`.
 */
export type Held = Readonly<z.infer<typeof HELD>>;

/** Before anything was said in an attempt. */
export function freshHeld(now: number): Held {
  return {
    endpoint: null,
    isStarted: false,
    taskId: null,
    contextId: null,
    answers: 0,
    own: [],
    round: 0,
    comments: 0,
    since: now,
    opened: 0,
    noted: 0,
    asked: null,
  };
}

const KEY = "a2a";

/** What earlier turns of the attempt have left, or null in its first. */
export function heldOf(work: JsonObject): Held | null {
  const held = HELD.safeParse(work[KEY]);
  return held.success ? held.data : null;
}

/** The same once people have set the agent to work anew: its work does not age while it waits for them. */
export function reopened(held: Held, { openedSeq, steppedAt }: Task): Held {
  if (held.opened === openedSeq) return held;
  return { ...held, opened: openedSeq, since: Math.max(held.since, steppedAt) };
}

export function workOf(held: Held): JsonObject {
  const { endpoint, own } = held;
  return {
    [KEY]: { ...held, own: [...own], endpoint: endpoint === null ? null : { ...endpoint } },
  };
}
