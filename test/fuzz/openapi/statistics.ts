/** Counts of one operation's requests, by outcome. */
export interface Statistics {
  sent: number;
  valid: number;
  /** Schema-valid requests that were not rejected as invalid. */
  accepted: number;
  succeeded: number;
  rejected: number;
  /** Documented responses with status 502 to 504, which a third party may cause. */
  upstream: number;
}

export function emptyStatistics(): Statistics {
  return { sent: 0, valid: 0, accepted: 0, succeeded: 0, rejected: 0, upstream: 0 };
}

export function sumOf(all: readonly Statistics[]): Statistics {
  const sum = emptyStatistics();
  for (const one of all) {
    sum.sent += one.sent;
    sum.valid += one.valid;
    sum.accepted += one.accepted;
    sum.succeeded += one.succeeded;
    sum.rejected += one.rejected;
    sum.upstream += one.upstream;
  }
  return sum;
}

export function formatStatistics(
  name: string,
  { sent, valid, accepted, succeeded: good, rejected: refused, upstream }: Statistics,
): string {
  return `${name}: ${sent} requests, ${good} 2xx/3xx, ${refused} 4xx, ${upstream} caused by a third party; ${accepted} of ${valid} valid requests accepted`;
}
