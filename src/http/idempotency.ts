import type { Failure } from "../kernel/failure.ts";
import type { Json } from "../kernel/json.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import {
  type AppContext,
  readIdempotencyKey,
  type SuccessReply,
  toWireResult,
  type WireResult,
} from "./envelope.ts";
import { sha256Hex } from "../platform/crypto/hash.ts";
import { IdempotencyLock } from "../platform/idempotency/idempotency-lock.ts";
import { unseal, seal, parseSealKeys } from "../platform/crypto/seal.ts";

/**
 * Handles a request. A Response, or a retryable failure without `mayHaveExecuted`, is not stored and releases the key,
 * so it must be returned before any side effect.
 */
type IdempotentWork = () => Promise<Result<SuccessReply, Failure> | Response>;

/** Runs the work, or replays the stored response. */
type IdempotentRunner = (work: IdempotentWork) => Promise<WireResult | Response>;

/**
 * With an `Idempotency-Key`, a request is handled only once in 24 hours, and repeats get the stored response with
 * `Idempotency-Replayed`. `input` is the validated input. Requests without the header incur no extra cost.
 */
export async function resolveIdempotency(
  c: AppContext,
  input: object,
): Promise<Result<IdempotentRunner, Failure>> {
  const given = readIdempotencyKey(c.req.raw.headers);
  if (!given.ok) return given;
  if (given.value === null) return ok(runEachTime);
  // Check the seal keys before any work, because a response that cannot be sealed cannot be replayed.
  const keys = parseSealKeys(c.env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const { id } = c.get("key");
  const { pathname } = new URL(c.req.url);
  const idempotencyKey = given.value;
  // Include the API key's id and the Idempotency-Key, so the body cannot be guessed from the stored hash.
  const identity = [id, idempotencyKey, c.req.method, pathname, input];
  const fingerprint = await sha256Hex(JSON.stringify(identity));
  const waitUntil = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
  const lock = new IdempotencyLock(c.env.ONCE, id, idempotencyKey, waitUntil);
  const state = await lock.acquire(fingerprint);
  // Use the fingerprint instead of the ids and the path that it covers, because the purpose of a sealed value is not
  // encrypted.
  const purpose = `idempotency:${fingerprint}`;
  switch (state.kind) {
    case "free":
      return ok((work) => runLocked(lock, (response) => seal(keys.value, purpose, response), work));
    case "answered": {
      const opened = await unseal(keys.value, purpose, state.answer);
      // The response was sealed with a key that CREDENTIALS_KEY no longer contains.
      if (opened === null) return fail({ kind: "idempotency_key_in_use", isLost: true });
      c.header("Idempotency-Replayed", "true");
      return ok(async () => toOutcome(opened.value));
    }
    case "reused":
      return fail({ kind: "idempotency_key_reused" });
    case "in_progress":
      return fail({ kind: "idempotency_key_in_use", isLost: false });
    case "lost":
      return fail({ kind: "idempotency_key_in_use", isLost: true });
  }
}

/** Runs the work of a request without an Idempotency-Key. */
export async function runEachTime(work: IdempotentWork): Promise<WireResult | Response> {
  const result = await work();
  return result instanceof Response ? result : toWireResult(result);
}

async function runLocked(
  lock: IdempotencyLock,
  sealResponse: (response: WireResult) => Promise<string>,
  work: IdempotentWork,
): Promise<WireResult | Response> {
  const { outcome } = await lock.run({
    prepare: async () => work,
    execute: async () => {
      const result = await work();
      if (result instanceof Response) return { outcome: result, replayable: null };
      const wireResult = toWireResult(result);
      const replayable = isReplayable(result, wireResult) ? wireResult : null;
      return { outcome: wireResult, replayable };
    },
    serialize: ({ replayable }) =>
      replayable === null ? null : () => sealResponse(removeTransientHeaders(replayable)),
  });
  return outcome;
}

/**
 * Whether repeats get this outcome. A retryable failure releases the key instead, unless the request may have taken
 * effect.
 */
export function isReplayable(
  result: Result<SuccessReply, Failure>,
  wireResult: WireResult,
): boolean {
  if (result.ok || wireResult.ok || !wireResult.failure.retryable) return true;
  return "mayHaveExecuted" in result.failure && result.failure.mayHaveExecuted;
}

/** An outcome without the headers that were valid only at the time of the first response. */
function removeTransientHeaders(outcome: WireResult): WireResult {
  const { headers: all = {} } = outcome.ok ? outcome.value : outcome.failure;
  const kept = Object.entries(all).filter(([name]) => !TRANSIENT_HEADERS.has(name));
  const headers = Object.fromEntries(kept);
  return outcome.ok ? ok({ ...outcome.value, headers }) : fail({ ...outcome.failure, headers });
}

const TRANSIENT_HEADERS = new Set(["RateLimit", "RateLimit-Policy", "Retry-After"]);

/** The cast is safe, because only `resolveIdempotency` seals values for this purpose. */
function toOutcome(stored: Json): WireResult {
  return stored as unknown as WireResult;
}
