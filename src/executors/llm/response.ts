import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import { EgressError } from "../../platform/egress/contract.ts";
import type { Redactor } from "../../tools/model/redaction.ts";
import { LLM_RESPONSE_BYTES_MAX, LLM_SIGNATURE_CHARACTERS_MAX } from "./limits.ts";
import { onAbort } from "../../platform/promises.ts";
import type { LlmTransport } from "./transport.ts";

/** A call made by the model. `input` is unparsed and may not be valid JSON. */
export interface LlmToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly signature: string | null;
}

/** One response. If there is an `error`, the other fields serve only to determine the cost. */
export interface LlmResponse {
  text: string;
  reasoning: string;
  calls: LlmToolCall[];
  /** Null if the response is incomplete. */
  finishReason: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other" | null;
  usage: LanguageModelV3Usage | null;
  /** The number of characters in everything that the model wrote. */
  characters: number;
  error: { readonly cause: unknown } | null;
}

/** The request or the turn timed out before the response ended. */
export class LlmTurnTimeoutError extends Error {}

/** Sends one request and reads the stream, or the JSON object that the endpoint sends instead. Never throws. */
export async function requestLlmResponse(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
  signal: AbortSignal,
  transport: LlmTransport,
): Promise<LlmResponse> {
  const streamed = await collectResponse(signal, async (response, aborted) => {
    const pending = Promise.resolve(model.doStream({ ...options, abortSignal: signal }));
    const { stream } = await Promise.race([pending, aborted]);
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await Promise.race([reader.read(), aborted]);
        if (done) break;
        applyPart(response, value);
        // The SDK's providers report this for a stream that ended without a finish reason.
        if (value.type === "finish" && hasNoFinishReason(value.finishReason))
          response.finishReason = null;
        checkResponseSize(response);
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  });
  if (transport.unstreamedBody === null) return streamed;
  transport.replayUnstreamed();
  return collectResponse(signal, async (response, aborted) => {
    const pending = Promise.resolve(model.doGenerate({ ...options, abortSignal: signal }));
    const { content, finishReason, usage } = await Promise.race([pending, aborted]);
    for (const part of content) {
      if (part.type === "tool-call") response.characters += part.input.length;
      applyPart(response, part);
    }
    checkResponseSize(response);
    applyPart(response, { type: "finish", finishReason, usage });
  });
}

/** Fails in the same way as our `fetch`, which not every model uses. */
function checkResponseSize({ characters }: LlmResponse): void {
  if (characters > LLM_RESPONSE_BYTES_MAX)
    throw new EgressError({ kind: "too_large", bytesMax: LLM_RESPONSE_BYTES_MAX });
}

/** Collects a response with `read` until `read` returns or fails, or `signal` aborts. */
async function collectResponse(
  signal: AbortSignal,
  read: (response: LlmResponse, aborted: Promise<never>) => Promise<void>,
): Promise<LlmResponse> {
  const response: LlmResponse = {
    text: "",
    reasoning: "",
    calls: [],
    finishReason: null,
    usage: null,
    characters: 0,
    error: null,
  };
  const { aborted, clear } = onAbort(signal);
  const timedOut = aborted.then(() => {
    throw new LlmTurnTimeoutError();
  });
  timedOut.catch(() => {});
  try {
    await read(response, timedOut);
  } catch (cause) {
    response.error ??= { cause: signal.aborted ? new LlmTurnTimeoutError() : cause };
  } finally {
    clear();
  }
  return response;
}

export function isCompleteResponse({ error, finishReason }: LlmResponse): boolean {
  return error === null && finishReason !== null && finishReason !== "error";
}

function hasNoFinishReason({ unified, raw }: LanguageModelV3FinishReason): boolean {
  return unified === "other" && raw === undefined;
}

/** Adds a part of a stream, or of a response that was not streamed. */
function applyPart(
  response: LlmResponse,
  part: LanguageModelV3StreamPart | LanguageModelV3Content,
): void {
  switch (part.type) {
    case "text":
    case "reasoning":
      response[part.type] += part.text;
      response.characters += part.text.length;
      break;
    case "text-delta":
      response.text += part.delta;
      response.characters += part.delta.length;
      break;
    case "reasoning-delta":
      response.reasoning += part.delta;
      response.characters += part.delta.length;
      break;
    case "tool-input-delta":
      response.characters += part.delta.length;
      break;
    case "tool-call": {
      const { toolCallId: id, toolName: name, input, providerMetadata } = part;
      const signature = findThoughtSignature(providerMetadata);
      response.calls.push({ id, name, input, signature });
      break;
    }
    case "finish":
      response.finishReason = part.finishReason.unified;
      response.usage = part.usage;
      break;
    case "error":
      response.error ??= { cause: part.error };
      break;
    // Sources, files and the provider's own tools are ignored.
    default:
      break;
  }
}

function findThoughtSignature(
  metadata: Readonly<Record<string, object>> | undefined,
): string | null {
  for (const one of Object.values(metadata ?? {})) {
    const signature = "thoughtSignature" in one ? one.thoughtSignature : undefined;
    if (typeof signature === "string" && signature.length <= LLM_SIGNATURE_CHARACTERS_MAX) {
      return signature;
    }
  }
  return null;
}

/**
 * Masks the agent's secret, which an endpoint could echo. Names of offered functions are kept, because the service
 * defines them.
 */
export function redactResponse(
  response: LlmResponse,
  { text }: Redactor,
  functions: readonly { readonly name: string }[],
): LlmResponse {
  const names = new Set(functions.map(({ name }) => name));
  return {
    ...response,
    text: text(response.text),
    reasoning: text(response.reasoning),
    calls: response.calls.map((call) => ({
      id: text(call.id),
      name: names.has(call.name) ? call.name : text(call.name),
      input: text(call.input),
      signature: call.signature === null ? null : text(call.signature),
    })),
  };
}
