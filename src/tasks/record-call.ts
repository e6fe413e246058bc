import { toWireError } from "../http/to-wire-error.ts";
import type { Failure } from "../kernel/failure.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Result } from "../kernel/result.ts";
import { sanitizeText } from "../kernel/text.ts";
import { sha256Hex } from "../platform/crypto/hash.ts";
import { currentRequestId } from "../platform/request-id.ts";
import type { CallRequest } from "../tools/model/invocation.ts";
import { redactJson, redactText, type RecordedJson } from "../tools/model/recorded-json.ts";
import { CALL_ERROR_CHARACTERS_MAX, CALL_VALUE_BYTES_MAX } from "./limits.ts";
import type { CallEnd, CallError, CallOrigin, StartedCall } from "./model/call-record.ts";
import type { ToolCall } from "./model/task.ts";

/** The record of a call that starts, without secrets and with limited parameters. */
export async function recordStartedCall(
  { parameters, ...call }: CallRequest,
  origin: CallOrigin,
): Promise<StartedCall> {
  return {
    ...call,
    ...origin,
    requestId: currentRequestId(),
    parameters: await recordJson(parameters),
  };
}

/** The recorded end of a call that was made. */
export async function recordCallEnd(
  { durationMs, cost }: Pick<ToolCall, "durationMs" | "cost">,
  outcome: Result<JsonObject, Failure>,
): Promise<CallEnd> {
  if (outcome.ok) {
    return { outcome: "ok", durationMs, cost, result: await recordJson(outcome.value) };
  }
  return { outcome: "failed", durationMs, cost, error: toCallError(outcome.failure) };
}

/** The recorded end of a call that was not made. */
export function recordRejection(failure: Failure): CallEnd {
  return { outcome: "rejected", durationMs: 0, cost: 0, error: toCallError(failure) };
}

function toCallError(failure: Failure): CallError {
  const { code, message } = toWireError(failure);
  return { code, message: sanitizeText(redactText(message), CALL_ERROR_CHARACTERS_MAX) };
}

async function recordJson(value: JsonObject): Promise<RecordedJson> {
  const { text, isComplete, isMasked } = redactJson(value, CALL_VALUE_BYTES_MAX);
  const original = Buffer.from(JSON.stringify(value));
  const bytes = original.byteLength;
  if (isComplete) return { text, bytes };
  // With a digest of the original, a reader could try out values for a masked secret.
  if (isMasked) return { text, bytes, isCut: true };
  return { text, bytes, sha256: await sha256Hex(original) };
}
