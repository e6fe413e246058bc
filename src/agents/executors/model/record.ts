import * as z from "zod";
import type { Json, JsonObject } from "../../../domain/json.ts";
import type { Deliverable } from "../../../domain/task.ts";
import { bytesOf } from "./cut.ts";

// It comes from the task's own log, which holds nothing but JSON.
const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

const deliverableShape = z.object({
  type: z.string(),
  name: z.string(),
  format: z.string(),
  size: z.number(),
  key: z.string(),
  createdAt: z.number(),
  sha256: z.string().exactOptional(),
});

const outcomeShape = z.object({
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
  deliverables: z.array(deliverableShape).readonly(),
});

const callShape = z.object({
  id: z.string(),
  name: z.string(),
  /** As the model is shown that it asked; what was too long is cut. */
  input: jsonObject,
  /** Equal for equal names and arguments. */
  digest: z.string(),
  result: z.string(),
  /** Whether the result is of others and so goes between marks. */
  isForeign: z.boolean().default(false),
  /** Whether it was no call that any function could take. */
  isBad: z.boolean().default(false),
  signature: z.string().nullable().default(null),
});
export type CallRecord = z.infer<typeof callShape>;

const turnShape = z.object({
  text: z.string(),
  reasoning: z.string().default(""),
  calls: z.array(callShape).default([]),
  /** What we said to the model afterwards, beside the results of its calls. */
  remark: z.string().nullable().default(null),
  /** Why we said it, so that it is not said twice. */
  reminded: z.array(z.enum(["finish", "deliverables"])).default([]),
  files: z.array(deliverableShape).default([]),
  /** Answers and review comments that the task had when the model was asked: what it has seen. */
  answers: z.number(),
  comments: z.number(),
  /** The round's work as it was handed over for review, so that a crash after that repeats nothing. */
  handedOver: z.object({ round: z.number(), outcome: outcomeShape }).nullable().default(null),
});

/** One turn as `task.work` keeps it. */
export type TurnRecord = z.infer<typeof turnShape>;

/**
 * The turns that were made so far, in order. What has another form was left by an agent of another
 * kind, whose checkpoints may have any name, and is as if it were not there.
 */
export function turnsOf(work: JsonObject): TurnRecord[] {
  const turns: TurnRecord[] = [];
  for (;;) {
    const turn = turnShape.safeParse(work[keyOf(turns.length + 1)]);
    if (!turn.success) return turns;
    turns.push(turn.data);
  }
}

/** An attempt's turns, up to the first that names a file outside the attempt's folder. */
export function ownTurnsOf(work: JsonObject, folder: string): TurnRecord[] {
  const turns = turnsOf(work);
  const foreign = turns.findIndex(({ files, handedOver }) =>
    [...files, ...(handedOver?.outcome.deliverables ?? [])].some(
      ({ key }) => !key.startsWith(folder),
    ),
  );
  return foreign === -1 ? turns : turns.slice(0, foreign);
}

/** What a turn leaves in `task.work`: one key of its own, so that no earlier one is written again. */
export function workOf(number: number, turn: TurnRecord): JsonObject {
  return { [keyOf(number)]: asJson(turn) };
}

/** How much the turns of an attempt take in the log, and about as much in each prompt. */
export function transcriptBytes(turns: readonly TurnRecord[]): number {
  return turns.reduce((sum, turn) => sum + bytesOf(asJson(turn)), 0);
}

/** The files of all turns, the last of each name. */
export function filesOf(turns: readonly Pick<TurnRecord, "files">[]): Deliverable[] {
  const files = turns.flatMap((turn) => turn.files);
  return [...new Map(files.map((file) => [file.name, file])).values()];
}

function keyOf(number: number): string {
  return `turn-${number}`;
}

/** A record holds nothing but strings, numbers, lists and objects of them. */
function asJson(turn: TurnRecord): Json {
  return turn as unknown as Json;
}
