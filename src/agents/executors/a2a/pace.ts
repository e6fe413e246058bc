import {
  A2A_FAULT_PAUSE_MIN_MS,
  A2A_PAUSE_MAX_MS,
  A2A_PAUSE_MIN_MS,
  A2A_PROGRESS_INTERVAL_MAX_MS,
  A2A_RETRY_AFTER_MAX_MS,
} from "../../../domain/limits.ts";

const AGE_PART = 4;
const NOTE_AGE_PART = 30;
/** Where progress that nobody measures comes to rest, and the part of the way that each word of it goes. */
const PROGRESS_REST = 90;
const PROGRESS_PART = 8;

/** How long to wait before the next look at work of this age, both in milliseconds. */
export function pauseMs(ageMs: number): number {
  return within(A2A_PAUSE_MIN_MS, ageMs / AGE_PART, A2A_PAUSE_MAX_MS);
}

/** The same after a fault, where the system itself may have asked for a pause. */
export function faultPauseMs(ageMs: number, retryAfterSeconds: number | null): number {
  const askedMs = (retryAfterSeconds ?? 0) * 1_000;
  const ownMs = within(A2A_FAULT_PAUSE_MIN_MS, ageMs, A2A_PAUSE_MAX_MS);
  return Math.max(ownMs, Math.min(askedMs, A2A_RETRY_AFTER_MAX_MS));
}

/** How long after one word of progress the next is written down, at least `leastMs`: ever rarer as the work grows old. */
export function notePauseMs(ageMs: number, leastMs: number): number {
  return within(leastMs, ageMs / NOTE_AGE_PART, A2A_PROGRESS_INTERVAL_MAX_MS);
}

/** Progress after one more word of the agent: what it says, or a part of the way to 90. It never goes back. */
export function progressAfter(progress: number, told: number | null): number {
  if (told !== null) return Math.max(progress, told);
  return Math.max(progress, progress + Math.ceil((PROGRESS_REST - progress) / PROGRESS_PART));
}

/** A percentage as agents put it beside their words, 0..99; null for anything else. */
export function toldProgress(
  metadata: Readonly<Record<string, unknown>> | undefined,
): number | null {
  const told = metadata?.["progress"];
  return typeof told === "number" && told >= 0 && told < 100 ? Math.floor(told) : null;
}

function within(least: number, value: number, most: number): number {
  return Math.round(Math.min(Math.max(value, least), most));
}
