import type { Result } from "../../kernel/result.ts";

/** How a request to another system can fail before the response is complete. */
export type EgressFailure =
  /**
   * The request, or its redirect, was not sent; `reason` completes "The address …". Either the guard forbids the
   * `address`, or a `redirect` is one too many, has an invalid target, or is not safe to follow.
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
      /** True if the DNS resolver failed, so nothing is known about the address. */
      readonly isResolverOutage?: boolean;
      /** True if the request was definitely not sent. */
      readonly isUnsent?: boolean;
    }
  | { readonly kind: "too_large"; readonly bytesMax: number };

export interface EgressLimits {
  /** The time limit, which includes name resolution, redirects, headers and the body. */
  readonly timeoutMs: number;
  /** The size limit for the decoded body. */
  readonly bytesMax: number;
  /** Whether the request carries credentials or confidential data and must therefore be sent over https. */
  readonly sendsSecret: boolean;
}

/** A complete response from another system. */
export interface EgressResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The URL after redirects. */
  readonly url: string;
}

/** Sends all outbound requests except DNS queries. Every address is checked before it is used. */
export interface Egress {
  /**
   * Checks whether this URL is currently allowed. The failure completes "The address …". Throws UnavailableError if the
   * DNS resolver fails.
   */
  checkUrl(url: string, sendsSecret: boolean): Promise<Result<URL, string>>;
  /** Sends a request, checks and follows its redirects, and reads the complete response within the limits. */
  send(request: Request, bounds: EgressLimits): Promise<Result<EgressResponse, EgressFailure>>;
  /**
   * Like `send`, but as a `fetch` function for libraries. `timeoutMs` counts from this call and covers all requests
   * made with the function, which throws EgressError. The body stream fails if it exceeds the limits.
   */
  createFetch(bounds: EgressLimits): typeof fetch;
}

/** An error that carries an EgressFailure through a library. */
export class EgressError extends Error {
  readonly failure: EgressFailure;

  constructor(failure: EgressFailure) {
    super(`egress: ${failure.kind}`);
    this.failure = failure;
  }
}

const CAUSE_DEPTH_MAX = 8;

/** Finds the EgressFailure in an error's chain of causes, because a library may have wrapped it. */
export function findEgressFailure(error: unknown): EgressFailure | null {
  let cause = error;
  for (let depth = 0; depth < CAUSE_DEPTH_MAX && cause instanceof Error; depth += 1) {
    if (cause instanceof EgressError) return cause.failure;
    cause = cause.cause;
  }
  return null;
}
