import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import type { Redaction } from "../../../secrets/redact.ts";
import { ANSWER_BYTES_MAX, SIGNATURE_CHARACTERS_MAX } from "./limits.ts";
import type { Wire } from "./wire.ts";

/** A call as the model asked for it: `input` is what should be JSON. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly signature: string | null;
}

/** What was heard of one answer. With an `error` the rest is only what it has cost. */
export interface Heard {
  text: string;
  reasoning: string;
  calls: AskedCall[];
  /** Null when the answer did not come to its end. */
  finish: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other" | null;
  usage: LanguageModelV3Usage | null;
  /** Characters of all that the model wrote, also where it led to nothing. */
  characters: number;
  error: { readonly cause: unknown } | null;
}

/** The turn's time was over before the answer's end. */
export class TurnOver extends Error {}
/** More came than one answer may have, from a model that no fetch stands before. */
export class TooLong extends Error {}

/**
 * Sends one request and reads the answer until it ends, fails or `signal` aborts. If the endpoint answers
 * with one JSON object instead of a stream, that object is read and no second request is sent. Never throws.
 */
export async function hear(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
  signal: AbortSignal,
  wire: Wire,
): Promise<Heard> {
  const streamed = await listen(signal, async (heard, over) => {
    const asked = Promise.resolve(model.doStream({ ...options, abortSignal: signal }));
    const { stream } = await Promise.race([asked, over]);
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await Promise.race([reader.read(), over]);
        if (done) break;
        take(heard, value);
        // The SDK's providers report this for a stream that broke off before the model's finish reason.
        if (value.type === "finish" && isUnfinished(value.finishReason)) heard.finish = null;
        if (heard.characters > ANSWER_BYTES_MAX) throw new TooLong();
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  });
  if (wire.unstreamed === null) return streamed;
  wire.replay();
  return listen(signal, async (heard, over) => {
    const asked = Promise.resolve(model.doGenerate({ ...options, abortSignal: signal }));
    const { content, finishReason, usage } = await Promise.race([asked, over]);
    for (const part of content) takeWhole(heard, part);
    if (heard.characters > ANSWER_BYTES_MAX) throw new TooLong();
    take(heard, { type: "finish", finishReason, usage });
  });
}

/** The parts that `read` collects until it returns, fails or the turn ends. */
async function listen(
  signal: AbortSignal,
  read: (heard: Heard, over: Promise<never>) => Promise<void>,
): Promise<Heard> {
  const heard: Heard = {
    text: "",
    reasoning: "",
    calls: [],
    finish: null,
    usage: null,
    characters: 0,
    error: null,
  };
  const over = Promise.withResolvers<never>();
  const end = (): void => over.reject(new TurnOver());
  over.promise.catch(() => {});
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    await read(heard, over.promise);
  } catch (cause) {
    heard.error ??= { cause: signal.aborted ? new TurnOver() : cause };
  } finally {
    signal.removeEventListener("abort", end);
  }
  return heard;
}

/** Whether an answer is complete and has no error. */
export function isWhole({ error, finish }: Heard): boolean {
  return error === null && finish !== null && finish !== "error";
}

function isUnfinished({ unified, raw }: LanguageModelV3FinishReason): boolean {
  return unified === "other" && raw === undefined;
}

/** Adds a part of an answer that was not streamed. */
function takeWhole(heard: Heard, part: LanguageModelV3Content): void {
  switch (part.type) {
    case "text":
      return take(heard, { type: "text-delta", id: "", delta: part.text });
    case "reasoning":
      return take(heard, { type: "reasoning-delta", id: "", delta: part.text });
    case "tool-call":
      take(heard, { type: "tool-input-delta", id: part.toolCallId, delta: part.input });
      return take(heard, part);
    default:
      break;
  }
}

function take(heard: Heard, part: LanguageModelV3StreamPart): void {
  switch (part.type) {
    case "text-delta":
      heard.text += part.delta;
      heard.characters += part.delta.length;
      break;
    case "reasoning-delta":
      heard.reasoning += part.delta;
      heard.characters += part.delta.length;
      break;
    case "tool-input-delta":
      heard.characters += part.delta.length;
      break;
    case "tool-call": {
      const { toolCallId: id, toolName: name, input, providerMetadata } = part;
      const signature = signatureIn(providerMetadata);
      heard.calls.push({ id, name, input, signature });
      break;
    }
    case "finish":
      heard.finish = part.finishReason.unified;
      heard.usage = part.usage;
      break;
    case "error":
      heard.error ??= { cause: part.error };
      break;
    // What a provider does by itself (sources, files, tools of its own) is not asked for.
    default:
      break;
  }
}

function signatureIn(metadata: Readonly<Record<string, object>> | undefined): string | null {
  for (const one of Object.values(metadata ?? {})) {
    const signature = "thoughtSignature" in one ? one.thoughtSignature : undefined;
    if (typeof signature === "string" && signature.length <= SIGNATURE_CHARACTERS_MAX) {
      return signature;
    }
  }
  return null;
}

/**
 * The response without the agent's secret, which an endpoint could return as its model's words. Names of offered
 * functions stay, because the service defines them.
 */
export function redacted(
  heard: Heard,
  { text }: Redaction,
  offered: readonly { readonly name: string }[],
): Heard {
  const names = new Set(offered.map(({ name }) => name));
  return {
    ...heard,
    text: text(heard.text),
    reasoning: text(heard.reasoning),
    calls: heard.calls.map((call) => ({
      id: text(call.id),
      name: names.has(call.name) ? call.name : text(call.name),
      input: text(call.input),
      signature: call.signature === null ? null : text(call.signature),
    })),
  };
}
