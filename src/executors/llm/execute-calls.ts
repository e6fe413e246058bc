import { jsonSizeOf, toJsonObject, type JsonObject } from "../../kernel/json.ts";
import { addUtf8Charset } from "../../kernel/media-type.ts";
import { onAbort } from "../../platform/promises.ts";
import type { Task } from "../../tasks/model/task.ts";
import type { ExecutionContext, UsableCapability } from "../contract.ts";
import {
  LLM_CALL_RESULT_BYTES_MAX,
  LLM_CONCURRENT_CALLS_MAX,
  LLM_FILE_BYTES_MAX,
  LLM_FILES_MAX,
  LLM_FUNCTIONS_MAX,
  LLM_SEARCH_RESULTS_MAX,
} from "./limits.ts";
import {
  createCallOutcome,
  parseCallArguments,
  type LlmCallOutcome,
  type ParsedLlmCall,
} from "./tool-call.ts";
import { buildFunctionSchema } from "../../tools/schema/function-schema.ts";
import { resolveContextReferences } from "./prompt.ts";
import {
  deliverFileSchema,
  findCapabilitiesSchema,
  useCapabilitySchema,
  type LlmFunctions,
} from "./functions.ts";
import type { LlmTurnRecord } from "./transcript.ts";
import { log } from "../../platform/log.ts";

/** The input for executing a turn's calls. `turns` are the attempt's earlier turns. */
export interface LlmTurn {
  readonly task: Task;
  readonly context: ExecutionContext;
  readonly functions: LlmFunctions;
  readonly signal: AbortSignal;
  readonly turns: readonly LlmTurnRecord[];
}

/**
 * Executes a turn's non-terminal calls. Tools are called concurrently, files are saved in order, and equal calls are
 * executed only once. `stop`: why calls were not made, if the turn must stop.
 */
export async function executeLlmCalls(
  calls: readonly ParsedLlmCall[],
  turn: LlmTurn,
  fileNames: Iterable<string>,
): Promise<{ outcomes: Map<ParsedLlmCall, LlmCallOutcome>; stop: CallStop | null }> {
  const outcomesByDigest = new Map<string, LlmCallOutcome>();
  const unique = [...new Map(calls.map((call) => [call.digest, call])).values()];
  const names = new Set(fileNames);
  let stop: CallStop | null = null;

  async function execute(call: ParsedLlmCall): Promise<LlmCallOutcome> {
    // Saving a file is free.
    if (stop !== null && call.name !== "deliver_file")
      return createCallOutcome(NOT_MADE[stop.kind]);
    if (turn.signal.aborted) return createCallOutcome(NOT_MADE_OUT_OF_TIME);
    const outcome = await executeCall(call, turn, names);
    if (!("kind" in outcome)) return outcome;
    stop = outcome;
    return createCallOutcome(NOT_MADE[outcome.kind]);
  }

  const fileCalls = unique.filter(({ name }) => name === "deliver_file");
  const toolCalls = unique.filter(({ name }) => name !== "deliver_file").values();
  await Promise.all(
    Array.from({ length: LLM_CONCURRENT_CALLS_MAX }, async () => {
      for (const call of toolCalls) outcomesByDigest.set(call.digest, await execute(call));
    }),
  );
  for (const call of fileCalls) outcomesByDigest.set(call.digest, await execute(call));

  const outcomes = new Map<ParsedLlmCall, LlmCallOutcome>();
  for (const [index, call] of calls.entries()) {
    const outcome = outcomesByDigest.get(call.digest) ?? createCallOutcome(NOT_MADE_OUT_OF_TIME);
    const isFirst = calls.findIndex(({ digest }) => digest === call.digest) === index;
    const { isInvalid, isOk } = outcome;
    outcomes.set(call, isFirst ? outcome : createCallOutcome(DUPLICATE_CALL, { isInvalid, isOk }));
  }
  return { outcomes, stop };
}

/** Why a turn must stop: to ask people about the budget, or because the agent is paused. */
export type CallStop =
  | { readonly kind: "budget"; readonly question: string }
  | { readonly kind: "paused" };

