import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { validateSchema } from "../../http/validation.ts";
import type { NewFile, UsableCapability } from "../contract.ts";
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
  createInvalidCallOutcome,
  formatArgumentProblems,
  type LlmCallContext,
  type LlmCallOutcome,
  type ParsedLlmCall,
} from "./tool-call.ts";
import {
  deliverFileSchema,
  findCapabilitiesSchema,
  useCapabilitySchema,
} from "./system-functions.ts";
import { measureJsonBytes } from "./truncate.ts";
import { buildFunctionSchema } from "../../tools/schema/function-schema.ts";
import { resolveContextReferences } from "./prompt.ts";
import type { LlmFunctions } from "./function-tools.ts";

export interface ExecutedCalls {
  readonly outcomes: readonly LlmCallOutcome[];
  /** What the budget asks of people before further calls can be made. */
  readonly budgetQuestion: string | null;
}

/**
 * Makes the calls of one turn, except `ask` and `finish`, which end it. Tools are called a few at once,
 * files written in order; a call that stands there twice is made once. Budget or time can end it early.
 */
export async function executeLlmCalls(
  calls: readonly ParsedLlmCall[],
  callContext: LlmCallContext,
): Promise<ExecutedCalls> {
  const outcomeByDigest = new Map<string, LlmCallOutcome>();
  const waiting = [...new Map(calls.map((call) => [call.digest, call])).values()];
  const names = new Set(callContext.fileNames);
  let question: string | null = null;

  async function execute(call: ParsedLlmCall): Promise<void> {
    // A file costs nothing.
    const isFree = call.name === "deliver_file";
    if (question !== null && !isFree)
      return void outcomeByDigest.set(call.digest, createCallOutcome(NOT_MADE_OVER_BUDGET));
    if (callContext.signal.aborted)
      return void outcomeByDigest.set(call.digest, createCallOutcome(NOT_MADE_OUT_OF_TIME));
    const outcome = await executeCall(call, callContext, names);
    if (typeof outcome !== "string") return void outcomeByDigest.set(call.digest, outcome);
    question = outcome;
    outcomeByDigest.set(call.digest, createCallOutcome(NOT_MADE_OVER_BUDGET));
  }

  const fileCalls = waiting.filter(({ name }) => name === "deliver_file");
  const toolCalls = waiting.filter(({ name }) => name !== "deliver_file").values();
  await Promise.all(
    Array.from({ length: LLM_CONCURRENT_CALLS_MAX }, async () => {
      for (const call of toolCalls) await execute(call);
    }),
  );
  for (const call of fileCalls) await execute(call);

  const seen = new Set<string>();
  const inOrder = calls.map(({ digest }) => {
    const one = outcomeByDigest.get(digest) ?? createCallOutcome(NOT_MADE_OUT_OF_TIME);
    if (!seen.has(digest)) {
      seen.add(digest);
      return one;
    }
    return { ...one, result: DUPLICATE_CALL, isUntrusted: false, file: null, usedCapability: null };
  });
  return { outcomes: inOrder, budgetQuestion: question };
}

const NOT_MADE_OVER_BUDGET =
  "Not made: the task's budget allowed no further call. People have been asked.";
const NOT_MADE_OUT_OF_TIME =
  "Not made: the turn's time was over. Make it again if it is still needed.";
const DUPLICATE_CALL = "The same call stands in this turn before; it was made once.";

/** One call, or the question of a budget that does not allow it. */
async function executeCall(
  call: ParsedLlmCall,
  callContext: LlmCallContext,
  names: Set<string>,
): Promise<LlmCallOutcome | string> {
  if (call.invalidReason !== null) return createInvalidCallOutcome(call.invalidReason);
  const { functions } = callContext;
  if (call.name === "deliver_file") return executeDeliverFile(call.input, callContext, names);
  if (functions.usesSearch && call.name === "find_capabilities")
    return executeFindCapabilities(call.input, callContext);
  if (functions.usesSearch && call.name === "use_capability")
    return executeUseCapability(call.input, callContext);
  const capability = functions.capabilitiesByName.get(call.name);
  if (capability === undefined)
    return createInvalidCallOutcome(formatNotGranted(call.name, functions));
  return callGrantedCapability(capability.toolId, capability.id, call.input, callContext);
}

function formatNotGranted(name: string, functions: LlmFunctions): string {
  const known = functions.offered.map((one) => one.name);
  return `The function ${JSON.stringify(name.slice(0, SHOWN_NAME_CHARACTERS_MAX))} is not granted to you, or does not exist. You have: ${known.join(", ")}.`;
}

const SHOWN_NAME_CHARACTERS_MAX = 80;

const TIMED_OUT =
  "It did not end within the turn's time. It may have been carried out all the same: look before you repeat it.";
const INTERRUPTED =
  "A fault of the service interrupted it. It may have been carried out all the same: look before you repeat it.";

