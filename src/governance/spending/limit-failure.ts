import type { Failure } from "../../kernel/failure.ts";
import { toIsoTime } from "../../kernel/text.ts";
import { SECOND_MS } from "../../kernel/units.ts";
import type { ExceededLimit } from "../model/spending/limit.ts";

/** The failure of a call that a limit does not allow. */
export function toLimitFailure(exceeded: ExceededLimit, now: number): Failure<"limit_exceeded"> {
  const { limit, requested, used, reserved, resetAt } = exceeded;
  const { id: limitId, measure, per } = limit;
  return {
    kind: "limit_exceeded",
    limitId,
    measure,
    per,
    limit: limit.limit,
    used,
    reserved,
    requested,
    resetAt: toIsoTime(resetAt),
    retryAfterSeconds:
      resetAt === null ? null : Math.max(1, Math.ceil((resetAt - now) / SECOND_MS)),
  };
}
