import { type Egress, EgressError, type EgressFault } from "../../../egress/contract.ts";
import { MODEL_TIMEOUT_MS, STREAM_BYTES_MAX } from "./limits.ts";

/** What the wire has shown of an answer, which the SDK may wrap, swallow or leave out. */
export interface Wire {
  readonly fetch: typeof fetch;
  fault: EgressFault | null;
  contentType: string | null;
}

const CAUSES_MAX = 8;

/** The only `fetch` that the SDK gets: within the bounds of one answer, through the guard. */
export function wireOf(egress: Egress, sendsSecret: boolean): Wire {
  const bounds = { timeoutMs: MODEL_TIMEOUT_MS, bytesMax: STREAM_BYTES_MAX, sendsSecret };
  const send = egress.fetchWithin(bounds);
  const wire: Wire = {
    fault: null,
    contentType: null,
    fetch: async (input, init) => {
      try {
        const response = await send(input, init);
        wire.contentType = response.headers.get("content-type");
        return response;
      } catch (error) {
        wire.fault = egressFault(error);
        throw error;
      }
    },
  };
  return wire;
}

/** The fault of the way out that an error tells of, however deep it lies; null when it tells of none. */
export function egressFault(error: unknown): EgressFault | null {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    if (cause instanceof EgressError) return cause.fault;
    cause = cause.cause;
  }
  return null;
}
