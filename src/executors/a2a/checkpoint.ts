import * as z from "zod";
import { asJson, type JsonObject } from "../../kernel/json.ts";
import { type Task, workStartSeqOf } from "../../tasks/model/task.ts";

const endpointSchema = z.object({
  cardUrl: z.string(),
  url: z.string().refine((url) => URL.canParse(url)),
  binding: z.enum(["JSONRPC", "HTTP+JSON"]),
  tenant: z.string(),
  streaming: z.boolean(),
  takesData: z.boolean(),
});

/**
 * The interface in use. `takesData`: it accepts JSON parts. `streaming`: it can stream, and no stream for this task has
 * failed permanently.
 */
export type A2aEndpoint = Readonly<z.infer<typeof endpointSchema>>;

const checkpointSchema = z.object({
  endpoint: endpointSchema.nullable().default(null),
  isStarted: z.boolean().default(false),
  taskId: z.string().nullable().default(null),
  contextId: z.string().nullable().default(null),
  answers: z.number().default(0),
  own: z.array(z.number()).default([]),
  round: z.number().default(0),
  comments: z.number().default(0),
  since: z.number(),
  opened: z.number().default(0),
  noted: z.number().default(0),
  asked: z.string().nullable().default(null),
});

/**
 * State that a turn passes to the next one. `taskId` and `contextId` are the agent's ids. `answers` and `comments`
 * count the answers and review comments that the agent has received; `round` is the latest round that it was informed
 * of. `own` contains the indexes of answers to our own questions. `since` is when the agent last received a message or
 * people last resumed the task. `opened` identifies that resumption. `noted` is when progress was last reported.
 * `asked` is the `statusKey` of the open question.
 */
export type A2aCheckpoint = Readonly<z.infer<typeof checkpointSchema>>;

export function createA2aCheckpoint(since: number): A2aCheckpoint {
  return checkpointSchema.parse({ since });
}

const CHECKPOINT_KEY = "a2a";

/** The checkpoint of the previous turn; null in the first turn of an attempt. */
export function parseA2aCheckpoint(work: JsonObject): A2aCheckpoint | null {
  const checkpoint = checkpointSchema.safeParse(work[CHECKPOINT_KEY]);
  return checkpoint.success ? checkpoint.data : null;
}

/** Resets the task's age when people resume the task, because time spent waiting for people does not count. */
export function resetCheckpointAge(checkpoint: A2aCheckpoint, task: Task): A2aCheckpoint {
  const opened = workStartSeqOf(task);
  if (checkpoint.opened === opened) return checkpoint;
  return { ...checkpoint, opened, since: Math.max(checkpoint.since, task.lastStepAt) };
}

export function serializeA2aCheckpoint(checkpoint: A2aCheckpoint): JsonObject {
  return { [CHECKPOINT_KEY]: asJson(checkpoint) };
}
