import type { JsonObject } from "../../kernel/json.ts";
import type { LlmResponse } from "./response.ts";
import type { LlmCallOutcome, ParsedLlmCall } from "./tool-call.ts";
import { measureJsonBytes, truncateWithNote } from "./truncate.ts";
import {
  LLM_CALL_ARGUMENTS_BYTES_MAX,
  LLM_TURN_ARGUMENTS_BYTES_MAX,
  LLM_REASONING_BYTES_MAX,
  LLM_CALL_RESULT_BYTES_MAX,
  LLM_TURN_RESULTS_BYTES_MAX,
  LLM_TEXT_BYTES_MAX,
} from "./limits.ts";
import type { LlmTurnRecord } from "./transcript.ts";

const NAME_CHARACTERS_MAX = 64;

/** A turn as it is kept: everything cut so far that its row in the task's log stays small. */
export function createLlmTurnRecord(
  response: Pick<LlmResponse, "text" | "reasoning">,
  calls: readonly { readonly call: ParsedLlmCall; readonly made: LlmCallOutcome }[],
  rest: Pick<LlmTurnRecord, "remark" | "reminded" | "answers" | "comments">,
): LlmTurnRecord {
  const share = Math.max(1, calls.length);
  const resultMax = Math.min(
    LLM_CALL_RESULT_BYTES_MAX,
    Math.floor(LLM_TURN_RESULTS_BYTES_MAX / share),
  );
  const inputMax = Math.min(
    LLM_CALL_ARGUMENTS_BYTES_MAX,
    Math.floor(LLM_TURN_ARGUMENTS_BYTES_MAX / share),
  );
  return {
    ...rest,
    text: truncateWithNote(response.text, LLM_TEXT_BYTES_MAX),
    reasoning: truncateWithNote(response.reasoning, LLM_REASONING_BYTES_MAX),
    calls: calls.map(({ call, made }) => ({
      id: call.id.slice(0, NAME_CHARACTERS_MAX),
      name: sanitizeFunctionName(call.name),
      input: truncateArguments(call.input, inputMax),
      digest: call.digest,
      result: truncateWithNote(made.result, resultMax),
      isForeign: made.isUntrusted,
      isBad: made.isInvalid,
      signature: call.signature,
    })),
    files: calls.flatMap(({ made }) => (made.file === null ? [] : [made.file])),
    handedOver: null,
  };
}

/** A function's name that its own provider would take back, whatever the model has called. */
function sanitizeFunctionName(name: string): string {
  const tidy = name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, NAME_CHARACTERS_MAX);
  return tidy === "" ? "_" : tidy;
}

/** Arguments with their long texts cut, such as a file's content; as a whole where that is not enough. */
function truncateArguments(input: JsonObject, bytesMax: number): JsonObject {
  if (measureJsonBytes(input) <= bytesMax) return input;
  const entries = Object.entries(input);
  const shareMax = Math.floor(bytesMax / (2 * entries.length));
  const cut = entries.map(([name, value]) => [
    name,
    typeof value === "string" ? truncateWithNote(value, shareMax) : value,
  ]);
  const short: JsonObject = Object.fromEntries(cut);
  return measureJsonBytes(short) <= bytesMax
    ? short
    : { cut: truncateWithNote(JSON.stringify(input), bytesMax / 2) };
}
