import { tryParseJson } from "../../kernel/json.ts";
import { toIsoTime } from "../../kernel/text.ts";
import type { Viewer } from "../../keys/model/key.ts";
import type { RecordedJson } from "../../tools/model/recorded-json.ts";
import type { TaskCall } from "../model/call-record.ts";
import type { RecordedValueResponse, TaskCallResponse } from "./call-schemas.ts";

/** A call in responses. Bound keys do not see the ids of other keys. */
export function callView(
  { record, outcome, eventSeq }: TaskCall,
  { agentId, teamId }: Viewer,
): TaskCallResponse {
  const { end } = record;
  const isBound = agentId !== null || teamId !== null;
  return {
    callId: record.id,
    toolId: record.toolId,
    capability: record.capability,
    outcome,
    source: record.source,
    agentId: record.agentId ?? undefined,
    keyId: isBound ? undefined : (record.keyId ?? undefined),
    requestId: record.requestId ?? undefined,
    attempt: record.attempt,
    turn: record.turn ?? undefined,
    eventSeq: eventSeq ?? undefined,
    startedAt: toIsoTime(record.startedAt),
    durationMs: end?.durationMs,
    cost: end?.cost ?? 0,
    costUnit: "USD",
    parameters: recordedValueView(record.parameters),
    result: end?.outcome === "ok" ? recordedValueView(end.result) : undefined,
    error: end === undefined || end.outcome === "ok" ? undefined : end.error,
  };
}

function recordedValueView(recorded: RecordedJson): RecordedValueResponse {
  const { text, bytes: size, sha256, isCut = false, isShortened = false } = recorded;
  if (!isCut && !isShortened && sha256 === undefined)
    return { value: tryParseJson(text) ?? null, size };
  return { preview: text, size, sha256 };
}
