import { invalid, type Failure } from "../domain/failure.ts";
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from "../domain/limits.ts";
import { shown } from "../domain/problem.ts";
import { fail, ok, type Result } from "../domain/result.ts";

const IDEMPOTENCY_KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_CHARACTERS_MAX}}$`);

/** The `Idempotency-Key` of a request, null where it has none. */
export function readIdempotencyKey(headers: Headers): Result<string | null, Failure> {
  const given = headers.get("Idempotency-Key");
  if (given === null || IDEMPOTENCY_KEY.test(given)) return ok(given);
  const rule = `must be 1 to ${IDEMPOTENCY_KEY_CHARACTERS_MAX} printable ASCII characters without spaces`;
  return fail(invalid("Idempotency-Key", `${rule}, got ${shown(given)}`));
}
