/** What an event is to an outline: `step` progress of the agent itself, `aside` what only costs. */
export type EventClass = "turn" | "step" | "aside";

/**
 * Which events of a log tell its course: all but progress that later progress has overtaken, which is
 * most of a long log. Rows once written stay as they are, so what was marked is never read again.
 */
export class LogSummary {
  readonly #turns: number[] = [];
  readonly #steps: number[] = [];
  #markedUpTo = 0;

  /** The `seq` of the last event that was marked, 0 for none. */
  get lastSeq(): number {
    return this.#markedUpTo;
  }

  /** Marks the next event of the log. */
  add(seq: number, mark: EventClass): void {
    this.#markedUpTo = seq;
    if (mark === "turn") this.#turns.push(seq);
    if (mark === "step") this.#steps.push(seq);
  }

  /** The first `limit` events behind `after` that tell the course up to a `seq`; that one is always the last. */
  select(after: number, upTo: number, limit: number): number[] {
    const end = Math.min(upTo, this.#markedUpTo);
    const turns = this.#turns.filter((seq) => seq < end);
    const kept: number[] = [];
    let place = 0;
    for (const turn of [...turns, end]) {
      let step = 0;
      for (let next = this.#steps[place]; next !== undefined && next <= turn;) {
        step = next;
        place += 1;
        next = this.#steps[place];
      }
      if (step > after && step !== turn) kept.push(step);
      if (turn > after) kept.push(turn);
      if (kept.length >= limit) break;
    }
    return kept.slice(0, limit);
  }
}
