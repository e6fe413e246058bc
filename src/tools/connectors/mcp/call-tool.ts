import type { McpConnector, RemoteCall } from "../../model/connector.ts";
import {
  MCP_REQUESTS_MAX,
  TOOL_RESPONSE_BYTES_MAX,
  TOOL_TIMEOUT_MAX_MS,
  UPSTREAM_ERROR_BYTES_MAX,
} from "../../limits.ts";
import {
  UPSTREAM_JSON_DEPTH_MAX,
  UPSTREAM_REASON_CHARACTERS_MAX,
} from "../../../platform/limits.ts";
import type { Egress } from "../../../platform/egress/contract.ts";
import type { CallOutcome } from "../contract.ts";
import { createRedactor, type Redactor } from "../../model/redaction.ts";
import { parseMcpEndpoint } from "./http-client.ts";
import { runMcpSession } from "./session.ts";
import type { CallToolResult } from "@modelcontextprotocol/client";
import {
  asJson,
  isJsonObject,
  isWithinDepth,
  type Json,
  type JsonObject,
} from "../../../kernel/json.ts";
import { fail, ok } from "../../../kernel/result.ts";
import { createPermanentUpstreamFailure } from "../connector-failure.ts";
import { isUnknownToolMessage, addImportHint } from "./sdk-errors.ts";
import { sanitizeText } from "../../../kernel/text.ts";

/** Converts a tool result to the outcome of the call: the content, or the tool's error. */
function toMcpCallOutcome(result: CallToolResult, redaction: Redactor): CallOutcome {
  if (!isWithinDepth(result, UPSTREAM_JSON_DEPTH_MAX)) {
    const reason = `its result is nested more than ${UPSTREAM_JSON_DEPTH_MAX} levels deep.`;
    return fail(createPermanentUpstreamFailure(reason));
  }
  const content = result.content.map((block) => redaction.json(asJson(block)));
  if (result.isError === true) {
    const details = { content: excerptBlocks(content) };
    return fail({ kind: "rejected", reason: formatErrorReason(content), details });
  }
  const { structuredContent } = result;
  if (structuredContent === undefined) return ok({ content });
  return ok({ content, structuredContent: redaction.json(asJson(structuredContent)) });
}

function formatErrorReason(content: readonly Json[]): string {
  const texts = content.map((block) => (isTextBlock(block) ? block.text : ""));
  const text = sanitizeText(texts.join("\n"), UPSTREAM_REASON_CHARACTERS_MAX);
  if (text === "") return "the tool reported an error without a message.";
  return addImportHint(text, isUnknownToolMessage(text));
}

/** The blocks that fit into an error. Long text is truncated; other large blocks are omitted. */
function excerptBlocks(content: readonly Json[]): Json[] {
  const kept: Json[] = [];
  let room = UPSTREAM_ERROR_BYTES_MAX;
  for (const block of content) {
    const size = JSON.stringify(block).length;
    if (size <= room) kept.push(block);
    else if (isTextBlock(block) && room > 0)
      kept.push({ type: "text", text: sanitizeText(block.text, room) });
    room -= Math.min(room, size);
  }
  return kept;
}

function isTextBlock(block: Json): block is JsonObject & { text: string } {
  return isJsonObject(block) && block["type"] === "text" && typeof block["text"] === "string";
}

/** Opens a session, calls the tool and closes the session. */
export async function callRemoteMcpTool(
  egress: Egress,
  connector: McpConnector,
  tool: string,
  { parameters, authorization }: RemoteCall,
): Promise<CallOutcome> {
  const server = parseMcpEndpoint({ ...connector, authorization });
  if (!server.ok) return server;
  const bounds = {
    timeoutMs: Math.min(connector.timeoutMs, TOOL_TIMEOUT_MAX_MS),
    bytesMax: TOOL_RESPONSE_BYTES_MAX,
    requestsMax: MCP_REQUESTS_MAX,
  };
  const answer = await runMcpSession(egress, server.value, bounds, (client, terms) =>
    client.callTool({ name: tool, arguments: parameters }, terms),
  );
  return answer.ok ? toMcpCallOutcome(answer.value, createRedactor(authorization)) : answer;
}
