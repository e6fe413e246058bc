import { sha256Hex } from "../platform/crypto/sha256.ts";
import type { Failure } from "../kernel/failure.ts";
import type { Json } from "../kernel/json.ts";
import { isReplayable } from "../platform/idempotency/idempotency-record.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { IdempotencyLock } from "../platform/idempotency/idempotency-lock.ts";
import { unseal, seal, parseSealKeys, type SealKeys } from "../platform/crypto/seal.ts";
import type { AppContext } from "./context.ts";
import { toWireResult, type WireResult, type SuccessReply } from "./envelope.ts";
import { readIdempotencyKey } from "./request-headers.ts";

/**
 * What a route does. A Response is not kept: it gives the key back, so that it must come before every
 * effect. So must a failure that is retryable, unless it says `mayBeDone`.
 */
export type IdempotentWork = () => Promise<Result<SuccessReply, Failure> | Response>;

/** How a request is answered: by its work, or with the answer that the work was given before. */
export interface IdempotencyResolution {
  readonly isReplay: boolean;
  readonly run: (work: IdempotentWork) => Promise<WireResult | Response>;
}

/**
 * The course of a request: with an `Idempotency-Key` its work is done once in 24 hours, and repeats get
 * the answer again. `input` is what was judged; a request without the header costs nothing more.
 */
export async function resolveIdempotency(
  c: AppContext,
  input: object,
): Promise<Result<IdempotencyResolution, Failure>> {
  const given = readIdempotencyKey(c.req.raw.headers);
  if (!given.ok) return given;
  if (given.value === null) return ok(WITHOUT_IDEMPOTENCY);
  // Looked at before anything is done, as an answer that cannot be kept cannot be replayed.
  const keys = parseSealKeys(c.env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const { id } = c.get("key");
  const { pathname } = new URL(c.req.url);
  const idempotencyKey = given.value;
  // With the two keys in it, the body of a request cannot be guessed from what is stored.
  const asked = [id, idempotencyKey, c.req.method, pathname, input];
  const fingerprint = await sha256Hex(JSON.stringify(asked));
  const hold = new IdempotencyLock(c.env.ONCE, id, idempotencyKey);
  const verdict = await hold.acquire(fingerprint, (work) => c.executionCtx.waitUntil(work));
  const one: LockedRequest = { hold, fingerprint, keys: keys.value };
  switch (verdict.kind) {
    case "free":
      return ok({ isReplay: false, run: (work) => runToCompletion(c, runLocked(one, work)) });
    case "answered":
      return replayOutcome(one, verdict.answer);
    case "reused":
      return fail({ kind: "idempotency_key_reused" });
    case "at_work":
      return fail({ kind: "idempotency_key_in_use", isLost: false });
    case "lost":
      return fail({ kind: "idempotency_key_in_use", isLost: true });
  }
}

/** Of a request that brings no key: its work, each time. */
export const WITHOUT_IDEMPOTENCY: IdempotencyResolution = {
  isReplay: false,
  run: async (work) => {
    const result = await work();
    return result instanceof Response ? result : toWireResult(result);
  },
};

/** One try of a request, and how its answer is sealed. */
interface LockedRequest {
  readonly hold: IdempotencyLock;
  readonly fingerprint: string;
  readonly keys: SealKeys;
}

async function runLocked(one: LockedRequest, work: IdempotentWork): Promise<WireResult | Response> {
  // Nobody knows what was done before it broke off: a write may have been made whose answer was lost.
  const result = await work().catch(async (error: unknown) => {
    await one.hold.markLost();
    throw error;
  });
  if (result instanceof Response) {
    await one.hold.release();
    return result;
  }
  const outcome = toWireResult(result);
  await (isReplayable(toReplayableOutcome(result, outcome))
    ? saveOutcome(one, outcome)
    : one.hold.release());
  return outcome;
}

function toReplayableOutcome(
  result: Result<SuccessReply, Failure>,
  outcome: WireResult,
): Parameters<typeof isReplayable>[0] {
  if (result.ok || outcome.ok) return ok(null);
  const { failure } = result;
  const mayBeDone = "mayBeDone" in failure && failure.mayBeDone;
  return fail({ retryable: outcome.failure.retryable, mayBeDone });
}

/** A client that hangs up must not take along the answer that it will ask for again. */
async function runToCompletion<Value>(c: AppContext, work: Promise<Value>): Promise<Value> {
  c.executionCtx.waitUntil(work.catch(() => null));
  return work;
}

/** The work is done, and its own client gets the answer even where no other can: then the key is lost. */
function saveOutcome(
  { hold, fingerprint, keys }: LockedRequest,
  outcome: WireResult,
): Promise<void> {
  return hold.saveResponse(() =>
    seal(keys, sealPurposeOf(fingerprint), removeTransientHeaders(outcome)),
  );
}

async function replayOutcome(
  { keys, fingerprint }: LockedRequest,
  sealed: string,
): Promise<Result<IdempotencyResolution, Failure>> {
  const opened = await unseal(keys, sealPurposeOf(fingerprint), sealed);
  // Sealed under a key that CREDENTIALS_KEY has dropped since.
  if (opened === null) return fail({ kind: "idempotency_key_in_use", isLost: true });
  const outcome = toOutcome(opened.value);
  return ok({ isReplay: true, run: async () => outcome });
}

/** Names both keys and the path, by what they were made into: the seal's use can be read by anybody. */
function sealPurposeOf(fingerprint: string): string {
  return `idempotency:${fingerprint}`;
}

/** An outcome without the headers that tell of the moment of the first answer. */
function removeTransientHeaders(outcome: WireResult): WireResult {
  if (outcome.ok)
    return ok({ ...outcome.value, headers: filterTransientHeaders(outcome.value.headers) });
  return fail({ ...outcome.failure, headers: filterTransientHeaders(outcome.failure.headers) });
}

function filterTransientHeaders(
  headers: SuccessReply["headers"],
): NonNullable<SuccessReply["headers"]> {
  const kept = Object.entries(headers ?? {}).filter(([name]) => !TRANSIENT_HEADERS.has(name));
  return Object.fromEntries(kept);
}

const TRANSIENT_HEADERS = new Set(["RateLimit", "RateLimit-Policy", "Retry-After"]);

/** Only `keep` seals for this use. */
function toOutcome(kept: Json): WireResult {
  return kept as unknown as WireResult;
}
