export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
/** The documented pauses, repeated here so that a change to the constant fails a test. */
export const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  13 * HOUR_MS,
  17 * HOUR_MS,
  20 * HOUR_MS,
];
