import { withRequestId } from "../request-id.ts";
import type { IdempotencyStatus } from "./idempotency-record.ts";

/** The state of an idempotency key that a request tries to acquire. */
export type IdempotencyLockState =
  | { readonly kind: Exclude<IdempotencyStatus, "answered"> }
  /** The stored response. */
  | { readonly kind: "answered"; readonly answer: string };

/** One idempotency key, which belongs to one API key. */
export interface IdempotencyKeyRpc {
  /** Acquires the key if it is free. Only a request that receives `free` may run. */
  acquire(fingerprint: string, holderId: string): Promise<IdempotencyLockState>;
  /** Stores the response of the attempt that holds the key, so that it can be replayed. The response must be ASCII. */
  saveResponse(holderId: string, answer: string): Promise<void>;
  /** Releases the key after an attempt that is known to have changed nothing. */
  release(holderId: string): Promise<void>;
  /** Keeps the key without a response after an attempt that failed and may have changed something. */
  markLost(holderId: string): Promise<void>;
}

/** The stub for an idempotency key's object. An API key's id contains no colon, so names are unique. */
export function idempotencyKeyStub(
  namespace: Env["ONCE"],
  keyId: string,
  idempotencyKey: string,
): IdempotencyKeyRpc {
  return withRequestId(namespace.get(namespace.idFromName(`${keyId}:${idempotencyKey}`)));
}
