import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./units.ts";

const UNITS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};

/** A whole number and a unit, such as `90s`, `30m`, `24h` or `7d`. */
const DURATION_PATTERN = /^[1-9]\d{0,5}[smhd]$/;

/** A duration in milliseconds; null if the text is not a duration such as `90s`, `30m`, `24h` or `7d`. */
export function parseDuration(text: string): number | null {
  const unitMs = UNITS[text.slice(-1)];
  return DURATION_PATTERN.test(text) && unitMs !== undefined
    ? Number(text.slice(0, -1)) * unitMs
    : null;
}
