import { decodeBase64 } from "../../kernel/bytes.ts";
import {
  classifyInboundRequest,
  PerRequestHTTPServerTransport,
  SdkError,
  SdkErrorCode,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/server";
import type { Json } from "../../kernel/json.ts";
import type { McpCallContext } from "./call-context.ts";
import {
  readMcpRequestId,
  buildRpcErrorResponse,
  MCP_RPC_CODES,
  type McpRequestId,
} from "./json-rpc.ts";
import { MCP_LEGACY_VERSIONS, MCP_MODERN_VERSIONS, createMcpServer } from "./server.ts";

type McpMessage = Parameters<PerRequestHTTPServerTransport["handleMessage"]>[0];
/** The protocol revision whose rules apply to a message. */
type Classification = ConstructorParameters<
  typeof PerRequestHTTPServerTransport
>[0]["classification"];

/** Handles one MCP message without a session. Since revision 2026-07-28, each request describes its client. */
export async function serveMcpMessage(
  request: Request,
  call: McpCallContext,
  body: Json,
): Promise<Response> {
  const { headers } = request;
  const version = headers.get("MCP-Protocol-Version") ?? undefined;
  const mcpMethod = headers.get("Mcp-Method") ?? undefined;
  const route = classifyInboundRequest({
    httpMethod: "POST",
    body,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(mcpMethod === undefined ? {} : { mcpMethodHeader: mcpMethod }),
  });
  const id = readMcpRequestId(body);
  if (route.kind === "reject") {
    const { httpStatus, code, message, data } = route;
    return buildRpcErrorResponse(httpStatus, { code, message, data }, id);
  }
  if (route.kind === "modern") {
    const { message, classification } = route;
    if (!MCP_MODERN_VERSIONS.includes(classification.revision ?? "")) {
      return unsupportedVersion(classification.revision ?? "unknown", id);
    }
    const problem =
      route.messageKind === "request" ? findHeaderProblem(headers, route.message) : null;
    if (problem !== null) {
      const error = { code: MCP_RPC_CODES.headerMismatch, message: problem };
      return buildRpcErrorResponse(400, error, id);
    }
    return exchangeMessage(request, call, message, classification);
  }
  const { reason } = route;
  if (reason === "batch") {
    const error = { code: MCP_RPC_CODES.invalidRequest, message: NO_BATCHES };
    return buildRpcErrorResponse(400, error);
  }
  // This server sends no requests to clients, so no response is expected.
  if (reason === "response") return new Response(null, { status: 202 });
  const isKnown = version === undefined || MCP_LEGACY_VERSIONS.includes(version);
  if (reason !== "initialize" && !isKnown) return unsupportedVersion(version, id);
  return withStatusOk(await exchangeMessage(request, call, toMcpMessage(body), { era: "legacy" }));
}

const NO_BATCHES = "Batches are not supported. Send one message per request.";

/** Handles one message with its own server instance. */
async function exchangeMessage(
  request: Request,
  call: McpCallContext,
  message: McpMessage,
  classification: Classification,
): Promise<Response> {
  const transport = new PerRequestHTTPServerTransport({ classification, responseMode: "json" });
  await createMcpServer(call).connect(transport);
  try {
    return await transport.handleMessage(message, { request });
  } catch (error) {
    const isDisconnected =
      error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
    if (!isDisconnected) throw error;
    // The client has disconnected. nginx uses status 499 for this, too.
    return new Response(null, { status: 499 });
  }
}

/** In earlier revisions, every response to a request has status 200, and a 404 would end a session. */
function withStatusOk(response: Response): Response {
  return response.status < 400 || response.status === 499
    ? response
    : new Response(response.body, { headers: response.headers });
}

function unsupportedVersion(requested: string, id: McpRequestId): Response {
  // The same list as in server/discover. Earlier revisions are negotiated with `initialize`.
  const supported = [...MCP_MODERN_VERSIONS];
  const { code, message, data } = new UnsupportedProtocolVersionError({ supported, requested });
  return buildRpcErrorResponse(400, { code, message, data }, id);
}

/** `classifyInboundRequest` has established that this body is a request or a notification. */
function toMcpMessage(body: Json): McpMessage {
  return body as unknown as McpMessage;
}

const BASE64_HEADER = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** A problem with the headers that must repeat parts of the body (since 2026-07-28); null if they are correct. */
function findHeaderProblem(
  headers: Headers,
  { method, params }: { readonly method: string; readonly params?: object | undefined },
): string | null {
  for (const name of ["MCP-Protocol-Version", "Mcp-Method"]) {
    if (!headers.has(name)) return `The ${name} header is missing.`;
  }
  const named = params !== undefined && "name" in params ? params.name : null;
  if (method !== "tools/call" || typeof named !== "string") return null;
  const header = headers.get("Mcp-Name");
  if (header === null) return "The Mcp-Name header is missing. Set it to the name of the tool.";
  return decodeHeader(header.trim()) === named
    ? null
    : "The Mcp-Name header does not match the name of the tool in the body.";
}

/** The decoded text of a header; null for invalid base64. */
function decodeHeader(header: string): string | null {
  const encoded = BASE64_HEADER.exec(header)?.[1];
  if (encoded === undefined) return header;
  const bytes = decodeBase64(encoded);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}
