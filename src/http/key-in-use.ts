import { refusal, type WireFailure } from "./refusal.ts";

const CODE = "IDEMPOTENCY_KEY_IN_USE";

/** An Idempotency-Key whose first request has no answer: not yet, or never, when it `isLost`. */
export function keyInUse(isLost: boolean): WireFailure {
  return isLost ? answerLost() : stillAtWork();
}

function stillAtWork(): WireFailure {
  const message =
    "The first request with this Idempotency-Key is still being carried out; wait a second.";
  const headers = { "Retry-After": "1" };
  return { ...refusal(409, CODE, message), retryable: true, headers };
}

function answerLost(): WireFailure {
  const message =
    "The answer to the first request with this Idempotency-Key is lost, and it may have been carried out or not: look, and where it was not, repeat it with a new key.";
  return refusal(409, CODE, message);
}
