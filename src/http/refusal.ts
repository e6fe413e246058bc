import type { Problem } from "../domain/problem.ts";

type Status =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 409
  | 410
  | 412
  | 413
  | 414
  | 415
  | 422
  | 424
  | 429
  | 500
  | 502
  | 503
  | 504;

/** A failure as clients meet it: the status, the `error` object and headers of the answer. */
export interface WireFailure {
  readonly status: Status;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: readonly Problem[];
  readonly context?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure that the same request will meet again. */
export function refusal(status: Status, code: string, message: string): WireFailure {
  return { status, code, message, retryable: false };
}
