import type { Failure } from "../domain/failure.ts";
import type { AppContext } from "./context.ts";
import { onTheWire } from "./failure.ts";

/** A successful answer: `data` goes into the envelope of the specification. */
export interface Reply {
  readonly data: object;
  readonly status?: 200 | 201;
  readonly headers?: Readonly<Record<string, string>>;
}

export function success(c: AppContext, { data, status, headers }: Reply): Response {
  return c.json({ success: true, data, metadata: metadata(c) }, status ?? 200, { ...headers });
}

export function failed(c: AppContext, failure: Failure): Response {
  const { status, headers, ...error } = onTheWire(failure);
  return c.json({ success: false, error, metadata: metadata(c) }, status, { ...headers });
}

function metadata(c: AppContext): { requestId: string; timestamp: string } {
  return { requestId: c.get("requestId"), timestamp: new Date().toISOString() };
}
