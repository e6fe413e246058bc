import { prefixProblems, preview, type Problem } from "../../kernel/problem.ts";
import type { Deliverable, Task } from "../../tasks/model/task.ts";
import type { ExecutionContext } from "../contract.ts";
import type { LlmFunctions } from "./function-tools.ts";
import { sha256Hex } from "../../platform/crypto/sha256.ts";
import { isJsonObject, isWithinDepth, type Json, type JsonObject } from "../../kernel/json.ts";
import { JSON_DEPTH_MAX } from "../../kernel/limits.ts";
import type { LlmToolCall } from "./response.ts";
import type { LlmTurnRecord } from "./transcript.ts";
import { LLM_LOOP_TURNS } from "./limits.ts";

/** A call with its arguments read; `problem` says why they cannot be used. */
export interface ParsedLlmCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly invalidReason: string | null;
  /** Equal for equal names and arguments, whatever the order of their properties. */
  readonly digest: string;
  readonly signature: string | null;
}

const CUT_OFF =
  "The answer reached its limit of tokens before the arguments were complete. Make the call again, with less in it.";

/** Reads a call's arguments; `isCutOff` when the answer ended at its limit of tokens. */
export async function parseLlmCall(call: LlmToolCall, isCutOff: boolean): Promise<ParsedLlmCall> {
  const { id, name, signature } = call;
  const read = parseArguments(call.input, isCutOff);
  const canonicalInput = read.invalidReason === null ? canonicalize(read.input) : call.input;
  return {
    id,
    name,
    signature,
    ...read,
    digest: await hashCall(JSON.stringify([name, canonicalInput])),
  };
}

function parseArguments(
  text: string,
  isCutOff: boolean,
): Pick<ParsedLlmCall, "input" | "invalidReason"> {
  // Many models leave out the arguments of a function that needs none.
  if (text.trim() === "") return { input: {}, invalidReason: isCutOff ? CUT_OFF : null };
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    const problem = isCutOff
      ? CUT_OFF
      : `The arguments must be a JSON object, and are not JSON: ${preview(text)}. Make the call again.`;
    return { input: {}, invalidReason: problem };
  }
  if (!isJsonObject(value)) {
    return {
      input: {},
      invalidReason: `The arguments must be a JSON object, got ${preview(value)}.`,
    };
  }
  if (!isWithinDepth(value, JSON_DEPTH_MAX)) {
    const problem = `The arguments are nested too deeply: at most ${JSON_DEPTH_MAX} levels.`;
    return { input: {}, invalidReason: problem };
  }
  return { input: value, invalidReason: null };
}

/** The same value with all properties in the order of their names. */
function canonicalize(value: Json): Json {
  if (Array.isArray(value)) return value.map(canonicalize);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, canonicalize(one)]));
}

async function hashCall(text: string): Promise<string> {
  return (await sha256Hex(text)).slice(0, 32);
}

/** The name of a function that is called in the same way for the third turn in a row; null when none is. */
export function findRepeatedCall(
  turns: readonly LlmTurnRecord[],
  calls: readonly ParsedLlmCall[],
): string | null {
  const before = turns.slice(-(LLM_LOOP_TURNS - 1));
  if (before.length < LLM_LOOP_TURNS - 1) return null;
  const looping = calls.find(({ digest }) =>
    before.every((turn) => turn.calls.some((call) => call.digest === digest)),
  );
  return looping?.name ?? null;
}

/** How many calls that no function could take were made last without one that could. */
export function countInvalidCallsInARow(turns: readonly LlmTurnRecord[]): number {
  const validity = turns.flatMap(({ calls, text }) =>
    // An answer without a word and a call is no better.
    calls.length === 0 && text === "" ? [true] : calls.map(({ isBad }) => isBad),
  );
  return validity.length - 1 - validity.lastIndexOf(false);
}

/** What the calls of a turn can reach. */
export interface LlmCallContext {
  readonly task: Task;
  readonly context: ExecutionContext;
  readonly functions: LlmFunctions;
  readonly signal: AbortSignal;
  /** Names of the files that were delivered so far. */
  readonly fileNames: ReadonlySet<string>;
}

/** What came of one call, as the model is told it. */
export interface LlmCallOutcome {
  readonly result: string;
  readonly isUntrusted: boolean;
  /** No function could take it. */
  readonly isInvalid: boolean;
  readonly isOk: boolean;
  readonly file: Deliverable | null;
  /** The capability that it has used. */
  readonly usedCapability: string | null;
}

export function createCallOutcome(result: string): LlmCallOutcome {
  return {
    result,
    isUntrusted: false,
    isInvalid: false,
    isOk: false,
    file: null,
    usedCapability: null,
  };
}

export function createInvalidCallOutcome(result: string): LlmCallOutcome {
  return { ...createCallOutcome(result), isInvalid: true };
}

/** The answer to arguments that a function of ours does not take. */
export function formatArgumentProblems(name: string, problems: readonly Problem[]): string {
  const texts = prefixProblems("arguments", problems).map(
    ({ path, message }) => `${path} ${message}`,
  );
  return `${name} was not carried out: ${texts.slice(0, SHOWN_PROBLEMS_MAX).join("; ")}.`;
}

const SHOWN_PROBLEMS_MAX = 10;
