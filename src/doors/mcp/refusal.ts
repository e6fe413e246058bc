import type { Failure } from "../../domain/failure.ts";
import type { Json } from "../../domain/json.ts";
import { onTheWire } from "../../http/failure.ts";

/** Codes of JSON-RPC 2.0, and those that MCP adds to them. */
export const RPC = {
  parseError: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internalError: -32_603,
  /** What HTTP's own status says better. */
  refused: -32_000,
  headerMismatch: -32_020,
} as const;

/** A request of JSON-RPC that was not carried out. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

export type RequestId = string | number | null;

/** The answer that says so with a status of HTTP. */
export function refused(
  status: number,
  error: RpcError,
  id: RequestId = null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: "2.0", error, id }, { status, headers });
}

/** The same for a failure of the service, whose own code goes into `data`. */
export function refusedFor(failure: Failure, id: RequestId = null): Response {
  const { status, headers } = onTheWire(failure);
  return refused(status, rpcError(failure, codeOf(failure)), id, headers);
}

export function rpcError(failure: Failure, code: number): RpcError {
  const { status: _, headers: __, message, ...data } = onTheWire(failure);
  return { code, message, data };
}

function codeOf({ kind }: Failure): number {
  switch (kind) {
    case "invalid_json":
      return RPC.parseError;
    case "validation":
      return RPC.invalidParams;
    default:
      return RPC.refused;
  }
}

/** The id that an answer repeats: that of a request. */
export function idOf(body: Json): RequestId {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
  const { id, method } = body;
  return typeof method === "string" && (typeof id === "string" || typeof id === "number")
    ? id
    : null;
}
