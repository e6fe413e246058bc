import type { Result } from "../../kernel/result.ts";

/** How a request to another system can fail before there is a whole answer. */
export type EgressFailure =
  /**
   * We do not go there; `reason` completes "The address …". For its `address`, which the guard forbids,
   * or for the `redirect` that leads there: endless, no URL, or with what may not be sent on.
   */
  | {
      readonly kind: "refused";
      readonly because: "address" | "redirect";
      readonly url: string;
      readonly reason: string;
    }
  | { readonly kind: "timeout"; readonly timeoutMs: number }
  /** No connection, a reset, an answer that breaks off, a name that does not resolve. */
  | {
      readonly kind: "unreachable";
      readonly reason: string;
      /** True if the DNS resolver failed, so that nothing is known about the address. */
      readonly isResolverOutage?: boolean;
      /** True where it is certain that no request has left. */
      readonly isUnsent?: boolean;
    }
  | { readonly kind: "too_large"; readonly bytesMax: number };

export interface EgressLimits {
  /** For everything: names, redirects, headers, the last byte of the body. */
  readonly timeoutMs: number;
  /** Of the body after it is unpacked. */
  readonly bytesMax: number;
  /** The request carries a credential or confidential data, so it is sent over https only. */
  readonly sendsSecret: boolean;
}

/** A whole answer of another system. */
export interface EgressResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** Where redirects have led. */
  readonly url: string;
}

/** The one way out of the service: every URL of tools, imports and credentials passes here. */
export interface Egress {
  /** Whether requests to this URL are allowed now. The failure is a rule ("must …"). Throws Outage if DNS fails. */
  checkUrl(url: string, sendsSecret: boolean): Promise<Result<URL, string>>;
  /** One request with its redirects, each judged again, and the whole answer within the bounds. */
  send(request: Request, bounds: EgressLimits): Promise<Result<EgressResponse, EgressFailure>>;
  /**
   * The same as a `fetch` for libraries that want one; `timeoutMs` counts from this call, so one
   * fetch can serve a conversation. Throws EgressError. The body stream errors when bounds are passed.
   */
  createFetch(bounds: EgressLimits): typeof fetch;
}

/** An EgressFailure on its way through a library. */
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
