const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;
const JUST_NOW_MS = 5_000;

const format = new Intl.RelativeTimeFormat("en-GB", { numeric: "always", style: "short" });

/** A time relative to `now`, in milliseconds since the epoch: "5 min ago", "in 2 hr", "now" within five seconds. */
export function formatRelativeTime(at: number, now: number): string {
  const elapsedMs = at - now;
  if (Math.abs(elapsedMs) < JUST_NOW_MS) return "now";
  const [unit, unitMs] =
    UNITS.find(([, ms]) => Math.abs(elapsedMs) >= ms) ?? (["second", 1_000] as const);
  return format.format(Math.trunc(elapsedMs / unitMs), unit);
}

/** A duration in its two largest units: "2 h 5 min", "3.2 s", "850 ms". */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${Number((durationMs / 1_000).toFixed(1))} s`;
  const minutes = Math.floor(durationMs / 60_000);
  if (minutes < 60) return join(minutes, "min", Math.floor((durationMs % 60_000) / 1_000), "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return join(hours, "h", minutes % 60, "min");
  return join(Math.floor(hours / 24), "d", hours % 24, "h");
}

/** Converts a duration from the API's format, such as "9m 53s", to that of `formatDuration`: "9 min 53 s". */
export function spaceUnits(duration: string): string {
  return duration.replaceAll(
    /(\d)(ms|[dhms])\b/g,
    (_, digit: string, unit: string) => `${digit} ${unit === "m" ? "min" : unit}`,
  );
}

function join(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
