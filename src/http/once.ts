import { sha256 } from "../bytes/sha256.ts";
import type { Failure } from "../domain/failure.ts";
import type { Json } from "../domain/json.ts";
import { isFinal } from "../domain/once.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { Hold } from "../once/hold.ts";
import { open, seal, sealKeys, type SealKeys } from "../secrets/seal.ts";
import type { AppContext } from "./context.ts";
import { told, type Outcome, type Reply } from "./envelope.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";

/**
 * What a route does. A Response is not kept: it gives the key back, so that it must come before every
 * effect. So must a failure that is retryable, unless it says `mayBeDone`.
 */
export type Work = () => Promise<Result<Reply, Failure> | Response>;

/** How a request is answered: by its work, or with the answer that the work was given before. */
export interface Course {
  readonly isReplay: boolean;
  readonly run: (work: Work) => Promise<Outcome | Response>;
}

/**
 * The course of a request: with an `Idempotency-Key` its work is done once in 24 hours, and repeats get
 * the answer again. `input` is what was judged; a request without the header costs nothing more.
 */
export async function courseOf(c: AppContext, input: object): Promise<Result<Course, Failure>> {
  const given = readIdempotencyKey(c.req.raw.headers);
  if (!given.ok) return given;
  if (given.value === null) return ok(ONLY_COURSE);
  // Looked at before anything is done, as an answer that cannot be kept cannot be replayed.
  const keys = sealKeys(c.env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const { id } = c.get("key");
  const { pathname } = new URL(c.req.url);
  const idempotencyKey = given.value;
  // With the two keys in it, the body of a request cannot be guessed from what is stored.
  const asked = [id, idempotencyKey, c.req.method, pathname, input];
  const fingerprint = await sha256(JSON.stringify(asked));
  const hold = new Hold(c.env.ONCE, id, idempotencyKey);
  const verdict = await hold.begin(fingerprint, (work) => c.executionCtx.waitUntil(work));
  const one: Try = { hold, fingerprint, keys: keys.value };
  switch (verdict.kind) {
    case "free":
      return ok({ isReplay: false, run: (work) => finished(c, once(one, work)) });
    case "answered":
      return replaying(one, verdict.answer);
    case "reused":
      return fail({ kind: "idempotency_key_reused" });
    case "at_work":
      return fail({ kind: "idempotency_key_in_use", isLost: false });
    case "lost":
      return fail({ kind: "idempotency_key_in_use", isLost: true });
  }
}

/** Of a request that brings no key: its work, each time. */
export const ONLY_COURSE: Course = {
  isReplay: false,
  run: async (work) => {
    const result = await work();
    return result instanceof Response ? result : told(result);
  },
};

/** One try of a request, and how its answer is sealed. */
interface Try {
  readonly hold: Hold;
  readonly fingerprint: string;
  readonly keys: SealKeys;
}

async function once(one: Try, work: Work): Promise<Outcome | Response> {
  // Nobody knows what was done before it broke off: a write may have been made whose answer was lost.
  const result = await work().catch(async (error: unknown) => {
    await one.hold.lose();
    throw error;
  });
  if (result instanceof Response) {
    await one.hold.release();
    return result;
  }
  const outcome = told(result);
  await (isFinal(judged(result, outcome)) ? keep(one, outcome) : one.hold.release());
  return outcome;
}

function judged(result: Result<Reply, Failure>, outcome: Outcome): Parameters<typeof isFinal>[0] {
  if (result.ok || outcome.ok) return ok(null);
  const { failure } = result;
  const mayBeDone = "mayBeDone" in failure && failure.mayBeDone;
  return fail({ retryable: outcome.failure.retryable, mayBeDone });
}

/** A client that hangs up must not take along the answer that it will ask for again. */
async function finished<Value>(c: AppContext, work: Promise<Value>): Promise<Value> {
  c.executionCtx.waitUntil(work.catch(() => null));
  return work;
}

/** The work is done, and its own client gets the answer even where no other can: then the key is lost. */
function keep({ hold, fingerprint, keys }: Try, outcome: Outcome): Promise<void> {
  return hold.keep(() => seal(keys, useOf(fingerprint), lasting(outcome)));
}

async function replaying(
  { keys, fingerprint }: Try,
  sealed: string,
): Promise<Result<Course, Failure>> {
  const opened = await open(keys, useOf(fingerprint), sealed);
  // Sealed under a key that CREDENTIALS_KEY has dropped since.
  if (opened === null) return fail({ kind: "idempotency_key_in_use", isLost: true });
  const outcome = outcomeIn(opened.value);
  return ok({ isReplay: true, run: async () => outcome });
}

/** Names both keys and the path, by what they were made into: the seal's use can be read by anybody. */
function useOf(fingerprint: string): string {
  return `idempotency:${fingerprint}`;
}

/** An outcome without the headers that tell of the moment of the first answer. */
function lasting(outcome: Outcome): Outcome {
  if (outcome.ok) return ok({ ...outcome.value, headers: lastingHeaders(outcome.value.headers) });
  return fail({ ...outcome.failure, headers: lastingHeaders(outcome.failure.headers) });
}

function lastingHeaders(headers: Reply["headers"]): NonNullable<Reply["headers"]> {
  const kept = Object.entries(headers ?? {}).filter(([name]) => !MOMENTARY.has(name));
  return Object.fromEntries(kept);
}

const MOMENTARY = new Set(["RateLimit", "RateLimit-Policy", "Retry-After"]);

/** Only `keep` seals for this use. */
function outcomeIn(kept: Json): Outcome {
  return kept as unknown as Outcome;
}
