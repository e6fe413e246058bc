const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;
const JUST_NOW_MS = 5_000;

/** A time relative to `now`, in milliseconds since the epoch: "5 min ago", "in 2 h", "now" within five seconds. */
export function formatRelativeTime(at: number, now: number): string {
  const distanceMs = Math.abs(at - now);
  if (distanceMs < JUST_NOW_MS) return "now";
  const [unit, unitMs] = UNITS.find(([, ms]) => distanceMs >= ms) ?? UNITS[3];
  const distance = `${Math.trunc(distanceMs / unitMs)} ${unit}`;
  return at < now ? `${distance} ago` : `in ${distance}`;
}

const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/** The exact time with the time zone, as tooltips show it. */
export function formatExactTime(at: string): string {
  return exact.format(new Date(at));
}

/** Replaces the times in an API message, which are as `toISOString` writes them, with the output of `formatExactTime`. */
export function formatTimesIn(message: string): string {
  return message.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => {
    const ms = Date.parse(time);
    const isApiTime = !Number.isNaN(ms) && new Date(ms).toISOString() === time;
    return isApiTime ? formatExactTime(time) : time;
  });
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
