import * as z from "zod";
import type { JsonObject } from "../../kernel/json.ts";
import type { Task } from "../../tasks/model/task.ts";

const endpointSchema = z.object({
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
export type A2aEndpoint = Readonly<z.infer<typeof endpointSchema>>;

const checkpointSchema = z.object({
  endpoint: endpointSchema.nullable(),
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
export type A2aCheckpoint = Readonly<z.infer<typeof checkpointSchema>>;

/** Before anything was said in an attempt. */
export function createA2aCheckpoint(now: number): A2aCheckpoint {
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

const CHECKPOINT_KEY = "a2a";

/** What earlier turns of the attempt have left, or null in its first. */
export function parseA2aCheckpoint(work: JsonObject): A2aCheckpoint | null {
  const checkpoint = checkpointSchema.safeParse(work[CHECKPOINT_KEY]);
  return checkpoint.success ? checkpoint.data : null;
}

/** The same once people have set the agent to work anew: its work does not age while it waits for them. */
export function resetCheckpointAge(
  checkpoint: A2aCheckpoint,
  { workStartSeq, lastStepAt }: Task,
): A2aCheckpoint {
  if (checkpoint.opened === workStartSeq) return checkpoint;
  return { ...checkpoint, opened: workStartSeq, since: Math.max(checkpoint.since, lastStepAt) };
}

export function serializeA2aCheckpoint(checkpoint: A2aCheckpoint): JsonObject {
  const { endpoint, own } = checkpoint;
  return {
    [CHECKPOINT_KEY]: {
      ...checkpoint,
      own: [...own],
      endpoint: endpoint === null ? null : { ...endpoint },
    },
  };
}
