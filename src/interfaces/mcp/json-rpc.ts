import type { Failure } from "../../kernel/failure.ts";
import type { Json } from "../../kernel/json.ts";
import { toWireError } from "../../http/to-wire-error.ts";

/** JSON-RPC 2.0 error codes, and those that MCP adds. */
export const MCP_RPC_CODES = {
  parseError: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internalError: -32_603,
  /** The HTTP status identifies the error. */
  serverError: -32_000,
  headerMismatch: -32_020,
} as const;

export interface McpRpcError {
  readonly code: number;
  readonly message: string;
  /** An object, or undefined. */
  readonly data?: unknown;
}

export type McpRequestId = string | number | null;

export function buildRpcErrorResponse(
  status: number,
  error: McpRpcError,
  id: McpRequestId = null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: "2.0", error, id }, { status, headers });
}

/** The response for a failure. `data` contains the failure's code. */
export function buildRpcFailureResponse(failure: Failure, id: McpRequestId = null): Response {
  const { status, headers } = toWireError(failure);
  const code = CODES_BY_FAILURE.get(failure.kind) ?? MCP_RPC_CODES.serverError;
  return buildRpcErrorResponse(status, toMcpRpcError(failure, code), id, headers);
}

export function toMcpRpcError(failure: Failure, code: number): McpRpcError {
  const { status: _, headers: __, message, ...data } = toWireError(failure);
  return { code, message, data };
}

const CODES_BY_FAILURE: ReadonlyMap<Failure["kind"], number> = new Map<Failure["kind"], number>([
  ["invalid_json", MCP_RPC_CODES.parseError],
  ["validation", MCP_RPC_CODES.invalidParams],
]);

/** The id of a request; null for a notification or an invalid body. */
export function readMcpRequestId(body: Json): McpRequestId {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
  const { id, method } = body;
  return typeof method === "string" && (typeof id === "string" || typeof id === "number")
    ? id
    : null;
}
