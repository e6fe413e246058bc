import {
  InsufficientScopeError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import * as z from "zod";
import { UPSTREAM_REASON_CHARACTERS_MAX } from "../../../platform/limits.ts";
import type { ConnectorFailure } from "../contract.ts";
import {
  classifyUpstreamStatus,
  createTransientUpstreamFailure,
  createPermanentUpstreamFailure,
} from "../connector-failure.ts";
import type { Redactor } from "../../model/redaction.ts";
import { buildUpstreamErrorDetails } from "../http/response.ts";
import { tryParseJson } from "../../../kernel/json.ts";
import { sanitizeText } from "../../../kernel/text.ts";

interface McpErrorContext {
  readonly hasCredential: boolean;
  readonly redaction: Redactor;
  readonly timeoutMs: number;
  readonly retryAfterSeconds: number | null;
}

type UnauthorizedFailure = Extract<ConnectorFailure, { kind: "unauthorized" }>;

const RPC_ERROR = z.object({ error: z.object({ code: z.number(), message: z.string() }) });

export function classifyMcpError(error: unknown, context: McpErrorContext): ConnectorFailure {
  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError) {
    return createUnauthorizedFailure(context);
  }
  if (error instanceof ProtocolError) return classifyRpcError(error.code, error.message, context);
  if (error instanceof SdkHttpError) return classifyHttpError(error, context);
  if (error instanceof SdkError) return classifySdkError(error, context);
  if (error instanceof SyntaxError)
    return createPermanentUpstreamFailure("its response is not JSON.");
  // The SDK has no class for this error.
  if (error instanceof Error && error.message.startsWith("Server's protocol version")) {
    return createPermanentUpstreamFailure("it uses an unsupported MCP version.");
  }
  return createPermanentUpstreamFailure("it does not respond like an MCP server.");
}

/**
 * Converts a failure that occurred before the tool was called, so nothing was executed. Such a failure cannot be a tool
 * error.
 */
export function toMcpConnectFailure(failure: ConnectorFailure): ConnectorFailure {
  switch (failure.kind) {
    case "rejected":
      return {
        ...createPermanentUpstreamFailure(`it did not open a session: ${failure.reason}`),
        hadNoEffect: true,
      };
    case "upstream":
    case "timeout":
      return { ...failure, hadNoEffect: true };
    case "parameters":
    case "rejected_address":
    case "unauthorized":
      return failure;
  }
}

function classifyHttpError(error: SdkHttpError, context: McpErrorContext): ConnectorFailure {
  const { status } = error;
  const body = typeof error.data.text === "string" ? error.data.text : "";
  // Parse as JSON if possible, because the SDK does not report the content type.
  const bytes = new TextEncoder().encode(body);
  const details = buildUpstreamErrorDetails(status, bytes, "application/json", context.redaction);
  if (status === 401) return { ...createUnauthorizedFailure(context, status), details };
  // A new token would not have more permissions.
  if (status === 403)
    return { ...createUnauthorizedFailure(context, status), details, isFinal: true };
  const rpc = RPC_ERROR.safeParse(tryParseJson(body));
  if (status < 500 && status !== 429 && rpc.success) {
    return classifyRpcError(rpc.data.error.code, rpc.data.error.message, context);
  }
  const { retryAfterSeconds } = context;
  if (status >= 300 && status < 400) {
    // The SDK follows redirects only within one origin. For other origins, its message contains the target.
    const target = /^.{0,50}Redirect to (\S+)/.exec(error.message)?.[1];
    const publicReason = "it redirects to another server. Such redirects are not followed.";
    if (target === undefined) return createPermanentUpstreamFailure(publicReason);
    const reason = `it redirects to ${target}. Redirects to another server are not followed. If that is the correct server, use its address.`;
    return { ...createPermanentUpstreamFailure(reason), publicReason };
  }
  if (status === 404 || status === 405) {
    const reason = `it returned HTTP ${status}, so there is no Streamable HTTP MCP server at its address.`;
    return { ...createPermanentUpstreamFailure(reason), details };
  }
  return classifyUpstreamStatus(status, retryAfterSeconds, details);
}

function classifySdkError(error: SdkError, context: McpErrorContext): ConnectorFailure {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return { kind: "timeout", timeoutMs: context.timeoutMs, hadNoEffect: false };
    case SdkErrorCode.UnsupportedResultType:
      return {
        kind: "rejected",
        reason: "the tool asked its caller for more input, which is not supported.",
        details: {},
      };
    case SdkErrorCode.ClientHttpUnexpectedContent:
      return createPermanentUpstreamFailure("its response is neither JSON nor an event stream.");
    case SdkErrorCode.InvalidResult:
      return createPermanentUpstreamFailure(
        "its result does not have the structure that MCP requires.",
      );
    default:
      if (error.cause instanceof Error) return classifyMcpError(error.cause, context);
      return createPermanentUpstreamFailure("it violated the MCP protocol.");
  }
}

/** Error codes that mean a protocol mismatch. Except for an internal error, every other code is a tool error. */
const PROTOCOL_MISMATCH_CODES: ReadonlySet<number> = new Set([
  ProtocolErrorCode.ParseError,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.UnsupportedProtocolVersion,
]);
const INTERNAL_ERROR: number = ProtocolErrorCode.InternalError;
const METHOD_NOT_FOUND: number = ProtocolErrorCode.MethodNotFound;

function classifyRpcError(
  code: number,
  message: string,
  { redaction }: McpErrorContext,
): ConnectorFailure {
  const text = sanitizeText(redaction.text(message), UPSTREAM_REASON_CHARACTERS_MAX);
  const reason = `it returned error ${code}: ${text.replace(/(?<![.!?…])$/, ".")}`;
  if (code === INTERNAL_ERROR) return createTransientUpstreamFailure(reason);
  if (PROTOCOL_MISMATCH_CODES.has(code)) return createPermanentUpstreamFailure(reason);
  const isGone = code === METHOD_NOT_FOUND || isUnknownToolMessage(message);
  return { kind: "rejected", reason: addImportHint(text, isGone), details: { code } };
}

/** MCP has no dedicated error code for an unknown tool. These phrases are from the messages of the official SDKs. */
export function isUnknownToolMessage(text: string): boolean {
  return /\b(?:unknown tool|no such tool|tool \S{1,200} (?:was )?not found)\b/i.test(text);
}

export function addImportHint(text: string, isGone: boolean): string {
  return isGone ? `${text} (Import the server again to update its tools.)` : text;
}

function createUnauthorizedFailure(
  { hasCredential }: McpErrorContext,
  status?: number,
): UnauthorizedFailure {
  const how = status === undefined ? "" : ` (HTTP ${status})`;
  const what = hasCredential ? "it rejected the credential" : "it requires a credential";
  return { kind: "unauthorized", reason: `${what}${how}.` };
}
