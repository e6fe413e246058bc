/** What became of the requests of one operation. */
export interface Figures {
  sent: number;
  valid: number;
  /** Valid ones that were not refused for what they held. */
  accepted: number;
  good: number;
  refused: number;
  /** 502 to 504, where the document says that a third party may cause them. */
  upstream: number;
}

export function noFigures(): Figures {
  return { sent: 0, valid: 0, accepted: 0, good: 0, refused: 0, upstream: 0 };
}

export function sumOf(all: readonly Figures[]): Figures {
  const sum = noFigures();
  for (const one of all) {
    sum.sent += one.sent;
    sum.valid += one.valid;
    sum.accepted += one.accepted;
    sum.good += one.good;
    sum.refused += one.refused;
    sum.upstream += one.upstream;
  }
  return sum;
}

export function shownFigures(
  name: string,
  { sent, valid, accepted, good, refused, upstream }: Figures,
): string {
  return `${name}: ${sent} requests, ${good} 2xx/3xx, ${refused} 4xx, ${upstream} of a third party; ${accepted} of ${valid} valid ones accepted`;
}