const NOT_MADE: Readonly<Record<CallStop["kind"], string>> = {
  budget:
    "Not called because the task's budget does not cover the call. People have been asked about it.",
  paused: "Not called because you were paused. Repeat the call if it is still needed.",
};
const NOT_MADE_OUT_OF_TIME =
  "Not called because the turn's time was up. Repeat the call if it is still needed.";
const DUPLICATE_CALL = "This call repeats an earlier one in this turn, so it was not made again.";

/** Executes one call. Returns why it was not made if the turn must stop. */
async function executeCall(
  call: ParsedLlmCall,
  turn: LlmTurn,
  names: Set<string>,
): Promise<LlmCallOutcome | CallStop> {
  const { functions } = turn;
  const { name, input, invalidReason } = call;
  if (invalidReason !== null) return createCallOutcome(invalidReason, { isInvalid: true });
  if (name === "deliver_file") return executeDeliverFile(call, turn, names);
  if (functions.usesSearch && name === "find_capabilities")
    return executeFindCapabilities(call, turn);
  if (functions.usesSearch && name === "use_capability") return executeUseCapability(call, turn);
  const capability = functions.capabilitiesByName.get(name);
  if (capability === undefined)
    return createCallOutcome(formatNotGranted(name, functions), { isInvalid: true });
  return callGrantedCapability(capability.toolId, capability.id, input, turn);
}

function formatNotGranted(name: string, functions: LlmFunctions): string {
  const known = functions.offered.map((one) => one.name);
  return `The function ${JSON.stringify(name.slice(0, SHOWN_NAME_CHARACTERS_MAX))} is not granted to you or does not exist. Available functions: ${known.join(", ")}.`;
}

const SHOWN_NAME_CHARACTERS_MAX = 80;

const TIMED_OUT =
  "The call did not finish before the turn timed out. It may have been executed; check before you repeat it.";
const INTERRUPTED =
  "An internal error interrupted the call. It may have been executed; check before you repeat it.";

/** Calls a tool. Returns why it was not called if the turn must stop. */
async function callGrantedCapability(
  toolId: string,
  capability: string,
  parameters: JsonObject,
  { task, context, signal }: LlmTurn,
): Promise<LlmCallOutcome | CallStop> {
  const usedCapability = `${toolId}/${capability}`;
  const pending = context.callTool(
    toolId,
    capability,
    resolveContextReferences(parameters, task.context),
  );
  const { aborted, clear } = onAbort(signal);
  try {
    const outcome = await Promise.race([pending, aborted]);
    if (outcome === null) return createCallOutcome(TIMED_OUT, { usedCapability });
    if (!outcome.ok && outcome.failure.kind === "budget")
      return { kind: "budget", question: outcome.failure.message };
    if (!outcome.ok && outcome.failure.kind === "paused") return { kind: "paused" };
    if (!outcome.ok && outcome.failure.kind === "approval") {
      const { approvalId, message } = outcome.failure;
      return createCallOutcome(message, { usedCapability, approvalId });
    }
    const result = outcome.ok ? JSON.stringify(outcome.value) : outcome.failure.message;
    return createCallOutcome(result, { isUntrusted: true, isOk: outcome.ok, usedCapability });
  } catch (cause) {
    log.error("llm_tool_call_failed", { toolId, capability, error: cause });
    return createCallOutcome(INTERRUPTED, { usedCapability });
  } finally {
    // A failure after the timeout is not reported.
    pending.catch(() => {});
    clear();
  }
}

/** Handles `use_capability`: calls a capability by the ids that the model found. */
async function executeUseCapability(
  call: ParsedLlmCall,
  turn: LlmTurn,
): Promise<LlmCallOutcome | CallStop> {
  const parsed = parseCallArguments(call, useCapabilitySchema);
  if (!parsed.ok) return parsed.failure;
  const { tool, capability } = parsed.value;
  const parameters = toJsonObject(call.input["parameters"]);
  const outcome = await callGrantedCapability(tool, capability, parameters, turn);
  if ("kind" in outcome || outcome.isOk) return outcome;
  // A call without a grant counts as invalid. A call that the tool rejected does not.
  const granted = await turn.context.listCapabilities(capability, LLM_FUNCTIONS_MAX);
  const isGranted = granted?.capabilities.some(
    (one) => one.toolId === tool && one.id === capability,
  );
  return isGranted === true ? outcome : { ...outcome, isInvalid: true };
}

