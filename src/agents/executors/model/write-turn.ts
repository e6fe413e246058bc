import type { JsonObject } from "../../../domain/json.ts";
import type { Heard } from "./answer.ts";
import type { ReadCall } from "./asked.ts";
import { bytesOf, fitted } from "./cut.ts";
import {
  ARGUMENT_BYTES_MAX,
  ARGUMENTS_BYTES_MAX,
  REASONING_BYTES_MAX,
  RESULT_BYTES_MAX,
  RESULTS_BYTES_MAX,
  TEXT_BYTES_MAX,
} from "./limits.ts";
import type { Made } from "./made.ts";
import type { TurnRecord } from "./record.ts";

const NAME_CHARACTERS_MAX = 64;

/** A turn as it is kept: everything cut so far that its row in the task's log stays small. */
export function turnRecord(
  heard: Pick<Heard, "text" | "reasoning">,
  calls: readonly { readonly call: ReadCall; readonly made: Made }[],
  rest: Pick<TurnRecord, "remark" | "reminded" | "answers" | "comments">,
): TurnRecord {
  const share = Math.max(1, calls.length);
  const resultMax = Math.min(RESULT_BYTES_MAX, Math.floor(RESULTS_BYTES_MAX / share));
  const inputMax = Math.min(ARGUMENT_BYTES_MAX, Math.floor(ARGUMENTS_BYTES_MAX / share));
  return {
    ...rest,
    text: fitted(heard.text, TEXT_BYTES_MAX),
    reasoning: fitted(heard.reasoning, REASONING_BYTES_MAX),
    calls: calls.map(({ call, made }) => ({
      id: call.id.slice(0, NAME_CHARACTERS_MAX),
      name: echoed(call.name),
      input: shortened(call.input, inputMax),
      digest: call.digest,
      result: fitted(made.result, resultMax),
      isForeign: made.isForeign,
      isBad: made.isBad,
      signature: call.signature,
    })),
    files: calls.flatMap(({ made }) => (made.file === null ? [] : [made.file])),
    handedOver: null,
  };
}

/** A function's name that its own provider would take back, whatever the model has called. */
function echoed(name: string): string {
  const tidy = name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, NAME_CHARACTERS_MAX);
  return tidy === "" ? "_" : tidy;
}

/** Arguments with their long texts cut, such as a file's content; as a whole where that is not enough. */
function shortened(input: JsonObject, bytesMax: number): JsonObject {
  if (bytesOf(input) <= bytesMax) return input;
  const entries = Object.entries(input);
  const shareMax = Math.floor(bytesMax / (2 * entries.length));
  const cut = entries.map(([name, value]) => [
    name,
    typeof value === "string" ? fitted(value, shareMax) : value,
  ]);
  const short: JsonObject = Object.fromEntries(cut);
  return bytesOf(short) <= bytesMax ? short : { cut: fitted(JSON.stringify(input), bytesMax / 2) };
}
