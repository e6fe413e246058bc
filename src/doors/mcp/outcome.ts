import { isCallToolResult, type CallToolResult } from "@modelcontextprotocol/server";
import type { Failure } from "../../domain/failure.ts";
import { onTheWire } from "../../http/failure.ts";

/** A value as a tool of MCP answers it: as it is for programs, as JSON text for models. */
export function answered(value: object): CallToolResult {
  return { content: [text(JSON.stringify(value))], structuredContent: { ...value } };
}

/** A capability's result. What an MCP server answered goes on as it came: text, images and all. */
export function resultOf(result: object): CallToolResult {
  const isOfMcp = Object.keys(result).every((key) => OF_MCP.has(key));
  return isOfMcp && isCallToolResult(result) ? result : answered(result);
}

const OF_MCP: ReadonlySet<string> = new Set(["content", "structuredContent"]);

/** A failure that the caller should read and can mostly mend: its code, and what to change. */
export function failedResult(failure: Failure): CallToolResult {
  const { status: _, headers = {}, ...error } = onTheWire(failure);
  const seconds = headers["Retry-After"];
  const retryAfterSeconds = seconds === undefined ? {} : { retryAfterSeconds: Number(seconds) };
  const lines = [
    `${error.code}: ${error.message}`,
    ...(error.details ?? []).slice(1).map(({ path, message }) => `${path} ${message}`),
    ...(error.context === undefined ? [] : [JSON.stringify(error.context)]),
  ];
  return {
    isError: true,
    content: [text(lines.join("\n"))],
    structuredContent: { error: { ...error, ...retryAfterSeconds } },
  };
}

function text(words: string): { type: "text"; text: string } {
  return { type: "text", text: words };
}
