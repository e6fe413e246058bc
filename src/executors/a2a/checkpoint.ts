import * as z from "zod";
import type { JsonObject } from "../../kernel/json.ts";
import { type Task, workStartSeqOf } from "../../tasks/model/task.ts";

const endpointSchema = z.object({
  cardUrl: z.string(),
  url: z.string().refine((url) => URL.canParse(url)),
  binding: z.enum(["JSONRPC", "HTTP+JSON"]),
  tenant: z.string(),
  streaming: z.boolean(),
  takesData: z.boolean(),
});

/** The used interface. `takesData`: accepts JSON parts. `streaming` turns false for a task whose streams have failed. */
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
 * State that one turn of an attempt leaves to the next.
 * `isStarted`: the agent has accepted the task. `taskId`, `contextId`: the agent's own ids.
 * `answers`, `round`, `comments`: how many of each the agent has received. `own`: indexes of answers to
 * questions of ours, which are not sent. `opened`: sequence number of the work start that `since` is for.
 * `since`: time of the last message to the agent or of the last resumption by people; `noted`: time of the
 * last progress report. `asked`: status key of the agent's open question; see `RemoteTaskState.statusKey`.
 */
export type A2aCheckpoint = Readonly<z.infer<typeof checkpointSchema>>;

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

/** The checkpoint of the previous turn; null in the first turn of an attempt. */
export function parseA2aCheckpoint(work: JsonObject): A2aCheckpoint | null {
  const checkpoint = checkpointSchema.safeParse(work[CHECKPOINT_KEY]);
  return checkpoint.success ? checkpoint.data : null;
}

/** Restarts the age after people resume the task: time spent waiting for them does not count. */
export function resetCheckpointAge(checkpoint: A2aCheckpoint, task: Task): A2aCheckpoint {
  const opened = workStartSeqOf(task);
  if (checkpoint.opened === opened) return checkpoint;
  return { ...checkpoint, opened, since: Math.max(checkpoint.since, task.lastStepAt) };
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
