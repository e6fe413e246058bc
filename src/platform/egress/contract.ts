import type { Result } from "../../kernel/result.ts";

/** The ways in which a request to another system can fail before the response is complete. */
export type EgressFailure =
  /**
   * The request is not sent; `reason` completes "The address …". The guard forbids the `address`, or a
   * `redirect` is endless, is not a URL or would forward data that must not be forwarded.
   */
  | {
      readonly kind: "rejected";
      readonly because: "address" | "redirect";
      readonly url: string;
      readonly reason: string;
    }
  | { readonly kind: "timeout"; readonly timeoutMs: number }
  /** No connection, a reset, an interrupted response, or a name that does not resolve. */
  | {
      readonly kind: "unreachable";
      readonly reason: string;
      /** True if the DNS resolver failed, so that nothing is known about the address. */
      readonly isResolverOutage?: boolean;
      /** True if certainly no request was sent. */
      readonly isUnsent?: boolean;
    }
  | { readonly kind: "too_large"; readonly bytesMax: number };

export interface EgressLimits {
  /** Includes name resolution, redirects, headers and the body. */
  readonly timeoutMs: number;
  /** Of the decoded body. */
  readonly bytesMax: number;
  /** The request carries a credential or confidential data, so it is sent over https only. */
  readonly sendsSecret: boolean;
}

/** A complete response of another system. */
export interface EgressResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The URL after redirects. */
  readonly url: string;
}

/** The only way to send outbound requests: every URL of tools, imports and credentials is checked here. */
export interface Egress {
  /** Whether this URL is allowed now. The failure is a rule ("must …"). Throws UnavailableError if DNS fails. */
  checkUrl(url: string, sendsSecret: boolean): Promise<Result<URL, string>>;
  /** One request with its redirects, each of which is checked, and the complete response within the limits. */
  send(request: Request, bounds: EgressLimits): Promise<Result<EgressResponse, EgressFailure>>;
  /**
   * The same as a `fetch` for libraries. `timeoutMs` counts from this call, so one fetch can serve several
   * requests. Throws EgressError. The body stream errors if it exceeds the limits.
   */
  createFetch(bounds: EgressLimits): typeof fetch;
}

/** An EgressFailure that passes through a library. */
export class EgressError extends Error {
  readonly failure: EgressFailure;

  constructor(failure: EgressFailure) {
    super(`egress: ${failure.kind}`);
    this.failure = failure;
  }
}

const CAUSE_DEPTH_MAX = 8;

/** The EgressFailure in an error's chain of causes, which a library may have wrapped. */
export function findEgressFailure(error: unknown): EgressFailure | null {
  let cause = error;
  for (let depth = 0; depth < CAUSE_DEPTH_MAX && cause instanceof Error; depth += 1) {
    if (cause instanceof EgressError) return cause.failure;
    cause = cause.cause;
  }
  return null;
}
