import { isCallToolResult, type CallToolResult } from "@modelcontextprotocol/server";
import type { Failure } from "../../kernel/failure.ts";
import { toWireError } from "../../http/to-wire-error.ts";
import { toIsoTime } from "../../kernel/text.ts";

/** A result as structured content for programs, and as JSON text for models. */
export function toToolResult(value: object): CallToolResult {
  return { content: [textContent(JSON.stringify(value))], structuredContent: { ...value } };
}

/** The result of a capability. Content from an MCP server is passed on unchanged, including images. */
export function toCapabilityResult(result: object): CallToolResult {
  const isOfMcp = Object.keys(result).every((key) => TOOL_RESULT_FIELDS.has(key));
  return isOfMcp && isCallToolResult(result) ? result : toToolResult(result);
}

const TOOL_RESULT_FIELDS: ReadonlySet<string> = new Set(["content", "structuredContent"]);

/** A call that was stored and waits for approval, which is not an error. */
export function toPendingResult(
  { approvalId, policyId, reason, expiresAt }: Failure<"approval_pending">,
  origin: string,
): CallToolResult {
  const url = `${origin}/agents/approvals/${approvalId}`;
  const stored = { approvalId, status: "pending", url, policyId, reason };
  const text = `The call was stored and waits for approval: ${reason} Do not repeat it. Read its result with get_approval and approvalId ${approvalId}.`;
  return {
    content: [textContent(text)],
    structuredContent: { ...stored, expiresAt: toIsoTime(expiresAt) },
  };
}

/** A failure as a tool result, so that the model can read the error and correct the call. */
export function toToolErrorResult(failure: Failure): CallToolResult {
  const { status: _, headers = {}, ...error } = toWireError(failure);
  const seconds = headers["Retry-After"];
  const retryAfterSeconds = seconds === undefined ? {} : { retryAfterSeconds: Number(seconds) };
  const lines = [
    `${error.code}: ${error.message}`,
    ...(error.details ?? []).slice(1).map(({ path, message }) => `${path} ${message}`),
    ...(error.context === undefined ? [] : [JSON.stringify(error.context)]),
  ];
  return {
    isError: true,
    content: [textContent(lines.join("\n"))],
    structuredContent: { error: { ...error, ...retryAfterSeconds } },
  };
}

function textContent(text: string): { type: "text"; text: string } {
  return { type: "text", text };
}
