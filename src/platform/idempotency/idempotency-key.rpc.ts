import { withRequestId } from "../request-id.ts";
import type { IdempotencyStatus } from "./idempotency-record.ts";

/** The state that a request with an idempotency key finds. */
export type IdempotencyLockState =
  | { readonly kind: Exclude<IdempotencyStatus, "answered"> }
  /** The stored response. */
  | { readonly kind: "answered"; readonly answer: string };

/** One idempotency key of one API key, as requests see it. */
export interface IdempotencyKeyRpc {
  /** Acquires the key if it is free. Only the request that gets `free` may run. */
  acquire(fingerprint: string, holderId: string): Promise<IdempotencyLockState>;
  /** Stores the response of the attempt that holds the key, for every repeat. It must be ASCII. */
  saveResponse(holderId: string, answer: string): Promise<void>;
  /** Releases the key: the attempt has certainly changed nothing. */
  release(holderId: string): Promise<void>;
  /** Keeps the key without a response: the attempt failed and may have changed something. */
  markLost(holderId: string): Promise<void>;
}

/** The object of an idempotency key. An API key's id contains no colon, so names are unique. */
export function idempotencyKeyStub(
  namespace: Env["ONCE"],
  keyId: string,
  idempotencyKey: string,
): IdempotencyKeyRpc {
  return withRequestId(namespace.get(namespace.idFromName(`${keyId}:${idempotencyKey}`)));
}
