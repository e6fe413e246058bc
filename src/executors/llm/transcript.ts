import * as z from "zod";
import { asJson, jsonSizeOf, type JsonObject } from "../../kernel/json.ts";
import type { Deliverable } from "../../tasks/model/task.ts";
import {
  FUNCTION_NAME_CHARACTERS_MAX,
  sanitizeFunctionName,
} from "../../tools/schema/function-schema.ts";
import {
  storedDeliverableSchema,
  storedObjectSchema,
  storedOutcomeSchema,
} from "../stored-outcome.ts";
import {
  LLM_CALL_ARGUMENTS_BYTES_MAX,
  LLM_CALL_RESULT_BYTES_MAX,
  LLM_LOOP_TURNS,
  LLM_REASONING_BYTES_MAX,
  LLM_TEXT_BYTES_MAX,
  LLM_TURN_ARGUMENTS_BYTES_MAX,
  LLM_TURN_RESULTS_BYTES_MAX,
} from "./limits.ts";
import type { LlmResponse } from "./response.ts";
import type { ExecutedCall, ParsedLlmCall } from "./tool-call.ts";

const callSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The arguments, truncated if they were too long. */
  input: storedObjectSchema,
  digest: z.string(),
  result: z.string(),
  /** Whether the result is untrusted. The prompt marks untrusted results as data. */
  isForeign: z.boolean().default(false),
  isBad: z.boolean().default(false),
  signature: z.string().nullable().default(null),
  /** The approval that the call waits or waited for. The task has its outcome. */
  approvalId: z.string().nullable().default(null),
});
export type LlmCallRecord = z.infer<typeof callSchema>;

const turnSchema = z.object({
  text: z.string(),
  reasoning: z.string().default(""),
  calls: z.array(callSchema).default([]),
  /** Our message to the model after its call results. */
  remark: z.string().nullable().default(null),
  /** The reminders that the model received in this turn. The reminder of missing deliverables is not repeated. */
  reminded: z.array(z.enum(["finish", "deliverables"])).default([]),
  files: z.array(storedDeliverableSchema).default([]),
  /** How many answers and review comments the turn's prompt contained. */
  answers: z.number(),
  comments: z.number(),
  /** The outcome of the round. After a crash, it is submitted again without repeating the turn. */
  handedOver: z
    .object({ round: z.number(), outcome: storedOutcomeSchema })
    .nullable()
    .default(null),
});

export type LlmTurnRecord = z.infer<typeof turnSchema>;

/** The turns so far, in order. Entries with a different structure are checkpoints from another type of agent. */
export function parseLlmTurns(work: JsonObject): LlmTurnRecord[] {
  const turns: LlmTurnRecord[] = [];
  for (;;) {
    const turn = turnSchema.safeParse(work[turnKey(turns.length + 1)]);
    if (!turn.success) return turns;
    turns.push(turn.data);
  }
}

/** An attempt's turns before the first one that refers to a file outside the attempt's folder. */
export function parseAttemptTurns(work: JsonObject, folder: string): LlmTurnRecord[] {
  const turns = parseLlmTurns(work);
  const foreign = turns.findIndex(({ files, handedOver }) =>
    [...files, ...(handedOver?.outcome.deliverables ?? [])].some(
      ({ key }) => !key.startsWith(folder),
    ),
  );
  return foreign === -1 ? turns : turns.slice(0, foreign);
}

/** Serialises a turn under its own key in `task.work`, so earlier turns are not written again. */
export function serializeLlmTurn(number: number, turn: LlmTurnRecord): JsonObject {
  return { [turnKey(number)]: asJson(turn) };
}

/** The size of the turns in the log, which is about their size in each prompt. */
export function measureTranscriptBytes(turns: readonly LlmTurnRecord[]): number {
  return turns.reduce((sum, turn) => sum + jsonSizeOf(asJson(turn)), 0);
}

/** The files of all turns. Only the latest file with each name is listed. */
export function listTurnFiles(turns: readonly Pick<LlmTurnRecord, "files">[]): Deliverable[] {
  const files = turns.flatMap((turn) => turn.files);
  return [...new Map(files.map((file) => [file.name, file])).values()];
}

function turnKey(number: number): string {
  return `turn-${number}`;
}

const CALL_ID_CHARACTERS_MAX = 64;

