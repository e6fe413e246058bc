import type { JsonObject } from "../../kernel/json.ts";
import type { Problem, Result } from "../../kernel/result.ts";

/** Computes a result from validated parameters. The path of each problem begins with a parameter name. */
export type CapabilityHandler = (parameters: JsonObject) => Promise<Result<JsonObject, Problem[]>>;

/** The handlers of a built-in tool, by capability id. */
export type CapabilityHandlers = Readonly<Record<string, CapabilityHandler>>;

/**
 * How a call to an external system can fail. The breaker counts `timeout` and transient `upstream` failures, except DNS
 * resolver outages.
 */
export type ConnectorFailure =
  /** Invalid parameters, with paths that begin with a parameter name, or an invalid `only` in an import. */
  | { readonly kind: "parameters"; readonly problems: readonly Problem[] }
  /** The address, or one to which it redirects, is not allowed. */
  | { readonly kind: "rejected_address"; readonly url: string; readonly reason: string }
  /**
   * The system rejects the credential or requires one (HTTP 401, or 403 from an MCP server). `details` are `{status,
   * body}`.
   */
  | {
      readonly kind: "unauthorized";
      readonly reason: string;
      readonly details?: JsonObject;
      /** True if the call must not be repeated with a new token. */
      readonly isFinal?: boolean;
    }
  /** `details` are `{status, body}` from an HTTP API; `{content}`, `{code}` or `{}` from an MCP server. */
  | { readonly kind: "rejected"; readonly reason: string; readonly details: JsonObject }
  | UpstreamFailure
  | { readonly kind: "timeout"; readonly timeoutMs: number; readonly hadNoEffect: boolean };

/** The system is not working, or the tool is registered incorrectly. */
export interface UpstreamFailure {
  readonly kind: "upstream";
  readonly reason: string;
  /** `reason` without the system's address, for the tool's callers; absent if `reason` contains no address. */
  readonly publicReason?: string;
  /** True if the DNS resolver failed, which is an outage of this service, not of the system. */
  readonly isResolverOutage?: boolean;
  /** Whether the same call can succeed later. */
  readonly isTransient: boolean;
  /** Whether the call is known to have had no effect, because it was not sent or the system deferred it. */
  readonly hadNoEffect: boolean;
  /** The delay from the system's `Retry-After` header. */
  readonly retryAfterSeconds: number | null;
  /** `{status, body}` of an error response; null if there is none. */
  readonly details: JsonObject | null;
}

export type CallOutcome = Result<JsonObject, ConnectorFailure>;
