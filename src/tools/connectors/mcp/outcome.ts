import type { CallToolResult } from "@modelcontextprotocol/client";
import type { Json, JsonObject } from "../../../domain/json.ts";
import {
  ANSWER_DEPTH_MAX,
  REJECTION_BYTES_MAX,
  UPSTREAM_REASON_CHARACTERS_MAX,
} from "../../../domain/limits.ts";
import { fail, ok } from "../../../domain/result.ts";
import type { CallOutcome } from "../contract.ts";
import { lasting } from "../http/fault.ts";
import type { Redaction } from "../../../secrets/redact.ts";
import { isWithinDepth } from "../depth.ts";
import { isUnknownTool, withImportHint } from "./fault.ts";
import { cut } from "../../../domain/text.ts";

/** What a tool's result is to the caller: the content as it came, or the tool's own "no". */
export function outcomeOf(result: CallToolResult, redaction: Redaction): CallOutcome {
  if (!isWithinDepth(result, ANSWER_DEPTH_MAX)) {
    return fail(lasting(`its result is nested more than ${ANSWER_DEPTH_MAX} levels deep.`));
  }
  const content = result.content.map((block) => redaction.json(asJson(block)));
  if (result.isError === true) {
    return fail({
      kind: "rejected",
      reason: reasonOf(content),
      details: { content: shown(content) },
    });
  }
  const { structuredContent } = result;
  if (structuredContent === undefined) return ok({ content });
  return ok({ content, structuredContent: redaction.json(asJson(structuredContent)) });
}

function reasonOf(content: readonly Json[]): string {
  const texts = content.map((block) => (isText(block) ? block.text : ""));
  const text = cut(texts.join("\n"), UPSTREAM_REASON_CHARACTERS_MAX);
  if (text === "") return "the tool reports an error without saying which.";
  return withImportHint(text, isUnknownTool(text));
}

/** Whole blocks as far as they fit into an error, and texts cut to fit; images and the like stay out. */
function shown(content: readonly Json[]): Json[] {
  const kept: Json[] = [];
  let room = REJECTION_BYTES_MAX;
  for (const block of content) {
    const size = JSON.stringify(block).length;
    if (size <= room) kept.push(block);
    else if (isText(block) && room > 0) kept.push({ type: "text", text: cut(block.text, room) });
    room -= Math.min(room, size);
  }
  return kept;
}

function isText(block: Json): block is JsonObject & { text: string } {
  const isObject = typeof block === "object" && block !== null && !Array.isArray(block);
  return isObject && block["type"] === "text" && typeof block["text"] === "string";
}

/** Parts of a result come from JSON.parse, and the SDK's schemas put nothing else into them. */
function asJson(value: unknown): Json {
  return value as Json;
}