/** Handles `find_capabilities`: returns the matching granted capabilities with their parameters. */
async function executeFindCapabilities(
  call: ParsedLlmCall,
  { context }: LlmTurn,
): Promise<LlmCallOutcome> {
  const parsed = parseCallArguments(call, findCapabilitiesSchema);
  if (!parsed.ok) return parsed.failure;
  const found = await context.listCapabilities(parsed.value.search, LLM_SEARCH_RESULTS_MAX);
  const { capabilities = [], total = 0 } = found ?? {};
  if (capabilities.length === 0)
    return createCallOutcome("Nothing found. Try fewer or different words.");
  const result = formatFoundCapabilities(capabilities, total);
  return createCallOutcome(result, { isUntrusted: true, isOk: true });
}

/** Formats as many capabilities as fit. A large one lists parameter names and types instead of a schema. */
function formatFoundCapabilities(capabilities: readonly UsableCapability[], total: number): string {
  const lines: string[] = [];
  let left = LLM_CALL_RESULT_BYTES_MAX - FOUND_HEADER_BYTES;
  for (const capability of capabilities) {
    const { toolId: tool, id, name, description, parameters } = capability;
    const about = {
      tool,
      capability: id,
      name,
      description: description.slice(0, FOUND_DESCRIPTION_CHARACTERS_MAX),
    };
    const whole = JSON.stringify({ ...about, parameters: buildFunctionSchema(parameters) });
    const names = parameters
      .map((one) => `${one.name}: ${one.type}`)
      .slice(0, FOUND_PARAMETERS_MAX);
    const line =
      jsonSizeOf(whole) <= left ? whole : JSON.stringify({ ...about, parameters: names });
    left -= jsonSizeOf(line);
    if (left < 0) break;
    lines.push(line);
  }
  return `${lines.length} of ${total} matching capabilities:\n${lines.join("\n")}`;
}

const FOUND_HEADER_BYTES = 100;
const FOUND_DESCRIPTION_CHARACTERS_MAX = 1_000;
const FOUND_PARAMETERS_MAX = 50;

/** Handles `deliver_file`: saves the file and adds its name to `names`. */
async function executeDeliverFile(
  call: ParsedLlmCall,
  { context, task }: LlmTurn,
  names: Set<string>,
): Promise<LlmCallOutcome> {
  const parsed = parseCallArguments(call, deliverFileSchema);
  if (!parsed.ok) return parsed.failure;
  const { name, content, mediaType } = parsed.value;
  const type = matchDeliverableType(parsed.value.type, task.deliverableTypes);
  if (!names.has(name) && names.size >= LLM_FILES_MAX) {
    return createCallOutcome(
      `Not saved: a task can have at most ${LLM_FILES_MAX} files. To replace a file, use its name.`,
    );
  }
  const bytes = new TextEncoder().encode(content);
  if (bytes.byteLength > LLM_FILE_BYTES_MAX) {
    return createCallOutcome(
      `Not saved: a file can have at most ${LLM_FILE_BYTES_MAX} bytes, got ${bytes.byteLength}.`,
    );
  }
  const format = addUtf8Charset(mediaType ?? "text/plain");
  const file = await context.saveFile({ type, name, format, bytes });
  names.add(name);
  const result = `Saved ${name} (${bytes.byteLength} bytes) as a file of type ${type}.`;
  return createCallOutcome(result, { isOk: true, file });
}

/** The deliverable type, spelled as in the task if the task requests it. */
export function matchDeliverableType(type: string, wanted: readonly string[]): string {
  const normalized = type.trim().toLowerCase();
  return wanted.find((word) => word.trim().toLowerCase() === normalized) ?? type;
}
