import {
  classifyInboundRequest,
  PerRequestHTTPServerTransport,
  SdkError,
  SdkErrorCode,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/server";
import type { Json } from "../../domain/json.ts";
import type { Caller } from "./caller.ts";
import { idOf, refused, RPC, type RequestId } from "./refusal.ts";
import { LEGACY, MODERN, serverFor } from "./server.ts";
import { headerProblem } from "./standard-headers.ts";

/** How a message is served: by which revision's rules, on a server of its own. */
type Message = Parameters<PerRequestHTTPServerTransport["handleMessage"]>[0];
type Classification = ConstructorParameters<
  typeof PerRequestHTTPServerTransport
>[0]["classification"];

/**
 * Answers one message of MCP. Both generations are served without a session: since 2026-07-28 each request
 * says all there is to know of its client, before that it said so once, to a server that has long gone.
 */
export async function serve(request: Request, caller: Caller, body: Json): Promise<Response> {
  const { headers } = request;
  const version = headers.get("MCP-Protocol-Version") ?? undefined;
  const mcpMethod = headers.get("Mcp-Method") ?? undefined;
  const route = classifyInboundRequest({
    httpMethod: "POST",
    body,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(mcpMethod === undefined ? {} : { mcpMethodHeader: mcpMethod }),
  });
  const id = idOf(body);
  if (route.kind === "reject") {
    const { httpStatus, code, message, data } = route;
    return refused(httpStatus, { code, message, ...asData(data) }, id);
  }
  if (route.kind === "modern") {
    const { message, classification } = route;
    if (!MODERN.includes(classification.revision ?? "")) {
      return unsupported(classification.revision ?? "unknown", id);
    }
    const problem = route.messageKind === "request" ? headerProblem(headers, route.message) : null;
    if (problem !== null) return refused(400, { code: RPC.headerMismatch, message: problem }, id);
    return exchange(request, caller, message, classification);
  }
  switch (route.reason) {
    case "batch":
      return refused(400, { code: RPC.invalidRequest, message: NO_BATCHES });
    case "response":
      // Nothing is ever asked of clients here, so nobody waits for it.
      return new Response(null, { status: 202 });
    case "http-method":
    case "notification":
    case "no-claim":
    case "initialize":
      break;
  }
  if (route.reason !== "initialize" && version !== undefined && !LEGACY.includes(version)) {
    return unsupported(version, id);
  }
  return inBand(await exchange(request, caller, messageIn(body), { era: "legacy" }));
}

const NO_BATCHES = "Batches are not taken, as MCP gave them up; send one message a request.";

/** One message, one server, one answer. */
async function exchange(
  request: Request,
  caller: Caller,
  message: Message,
  classification: Classification,
): Promise<Response> {
  const transport = new PerRequestHTTPServerTransport({ classification, responseMode: "json" });
  await serverFor(caller).connect(transport);
  try {
    return await transport.handleMessage(message, { request });
  } catch (error) {
    const hungUp = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
    if (!hungUp) throw error;
    // Nobody reads it: nginx's number for a client that has closed the connection.
    return new Response(null, { status: 499 });
  }
}

/** Of the earlier revisions: any answer to a request has the status 200, and a 404 would end a session. */
function inBand(response: Response): Response {
  return response.status < 400 || response.status === 499
    ? response
    : new Response(response.body, { headers: response.headers });
}

function unsupported(requested: string, id: RequestId): Response {
  // The same list as in server/discover: earlier revisions are negotiated by initialize.
  const supported = [...MODERN];
  const { code, message, data } = new UnsupportedProtocolVersionError({ supported, requested });
  return refused(400, { code, message, ...asData(data) }, id);
}

function asData(data: unknown): { data?: object } {
  return typeof data === "object" && data !== null ? { data } : {};
}

/** The classification has found a body of this route to be a request or a notification. */
function messageIn(body: Json): Message {
  return body as unknown as Message;
}