/** Creates the record of a turn, truncated to keep its row in the task's log small. */
export function createLlmTurnRecord(
  response: Pick<LlmResponse, "text" | "reasoning">,
  calls: readonly ExecutedCall[],
  rest: Pick<LlmTurnRecord, "remark" | "reminded" | "answers" | "comments">,
): LlmTurnRecord {
  const limitPerCall = (callMax: number, turnMax: number) =>
    Math.min(callMax, Math.floor(turnMax / Math.max(1, calls.length)));
  const resultMax = limitPerCall(LLM_CALL_RESULT_BYTES_MAX, LLM_TURN_RESULTS_BYTES_MAX);
  const inputMax = limitPerCall(LLM_CALL_ARGUMENTS_BYTES_MAX, LLM_TURN_ARGUMENTS_BYTES_MAX);
  return {
    ...rest,
    text: truncateWithNote(response.text, LLM_TEXT_BYTES_MAX),
    reasoning: truncateWithNote(response.reasoning, LLM_REASONING_BYTES_MAX),
    calls: calls.map((call) => ({
      id: call.id.slice(0, CALL_ID_CHARACTERS_MAX),
      name: sanitizeFunctionName(call.name).slice(0, FUNCTION_NAME_CHARACTERS_MAX) || "_",
      input: truncateArguments(call.input, inputMax),
      digest: call.digest,
      result: truncateWithNote(call.result, resultMax),
      isForeign: call.isUntrusted,
      isBad: call.isInvalid,
      signature: call.signature,
      approvalId: call.approvalId,
    })),
    files: calls.flatMap(({ file }) => file ?? []),
    handedOver: null,
  };
}

/** Truncates long strings in arguments. If that is not enough, truncates the arguments as JSON text. */
function truncateArguments(input: JsonObject, bytesMax: number): JsonObject {
  if (jsonSizeOf(input) <= bytesMax) return input;
  const entries = Object.entries(input);
  const shareMax = Math.floor(bytesMax / (2 * entries.length));
  const cut = entries.map(([name, value]) => [
    name,
    typeof value === "string" ? truncateWithNote(value, shareMax) : value,
  ]);
  const short: JsonObject = Object.fromEntries(cut);
  return jsonSizeOf(short) <= bytesMax
    ? short
    : { cut: truncateWithNote(JSON.stringify(input), bytesMax / 2) };
}

/** The function called with equal arguments in LLM_LOOP_TURNS consecutive turns; null if there is none. */
export function findRepeatedCall(
  turns: readonly LlmTurnRecord[],
  calls: readonly ParsedLlmCall[],
): string | null {
  const before = turns.slice(-(LLM_LOOP_TURNS - 1));
  if (before.length < LLM_LOOP_TURNS - 1) return null;
  const repeated = calls.find(({ digest }) =>
    before.every((turn) => turn.calls.some((call) => call.digest === digest)),
  );
  return repeated?.name ?? null;
}

/** How many invalid calls were made after the last valid one. */
export function countInvalidCallsInARow(turns: readonly LlmTurnRecord[]): number {
  const validity = turns.flatMap(({ calls, text }) =>
    // An empty response counts as an invalid call.
    calls.length === 0 && text === "" ? [true] : calls.map(({ isBad }) => isBad),
  );
  return validity.length - 1 - validity.lastIndexOf(false);
}

/** JSON escapes are unevenly distributed in a text, so the first estimate can be too long. */
const MARGIN = 0.95;
const QUOTES_BYTES = 2;

/** The beginning of a text, at most `bytesMax` bytes long as JSON. Null if the whole text fits. */
export function truncateToJsonBytes(text: string, bytesMax: number): string | null {
  if (bytesMax < QUOTES_BYTES) return text === "" ? null : "";
  // A character takes up at least one byte.
  let part = text.length <= bytesMax ? text : text.slice(0, bytesMax);
  let bytes = jsonSizeOf(part);
  if (part === text && bytes <= bytesMax) return null;
  while (bytes > bytesMax && part !== "") {
    part = part.slice(0, Math.floor((part.length * bytesMax * MARGIN) / bytes));
    bytes = jsonSizeOf(part);
  }
  return part.replace(/[\ud800-\udbff]$/, "").toWellFormed();
}

/** Truncates a text with a note if it is longer than `bytesMax` bytes as JSON. */
export function truncateWithNote(text: string, bytesMax: number): string {
  const beginning = truncateToJsonBytes(text, bytesMax);
  if (beginning === null) return text.toWellFormed();
  return `${beginning}\n[cut here: ${text.length - beginning.length} of ${text.length} characters omitted]`;
}
