import { toIsoTime } from "../../kernel/text.ts";
import type { ListedLimit } from "./limits.store.ts";
import {
  subjectOf,
  type LimitScope,
  type LimitTerms,
  type LimitUse,
} from "../model/spending/limit.ts";
import type { LimitResponse } from "./schemas.ts";

/** What a limit covers, as clients see it. */
export function scopeView({ scopeKind, scopeId }: LimitScope): LimitResponse["scope"] {
  return scopeKind === "all" ? { all: true } : { [`${scopeKind}Id` as const]: scopeId };
}

/** A limit as clients see it, with its current use. */
export function limitView(
  { id, name, scopeKind, scopeId, createdBy, createdAt, updatedAt, ...limit }: ListedLimit,
  { used, reserved, resetAt }: LimitUse,
): LimitResponse {
  return {
    id,
    name,
    scope: scopeView({ scopeKind, scopeId }),
    ...limit,
    used,
    reserved,
    resetAt: toIsoTime(resetAt),
    createdBy,
    createdAt: toIsoTime(createdAt),
    updatedAt: toIsoTime(updatedAt),
  };
}

/** A stored limit as the object that counts its use needs it. */
export function limitTermsOf({ scopeKind, scopeId, ...limit }: ListedLimit): LimitTerms {
  const { id, measure, per, timeZone, limit: max, warnAt, onExceeded } = limit;
  const subject = subjectOf({ scopeKind, scopeId });
  return { id, subject, measure, per, timeZone, limit: max, warnAt, onExceeded };
}
