import type { Failure } from "../domain/failure.ts";
import { fail, type Result } from "../domain/result.ts";
import type { AppContext } from "./context.ts";
import { onTheWire } from "./failure.ts";
import type { WireFailure } from "./refusal.ts";

/** A successful answer: `data` goes into the envelope of the specification. */
export interface Reply {
  readonly data: object;
  readonly status?: 200 | 201;
  readonly headers?: Readonly<Record<string, string>>;
  /** Warnings about a request that succeeded, in `metadata.warnings`. */
  readonly warnings?: readonly string[];
}

/** How a request has ended, in the words of the wire: an answer but for its own metadata. */
export type Outcome = Result<Reply, WireFailure>;

export function told(result: Result<Reply, Failure>): Outcome {
  return result.ok ? result : fail(onTheWire(result.failure));
}

export function answer(c: AppContext, outcome: Outcome): Response {
  if (outcome.ok) {
    const { data, status = 200, headers, warnings = [] } = outcome.value;
    const warned = warnings.length === 0 ? {} : { warnings };
    const body = { success: true, data, metadata: { ...metadata(c), ...warned } };
    return c.json(body, status, { ...headers });
  }
  const { status, headers, ...error } = outcome.failure;
  return c.json({ success: false, error, metadata: metadata(c) }, status, { ...headers });
}

export function failed(c: AppContext, failure: Failure): Response {
  return answer(c, fail(onTheWire(failure)));
}

function metadata(c: AppContext): { requestId: string; timestamp: string } {
  return { requestId: c.get("requestId"), timestamp: new Date().toISOString() };
}
