interface Positioned {
  readonly taskId?: string;
  readonly approvalId?: string;
  readonly limitId?: string;
  readonly seq: number;
}

export function eventKey({ taskId, approvalId, limitId, seq }: Positioned): string {
  const source = limitId === undefined ? (approvalId ?? taskId) : `limit:${limitId}`;
  return `${source}:${seq}`;
}

/**
 * The newest `max` events, newest first. `stored` and `live` are in the order of the feed. The feed can repeat an event.
 */
export function newestFirst<Event extends Positioned>(
  stored: readonly Event[],
  live: readonly Event[],
  max: number,
): readonly Event[] {
  const byKey = new Map([...stored, ...live].map((event) => [eventKey(event), event]));
  return [...byKey.values()].slice(-max).toReversed();
}

/** Adds events to a buffer, and drops the oldest ones beyond `max`. */
export function appendBounded<Event>(
  buffer: readonly Event[],
  added: readonly Event[],
  max: number,
): readonly Event[] {
  return [...buffer, ...added].slice(-max);
}
