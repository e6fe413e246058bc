import type { JsonObject } from "../../kernel/json.ts";
import type { Problem } from "../../kernel/problem.ts";
import type { Result } from "../../kernel/result.ts";

/**
 * The work behind one capability of a built-in tool: computes its result from checked parameters.
 * A parameter whose content cannot be worked with is a Problem whose path starts with its name.
 */
type CapabilityHandler = (parameters: JsonObject) => Promise<Result<JsonObject, Problem[]>>;

/** The capabilities of one built-in tool by id. */
export type CapabilityHandlers = Readonly<Record<string, CapabilityHandler>>;

/**
 * How a call of another system can fail. `rejected` is the tool's own "no" from a system in good
 * health; `timeout` and a passing `broken` are signs of illness and count for the breaker.
 */
export type ConnectorFailure =
  /** Parameters that cannot be worked with; paths start with the parameter's name. */
  | { readonly kind: "parameters"; readonly problems: readonly Problem[] }
  /** The guard refuses the address, or one that it redirects to. */
  | { readonly kind: "refused_address"; readonly url: string; readonly reason: string }
  /** The system does not take the credential, or wants one (HTTP 401); `details` as of `rejected`. */
  | {
      readonly kind: "unauthorised";
      readonly reason: string;
      readonly details?: JsonObject;
      /** Whether a renewed token would not help. */
      readonly isFinal?: boolean;
    }
  /** `details` is what the system said: `{status, body}`, or an MCP tool's `{content}`. */
  | { readonly kind: "rejected"; readonly reason: string; readonly details: JsonObject }
  | UpstreamFailure
  | { readonly kind: "timeout"; readonly timeoutMs: number; readonly isUndone: boolean };

/** The system, or what is registered of it, does not work. */
export interface UpstreamFailure {
  readonly kind: "broken";
  readonly reason: string;
  /** `reason` without the system's address, for callers of the tool; absent if `reason` contains no address. */
  readonly publicReason?: string;
  /** True if the DNS resolver failed, which is an outage of the service and not of the system. */
  readonly isResolverOutage?: boolean;
  /** Whether the same call may go well later; a fault that lasts is of the answer's form. */
  readonly isPassing: boolean;
  /** Whether it is certain that nothing was carried out: nothing was sent, or "not now" came back. */
  readonly isUndone: boolean;
  /** What the system's own `Retry-After` asked for. */
  readonly retryAfterSeconds: number | null;
  /** `{status, body}` where the system said something. */
  readonly details: JsonObject | null;
}

/** What a call of another system brought. */
export type CallOutcome = Result<JsonObject, ConnectorFailure>;
