import type { EgressFault } from "../../egress/contract.ts";

/** Why there is no access token. */
export type TokenFault =
  /** The authorization server said no; `error` is its code where that is a known one. */
  | { readonly kind: "refused"; readonly error: string | null }
  /** It gave no answer that can be used; `reason` completes "Tool … failed: …". */
  | { readonly kind: "broken"; readonly reason: string; readonly isPassing: boolean }
  /** The DNS resolver failed, so the request was not sent. */
  | { readonly kind: "resolver_outage" };

/** RFC 6749 (4.1.2.1 and 5.2), RFC 8707 and OpenID Connect. Other words are not repeated. */
const KNOWN_ERRORS = new Set([
  "access_denied",
  "consent_required",
  "interaction_required",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "invalid_target",
  "login_required",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
]);
const PASSING_ERRORS = new Set(["server_error", "temporarily_unavailable", "slow_down"]);
const TOO_MANY_REQUESTS = 429;
/** What a token endpoint says no with when it says it in another language than JSON. */
const REFUSALS = new Set([400, 401, 403]);

/** An OAuth error code that may be shown, or null. */
export function knownError(error: string): string | null {
  return KNOWN_ERRORS.has(error) ? error : null;
}

/** The fault in an error that the authorization server put into words. */
export function faultOfError(error: string, status: number): TokenFault {
  if (PASSING_ERRORS.has(error) || status === TOO_MANY_REQUESTS || status >= 500) {
    const reason = `its token endpoint answered HTTP ${status} and gives no token for now`;
    return { kind: "broken", reason, isPassing: true };
  }
  return { kind: "refused", error: knownError(error) };
}

/** The fault in an answer that is none of OAuth's. */
export function faultOfStatus(status: number): TokenFault {
  if (REFUSALS.has(status)) return { kind: "refused", error: null };
  const reason = `its token endpoint answered HTTP ${status} and no access token of type bearer`;
  return { kind: "broken", reason, isPassing: status >= 500 || status === TOO_MANY_REQUESTS };
}

/** Contains no address, because callers of the tool see the reason. */
export function faultOfEgress(fault: EgressFault): TokenFault {
  switch (fault.kind) {
    // Not told as the tool's timeout: the call itself was never made.
    case "timeout": {
      const reason = `its token endpoint did not answer within ${fault.timeoutMs} ms`;
      return { kind: "broken", reason, isPassing: true };
    }
    case "refused":
      return {
        kind: "broken",
        reason: "requests to the address of its token endpoint are not allowed",
        isPassing: false,
      };
    case "unreachable":
      if (fault.isResolverOutage === true) return { kind: "resolver_outage" };
      return {
        kind: "broken",
        reason: "its token endpoint cannot be reached",
        isPassing: true,
      };
    case "too_large": {
      const reason = `its token endpoint answered more than ${fault.bytesMax} bytes`;
      return { kind: "broken", reason, isPassing: false };
    }
  }
}
