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
import type { EgressFault } from "../../../egress/contract.ts";
import type { CallFault } from "../contract.ts";
import { broken } from "../http/fault.ts";
import type { Redaction } from "../http/redact.ts";
import { cut } from "./wording.ts";

/** What is known beside the error itself. */
export interface FaultContext {
  readonly hasCredential: boolean;
  readonly redaction: Redaction;
  readonly timeoutMs: number;
  readonly retryAfterSeconds: number | null;
}

const RPC_ERROR = z.object({ error: z.object({ code: z.number(), message: z.string() }) });

export function faultOfEgress(fault: EgressFault): CallFault {
  switch (fault.kind) {
    case "refused":
      return { kind: "refused_address", url: fault.url, reason: fault.reason };
    case "timeout":
      return { kind: "timeout", timeoutMs: fault.timeoutMs };
    case "unreachable":
      return broken(`it cannot be reached: ${fault.reason}.`);
    case "too_large":
      return broken(`its answer is larger than ${fault.bytesMax} bytes.`);
  }
}

/** What an error of the SDK says about the other side. */
export function faultOf(error: unknown, context: FaultContext): CallFault {
  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError) {
    return unauthorised(context);
  }
  if (error instanceof ProtocolError) return faultOfRpc(error.code, error.message, context);
  if (error instanceof SdkHttpError) return faultOfHttp(error, context);
  if (error instanceof SdkError) return faultOfSdk(error, context);
  if (error instanceof SyntaxError) return broken("its answer is not JSON.");
  // The SDK has no class of its own for this, which is the one that somebody can do something about.
  if (error instanceof Error && error.message.startsWith("Server's protocol version")) {
    return broken("it speaks a revision of MCP that is not spoken here.");
  }
  return broken("its answers are not those of an MCP server.");
}

/** Before the tool was called there is no "no" of the tool's own: the server does not work with us. */
export function atConnecting(fault: CallFault): CallFault {
  if (fault.kind !== "rejected") return fault;
  return broken(`it did not open a session: ${fault.reason}`);
}

/** A fault without the credential in any text that came from outside. */
export function redactedFault(fault: CallFault, redaction: Redaction): CallFault {
  switch (fault.kind) {
    case "refused_address":
      return { ...fault, url: redaction.text(fault.url), reason: redaction.text(fault.reason) };
    case "broken":
    case "unauthorised":
    case "rejected":
      return { ...fault, reason: redaction.text(fault.reason) };
    case "parameters":
    case "timeout":
      return fault;
  }
}

function faultOfHttp(error: SdkHttpError, context: FaultContext): CallFault {
  const { status } = error;
  if (status === 401 || status === 403) return unauthorised(context, status);
  const said = typeof error.data.text === "string" ? error.data.text : "";
  const rpc = RPC_ERROR.safeParse(parsed(said));
  if (status < 500 && status !== 429 && rpc.success) {
    return faultOfRpc(rpc.data.error.code, rpc.data.error.message, context);
  }
  const { retryAfterSeconds } = context;
  if (status >= 300 && status < 400) {
    // The SDK follows redirects within one origin; of others it names the target.
    const target = /^.{0,50}Redirect to (\S+)/.exec(error.message)?.[1];
    const use = target === undefined ? "" : `; use ${target} itself if that is the right server`;
    return broken(`it redirects to another server, which is not followed${use}.`);
  }
  if (status === 404 || status === 405) {
    return broken(`it answered HTTP ${status}: no MCP server over streamable HTTP at its address.`);
  }
  return broken(`it answered HTTP ${status}.`, retryAfterSeconds);
}

function faultOfSdk(error: SdkError, context: FaultContext): CallFault {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return { kind: "timeout", timeoutMs: context.timeoutMs };
    case SdkErrorCode.UnsupportedResultType:
      return rejected("the tool asks its caller for more input, which cannot be given here.", {});
    case SdkErrorCode.ClientHttpUnexpectedContent:
      return broken("its answer is neither JSON nor an event stream.");
    case SdkErrorCode.InvalidResult:
      return broken("its result has not the structure that MCP prescribes.");
    default:
      if (error.cause instanceof Error) return faultOf(error.cause, context);
      return broken("it does not keep to the protocol.");
  }
}

/** Client and server do not fit, or the server has a fault; every other code is the tool's own "no". */
const ILLNESSES: ReadonlySet<number> = new Set([
  ProtocolErrorCode.ParseError,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.InternalError,
  ProtocolErrorCode.UnsupportedProtocolVersion,
]);
const METHOD_NOT_FOUND: number = ProtocolErrorCode.MethodNotFound;

function faultOfRpc(code: number, message: string, { redaction }: FaultContext): CallFault {
  const said = cut(redaction.text(message), UPSTREAM_REASON_CHARACTERS_MAX);
  if (ILLNESSES.has(code)) return broken(`it answered with the error ${code}: ${said}`);
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

function unauthorised({ hasCredential }: FaultContext, status?: number): CallFault {
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
