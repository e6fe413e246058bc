const UNITS: readonly (readonly [letter: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
];

/**
 * A duration for people: the two largest units, without zero parts.
 * @example formatDuration(850) // "850ms"
 * @example formatDuration(200_000) // "3m 20s"
 */
export function formatDuration(durationMs: number): string {
  const wholeMs = Math.max(0, Math.round(durationMs));
  if (wholeMs < 1_000) return `${wholeMs}ms`;
  const first = UNITS.findIndex(([, ms]) => wholeMs >= ms);
  let restMs = wholeMs;
  const parts: string[] = [];
  for (const [letter, ms] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(restMs / ms);
    restMs -= count * ms;
    if (count > 0) parts.push(`${count}${letter}`);
  }
  return parts.join(" ");
}

/** An instant in milliseconds since 1970 as ISO 8601. */
export function toIsoTime(at: number): string {
  return new Date(at).toISOString();
}
