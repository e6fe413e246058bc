import * as z from "zod";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { Deliverable } from "../../tasks/model/task.ts";
import { measureJsonBytes } from "./truncate.ts";

// It comes from the task's own log, which holds nothing but JSON.
const jsonObjectSchema = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

const deliverableSchema = z.object({
  type: z.string(),
  name: z.string(),
  format: z.string(),
  size: z.number(),
  key: z.string(),
  createdAt: z.number(),
  sha256: z.string().exactOptional(),
});

const outcomeSchema = z.object({
  result: z.object({
    summary: z.string(),
    insights: z.array(z.string()).readonly(),
    recommendations: z.array(z.string()).readonly(),
  }),
  quality: z
    .object({
      score: z.number(),
      accuracy: z.number(),
      completeness: z.number(),
      clarity: z.number(),
    })
    .nullable(),
  deliverables: z.array(deliverableSchema).readonly(),
});

const callSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** As the model is shown that it asked; what was too long is cut. */
  input: jsonObjectSchema,
  /** Equal for equal names and arguments. */
  digest: z.string(),
  result: z.string(),
  /** Whether the result is of others and so goes between marks. */
  isForeign: z.boolean().default(false),
  /** Whether it was no call that any function could take. */
  isBad: z.boolean().default(false),
  signature: z.string().nullable().default(null),
});
export type LlmCallRecord = z.infer<typeof callSchema>;

const turnSchema = z.object({
  text: z.string(),
  reasoning: z.string().default(""),
  calls: z.array(callSchema).default([]),
  /** What we said to the model afterwards, beside the results of its calls. */
  remark: z.string().nullable().default(null),
  /** Why we said it, so that it is not said twice. */
  reminded: z.array(z.enum(["finish", "deliverables"])).default([]),
  files: z.array(deliverableSchema).default([]),
  /** Answers and review comments that the task had when the model was asked: what it has seen. */
  answers: z.number(),
  comments: z.number(),
  /** The round's work as it was handed over for review, so that a crash after that repeats nothing. */
  handedOver: z.object({ round: z.number(), outcome: outcomeSchema }).nullable().default(null),
});

/** One turn as `task.work` keeps it. */
export type LlmTurnRecord = z.infer<typeof turnSchema>;

/**
 * The turns that were made so far, in order. What has another form was left by an agent of another
 * kind, whose checkpoints may have any name, and is as if it were not there.
 */
export function parseLlmTurns(work: JsonObject): LlmTurnRecord[] {
  const turns: LlmTurnRecord[] = [];
  for (;;) {
    const turn = turnSchema.safeParse(work[turnKey(turns.length + 1)]);
    if (!turn.success) return turns;
    turns.push(turn.data);
  }
}

/** An attempt's turns, up to the first that names a file outside the attempt's folder. */
export function parseAttemptTurns(work: JsonObject, folder: string): LlmTurnRecord[] {
  const turns = parseLlmTurns(work);
  const foreign = turns.findIndex(({ files, handedOver }) =>
    [...files, ...(handedOver?.outcome.deliverables ?? [])].some(
      ({ key }) => !key.startsWith(folder),
    ),
  );
  return foreign === -1 ? turns : turns.slice(0, foreign);
}

/** What a turn leaves in `task.work`: one key of its own, so that no earlier one is written again. */
export function serializeLlmTurn(number: number, turn: LlmTurnRecord): JsonObject {
  return { [turnKey(number)]: asJson(turn) };
}

/** How much the turns of an attempt take in the log, and about as much in each prompt. */
export function measureTranscriptBytes(turns: readonly LlmTurnRecord[]): number {
  return turns.reduce((sum, turn) => sum + measureJsonBytes(asJson(turn)), 0);
}

/** The files of all turns, the last of each name. */
export function listTurnFiles(turns: readonly Pick<LlmTurnRecord, "files">[]): Deliverable[] {
  const files = turns.flatMap((turn) => turn.files);
  return [...new Map(files.map((file) => [file.name, file])).values()];
}

function turnKey(number: number): string {
  return `turn-${number}`;
}

/** A record holds nothing but strings, numbers, lists and objects of them. */
function asJson(turn: LlmTurnRecord): Json {
  return turn as unknown as Json;
}
