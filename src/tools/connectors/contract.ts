import type { JsonObject } from "../../kernel/json.ts";
import type { Problem, Result } from "../../kernel/result.ts";

/** Computes a result from validated parameters. The path of a Problem begins with the name of the parameter. */
export type CapabilityHandler = (parameters: JsonObject) => Promise<Result<JsonObject, Problem[]>>;

/** The capabilities of one built-in tool by id. */
export type CapabilityHandlers = Readonly<Record<string, CapabilityHandler>>;

/** How a call of another system fails. For the breaker, `timeout` and a transient `upstream` count as failures. */
export type ConnectorFailure =
  /** Invalid parameters; paths begin with the name of the parameter. */
  | { readonly kind: "parameters"; readonly problems: readonly Problem[] }
  /** The address, or one that it redirects to, is not allowed. */
  | { readonly kind: "rejected_address"; readonly url: string; readonly reason: string }
  /** The system rejects or requires a credential (HTTP 401); `details` as in `rejected`. */
  | {
      readonly kind: "unauthorized";
      readonly reason: string;
      readonly details?: JsonObject;
      /** Whether a new token would not help. */
      readonly isFinal?: boolean;
    }
  /** `details`: `{status, body}`, or `{content}` of an MCP tool. */
  | { readonly kind: "rejected"; readonly reason: string; readonly details: JsonObject }
  | UpstreamFailure
  | { readonly kind: "timeout"; readonly timeoutMs: number; readonly hadNoEffect: boolean };

/** The system does not work, or the tool is registered incorrectly. */
export interface UpstreamFailure {
  readonly kind: "upstream";
  readonly reason: string;
  /** `reason` without the system's address, for callers of the tool; absent if `reason` contains no address. */
  readonly publicReason?: string;
  /** True if the DNS resolver failed, which is an outage of the service and not of the system. */
  readonly isResolverOutage?: boolean;
  /** Whether the same call can succeed later. */
  readonly isTransient: boolean;
  /** Whether the call certainly had no effect: it was not sent, or the system deferred it. */
  readonly hadNoEffect: boolean;
  /** The `Retry-After` of the system. */
  readonly retryAfterSeconds: number | null;
  /** `{status, body}` if the system responded. */
  readonly details: JsonObject | null;
}

export type CallOutcome = Result<JsonObject, ConnectorFailure>;
