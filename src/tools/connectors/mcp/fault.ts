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
import { UPSTREAM_REASON_CHARACTERS_MAX } from "../../../domain/limits.ts";
import type { CallFault } from "../contract.ts";
import { faultOfStatus, ill, lasting } from "../http/fault.ts";
import type { Redaction } from "../../../secrets/redact.ts";
import { saidIn } from "../http/said.ts";
import { cut } from "../../../domain/text.ts";

/** What is known beside the error itself. */
export interface FaultContext {
  readonly hasCredential: boolean;
  readonly redaction: Redaction;
  readonly timeoutMs: number;
  readonly retryAfterSeconds: number | null;
}

type Unauthorised = Extract<CallFault, { kind: "unauthorised" }>;

const RPC_ERROR = z.object({ error: z.object({ code: z.number(), message: z.string() }) });

/** What an error of the SDK says about the other side. */
export function faultOf(error: unknown, context: FaultContext): CallFault {
  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError) {
    return unauthorised(context);
  }
  if (error instanceof ProtocolError) return faultOfRpc(error.code, error.message, context);
  if (error instanceof SdkHttpError) return faultOfHttp(error, context);
  if (error instanceof SdkError) return faultOfSdk(error, context);
  if (error instanceof SyntaxError) return lasting("its answer is not JSON.");
  // The SDK has no class of its own for this, which is the one that somebody can do something about.
  if (error instanceof Error && error.message.startsWith("Server's protocol version")) {
    return lasting("it speaks a revision of MCP that is not spoken here.");
  }
  return lasting("its answers are not those of an MCP server.");
}

/**
 * The same before the tool was called, so that nothing was done. There is no "no" of the tool's own
 * then: the server does not work with us.
 */
export function atConnecting(fault: CallFault): CallFault {
  switch (fault.kind) {
    case "rejected":
      return { ...lasting(`it did not open a session: ${fault.reason}`), isUndone: true };
    case "broken":
    case "timeout":
      return { ...fault, isUndone: true };
    case "parameters":
    case "refused_address":
    case "unauthorised":
      return fault;
  }
}

function faultOfHttp(error: SdkHttpError, context: FaultContext): CallFault {
  const { status } = error;
  const said = typeof error.data.text === "string" ? error.data.text : "";
  // Read as JSON where it is JSON: the SDK does not say what the server called it.
  const bytes = new TextEncoder().encode(said);
  const details = saidIn(status, bytes, "application/json", context.redaction);
  if (status === 401) return { ...unauthorised(context, status), details };
  // A new token would be forbidden the same.
  if (status === 403) return { ...unauthorised(context, status), details, isFinal: true };
  const rpc = RPC_ERROR.safeParse(parsed(said));
  if (status < 500 && status !== 429 && rpc.success) {
    return faultOfRpc(rpc.data.error.code, rpc.data.error.message, context);
  }
  const { retryAfterSeconds } = context;
  if (status >= 300 && status < 400) {
    // The SDK follows redirects within one origin; of others it names the target.
    const target = /^.{0,50}Redirect to (\S+)/.exec(error.message)?.[1];
    const publicReason = "it redirects to another server, which is not followed.";
    if (target === undefined) return lasting(publicReason);
    const reason = `it redirects to ${target}, which is not followed; use that address if it is the right server.`;
    return { ...lasting(reason), publicReason };
  }
  if (status === 404 || status === 405) {
    const reason = `it answered HTTP ${status}: no MCP server over streamable HTTP at its address.`;
    return { ...lasting(reason), details };
  }
  return faultOfStatus(status, retryAfterSeconds, details);
}

function faultOfSdk(error: SdkError, context: FaultContext): CallFault {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return { kind: "timeout", timeoutMs: context.timeoutMs, isUndone: false };
    case SdkErrorCode.UnsupportedResultType:
      return rejected("the tool asks its caller for more input, which cannot be given here.", {});
    case SdkErrorCode.ClientHttpUnexpectedContent:
      return lasting("its answer is neither JSON nor an event stream.");
    case SdkErrorCode.InvalidResult:
      return lasting("its result has not the structure that MCP prescribes.");
    default:
      if (error.cause instanceof Error) return faultOf(error.cause, context);
      return lasting("it does not keep to the protocol.");
  }
}

/** Client and server do not fit; every other code but an internal error is the tool's own "no". */
const MISFITS: ReadonlySet<number> = new Set([
  ProtocolErrorCode.ParseError,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.UnsupportedProtocolVersion,
]);
const INTERNAL_ERROR: number = ProtocolErrorCode.InternalError;
const METHOD_NOT_FOUND: number = ProtocolErrorCode.MethodNotFound;

function faultOfRpc(code: number, message: string, { redaction }: FaultContext): CallFault {
  const said = cut(redaction.text(message), UPSTREAM_REASON_CHARACTERS_MAX);
  const reason = `it answered with the error ${code}: ${said.replace(/(?<![.!?…])$/, ".")}`;
  if (code === INTERNAL_ERROR) return ill(reason);
  if (MISFITS.has(code)) return lasting(reason);
  const isGone = code === METHOD_NOT_FOUND || isUnknownTool(message);
  return rejected(withImportHint(said, isGone), { code });
}

/** Servers have no code of their own for a tool that is gone; the official SDKs word it in these ways. */
export function isUnknownTool(text: string): boolean {
  return /\b(?:unknown tool|no such tool|tool \S{1,200} (?:was )?not found)\b/i.test(text);
}

export function withImportHint(text: string, isGone: boolean): string {
  return isGone ? `${text} (Import the server again to bring its tools up to date.)` : text;
}

function unauthorised({ hasCredential }: FaultContext, status?: number): Unauthorised {
  const how = status === undefined ? "" : ` (HTTP ${status})`;
  const what = hasCredential ? "it does not take the credential" : "it wants a credential";
  return { kind: "unauthorised", reason: `${what}${how}.` };
}

function rejected(reason: string, details: { code?: number }): CallFault {
  return { kind: "rejected", reason, details };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
