import { toRpc } from "../request-id.ts";

/** What a request meets that comes with an idempotency key. Named as in domain/once.ts. */
export type IdempotencyLockState =
  | { readonly kind: "free" | "reused" | "at_work" | "lost" }
  /** The answer as it was kept. */
  | { readonly kind: "answered"; readonly answer: string };

/** One idempotency key of one API key, as requests that come with it see it. */
export interface IdempotencyKeyRpc {
  /** Takes the key for a request when it is free: only who meets `free` may carry the request out. */
  acquire(fingerprint: string, ticket: string): Promise<IdempotencyLockState>;
  /** Keeps the answer of the try that took the key, for every repeat. It must be ASCII. */
  saveResponse(ticket: string, answer: string): Promise<void>;
  /** Gives the key back: the try has surely changed nothing. */
  release(ticket: string): Promise<void>;
  /** Leaves the key taken, without an answer: the try broke off, and may have changed something. */
  markLost(ticket: string): Promise<void>;
}

/** What remembers an idempotency key. An API key's id holds no colon, so that no two meet. */
export function idempotencyKeyStub(
  onces: Env["ONCE"],
  keyId: string,
  idempotencyKey: string,
): IdempotencyKeyRpc {
  return toRpc(onces.get(onces.idFromName(`${keyId}:${idempotencyKey}`)));
}
