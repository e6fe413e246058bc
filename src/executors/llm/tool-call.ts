import type * as z from "zod";
import { fail, ok, prefixProblems, preview, type Result } from "../../kernel/result.ts";
import { validateSchema } from "../../http/validation.ts";
import type { Deliverable } from "../../tasks/model/task.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import {
  isJsonObject,
  isWithinDepth,
  sortKeys,
  tryParseJson,
  type JsonObject,
} from "../../kernel/json.ts";
import { JSON_DEPTH_MAX } from "../../kernel/limits.ts";
import type { LlmToolCall } from "./response.ts";

/** A call with parsed arguments; `invalidReason` says why they cannot be used. */
export interface ParsedLlmCall extends Omit<LlmToolCall, "input"> {
  readonly input: JsonObject;
  readonly invalidReason: string | null;
  /** A hash of the name and arguments, regardless of the order of properties. */
  readonly digest: string;
}

const CUT_OFF =
  "The response reached its token limit before the arguments were complete. Repeat the call with shorter arguments.";

/** Parses a call's arguments. `isCutOff` is true if the response reached its token limit. */
export async function parseLlmCall(call: LlmToolCall, isCutOff: boolean): Promise<ParsedLlmCall> {
  const { id, name, signature } = call;
  const parsed = parseArguments(call.input, isCutOff);
  const input = parsed.ok ? parsed.value : {};
  const invalidReason = parsed.ok ? null : parsed.failure;
  const hash = await sha256Hex(JSON.stringify([name, parsed.ok ? input : call.input], sortKeys));
  return { id, name, signature, input, invalidReason, digest: hash.slice(0, DIGEST_CHARACTERS) };
}

const DIGEST_CHARACTERS = 32;

function parseArguments(text: string, isCutOff: boolean): Result<JsonObject, string> {
  // Many models omit the arguments if a function has no parameters.
  const isLeftOut = text.trim() === "";
  const value = isLeftOut ? {} : tryParseJson(text);
  if (isCutOff && (isLeftOut || value === undefined)) return fail(CUT_OFF);
  if (value === undefined) {
    const reason = `The arguments are not valid JSON: ${preview(text)}.`;
    return fail(`${reason} Repeat the call with a JSON object.`);
  }
  if (!isJsonObject(value))
    return fail(`The arguments must be a JSON object, got ${preview(value)}.`);
  if (!isWithinDepth(value, JSON_DEPTH_MAX))
    return fail(`The arguments are nested too deeply (maximum: ${JSON_DEPTH_MAX} levels).`);
  return ok(value);
}

/** The outcome of one call; `result` is the text for the model. */
export interface LlmCallOutcome {
  readonly result: string;
  readonly isUntrusted: boolean;
  /** Whether the call names an unavailable function or capability, or has invalid arguments. */
  readonly isInvalid: boolean;
  readonly isOk: boolean;
  readonly file: Deliverable | null;
  /** The capability that the call used, as "tool/capability". */
  readonly usedCapability: string | null;
  /** The approval that the call waits for; null if it requires none. */
  readonly approvalId: string | null;
}

export type ExecutedCall = ParsedLlmCall & LlmCallOutcome;

/** Creates the outcome of a call. Unless `rest` states otherwise, the call was not successful. */
export function createCallOutcome(
  result: string,
  rest: Partial<LlmCallOutcome> = {},
): LlmCallOutcome {
  return {
    result,
    isUntrusted: false,
    isInvalid: false,
    isOk: false,
    file: null,
    usedCapability: null,
    approvalId: null,
    ...rest,
  };
}

/** Parses the arguments of a call to one of our functions. A failure contains the outcome of the call. */
export function parseCallArguments<Schema extends z.ZodType>(
  { name, input, invalidReason }: ParsedLlmCall,
  schema: Schema,
): Result<z.output<Schema>, LlmCallOutcome> {
  if (invalidReason !== null) return fail(createCallOutcome(invalidReason, { isInvalid: true }));
  const parsed = validateSchema(schema, input);
  if (parsed.ok) return parsed;
  const problems = prefixProblems("arguments", parsed.failure).slice(0, SHOWN_PROBLEMS_MAX);
  const texts = problems.map(({ path, message }) => `${path} ${message}`);
  const result = `${name} was not executed: ${texts.join("; ")}.`;
  return fail(createCallOutcome(result, { isInvalid: true }));
}

const SHOWN_PROBLEMS_MAX = 10;
