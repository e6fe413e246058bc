import type { Schemas } from "../api/client.ts";
import type { Scope } from "../session/identity.ts";
import { newLimits, NO_LIMITS, type LimitTexts } from "./limits.ts";

/** What is typed into the form for a new key. */
export interface KeyDraft {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly boundTo: "nothing" | "agent" | "team";
  readonly boundId: string;
  /** `none`, a number of days, or `date` for `expiryDate`. */
  readonly expiry: string;
  /** The value of a date and time field, in the browser's time zone. */
  readonly expiryDate: string;
  readonly requireTask: boolean;
  readonly limits: LimitTexts;
}

export const EMPTY_KEY: KeyDraft = {
  name: "",
  scopes: [],
  boundTo: "nothing",
  boundId: "",
  expiry: "none",
  expiryDate: "",
  requireTask: false,
  limits: NO_LIMITS,
};

const DAY_MS = 86_400_000;

/** The request body for a draft. `now` is in milliseconds since the epoch. */
export function keyBody(draft: KeyDraft, now: number): Schemas["CreateKeyBody"] {
  const expiresAt = expiryOf(draft, now);
  const limits = newLimits(draft.limits);
  return {
    name: draft.name.trim(),
    scopes: [...draft.scopes],
    ...(draft.boundTo === "agent" && { agentId: draft.boundId.trim() }),
    ...(draft.boundTo === "team" && { teamId: draft.boundId.trim() }),
    ...(expiresAt !== null && { expiresAt }),
    ...(draft.requireTask && { requireTask: true }),
    ...(limits !== undefined && { limits }),
  };
}

/** When the key expires, as the API expects it. An invalid date is passed on, so that the API explains what is wrong. */
function expiryOf({ expiry, expiryDate }: KeyDraft, now: number): string | null {
  if (expiry === "none") return null;
  const at = expiry === "date" ? new Date(expiryDate) : new Date(now + Number(expiry) * DAY_MS);
  return Number.isNaN(at.getTime()) ? expiryDate : at.toISOString();
}