/** Uses a capability; answers the question to people where the budget does not allow it. */
export async function callGrantedCapability(
  toolId: string,
  capability: string,
  parameters: JsonObject,
  { task, context, signal }: LlmCallContext,
): Promise<LlmCallOutcome | string> {
  const used = `${toolId}/${capability}`;
  const pending = context.callTool(
    toolId,
    capability,
    resolveContextReferences(parameters, task.context),
  );
  const aborted = waitForAbort(signal);
  try {
    const outcome = await Promise.race([pending, aborted.promise]);
    if (outcome === null) return { ...createCallOutcome(TIMED_OUT), usedCapability: used };
    if (outcome.ok) {
      const result = JSON.stringify(outcome.value);
      return {
        result,
        isUntrusted: true,
        isInvalid: false,
        isOk: true,
        file: null,
        usedCapability: used,
      };
    }
    const { kind, message } = outcome.failure;
    if (kind === "budget") return message;
    return { ...createCallOutcome(message), isUntrusted: true, usedCapability: used };
  } catch (cause) {
    console.error({ event: "model_tool_call_broke", toolId, capability, cause });
    return { ...createCallOutcome(INTERRUPTED), usedCapability: used };
  } finally {
    // One that came too late has nobody to tell.
    pending.catch(() => {});
    aborted.clear();
  }
}

function waitForAbort(signal: AbortSignal): { promise: Promise<null>; clear: () => void } {
  const { promise, resolve } = Promise.withResolvers<null>();
  const end = (): void => resolve(null);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  return { promise, clear: () => signal.removeEventListener("abort", end) };
}

/** `use_capability`: uses one that the model has found, by its ids. */
export async function executeUseCapability(
  input: JsonObject,
  callContext: LlmCallContext,
): Promise<LlmCallOutcome | string> {
  const parsed = validateSchema(useCapabilitySchema, input);
  if (!parsed.ok)
    return createInvalidCallOutcome(formatArgumentProblems("use_capability", parsed.failure));
  const { tool, capability } = parsed.value;
  const parameters = isJsonObject(input["parameters"]) ? input["parameters"] : {};
  const outcome = await callGrantedCapability(tool, capability, parameters, callContext);
  if (typeof outcome === "string" || outcome.isOk) return outcome;
  // Only a call without a grant counts against the model, not one that a tool refused.
  const granted = await callContext.context.listCapabilities(capability, LLM_FUNCTIONS_MAX);
  const isGranted = granted?.shown.some((one) => one.toolId === tool && one.id === capability);
  return isGranted === true ? outcome : { ...outcome, isInvalid: true };
}

/** `find_capabilities`: what is granted and matches, with its parameters. */
export async function executeFindCapabilities(
  input: JsonObject,
  { context }: LlmCallContext,
): Promise<LlmCallOutcome> {
  const parsed = validateSchema(findCapabilitiesSchema, input);
  if (!parsed.ok)
    return createInvalidCallOutcome(formatArgumentProblems("find_capabilities", parsed.failure));
  const found = await context.listCapabilities(parsed.value.search, LLM_SEARCH_RESULTS_MAX);
  const { shown = [], total = 0 } = found ?? {};
  if (shown.length === 0) return createCallOutcome("Nothing found. Try fewer or other words.");
  return {
    ...createCallOutcome(formatFoundCapabilities(shown, total)),
    isUntrusted: true,
    isOk: true,
  };
}

/** As many as fit; one that is too large by itself comes without the schemas of its parameters. */
function formatFoundCapabilities(shown: readonly UsableCapability[], total: number): string {
  const lines: string[] = [];
  let left = LLM_CALL_RESULT_BYTES_MAX - FOUND_HEADER_BYTES;
  for (const capability of shown) {
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
      measureJsonBytes(whole) <= left ? whole : JSON.stringify({ ...about, parameters: names });
    left -= measureJsonBytes(line);
    if (left < 0) break;
    lines.push(line);
  }
  return `${lines.length} of ${total} that match:\n${lines.join("\n")}`;
}

const FOUND_HEADER_BYTES = 100;
const FOUND_DESCRIPTION_CHARACTERS_MAX = 1_000;
const FOUND_PARAMETERS_MAX = 50;

/** `deliver_file`: saved at once; `names` are those of the files so far, and get this one's. */
export async function executeDeliverFile(
  input: JsonObject,
  { context, task }: LlmCallContext,
  names: Set<string>,
): Promise<LlmCallOutcome> {
  const parsed = validateSchema(deliverFileSchema, input);
  if (!parsed.ok)
    return createInvalidCallOutcome(formatArgumentProblems("deliver_file", parsed.failure));
  const { name, content, mediaType } = parsed.value;
  const type = matchDeliverableType(parsed.value.type, task.deliverableTypes);
  if (!names.has(name) && names.size >= LLM_FILES_MAX) {
    return createCallOutcome(
      `Not saved: a task can have ${LLM_FILES_MAX} files. Replace one by its name.`,
    );
  }
  const bytes = new TextEncoder().encode(content);
  if (bytes.byteLength > LLM_FILE_BYTES_MAX) {
    return createCallOutcome(
      `Not saved: a file can have ${LLM_FILE_BYTES_MAX} bytes, this has ${bytes.byteLength}.`,
    );
  }
  const file: NewFile = { type, name, format: addTextCharset(mediaType ?? "text/plain"), bytes };
  const saved = await context.saveFile(file);
  names.add(name);
  const result = `Saved ${name} (${bytes.byteLength} bytes) as a file of type ${type}.`;
  return { ...createCallOutcome(result), isOk: true, file: saved };
}

/** The word as the task asks for it, where only capitals differ. */
export function matchDeliverableType(type: string, wanted: readonly string[]): string {
  const normalized = type.trim().toLowerCase();
  return wanted.find((word) => word.trim().toLowerCase() === normalized) ?? type;
}

/** Text is written in UTF-8, which readers do not all take for granted. */
function addTextCharset(mediaType: string): string {
  const isBare = /^text\//i.test(mediaType) && !mediaType.includes(";");
  return isBare ? `${mediaType}; charset=utf-8` : mediaType;
}
