/** The class of an event: `step` is progress of the agent, `aside` only usage, `turn` anything else. */
export type EventClass = "turn" | "step" | "aside";

/**
 * Selects the summary of a log: all events but progress that later progress replaces, which is most of a long log.
 * Rows never change, so each row is classified once.
 */
export class LogSummary {
  readonly #turns: number[] = [];
  readonly #steps: number[] = [];
  #lastSeq = 0;

  /** The `seq` of the last classified event; 0 for none. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  add(seq: number, eventClass: EventClass): void {
    this.#lastSeq = seq;
    if (eventClass === "turn") this.#turns.push(seq);
    if (eventClass === "step") this.#steps.push(seq);
  }

  /** The first `limit` events of the summary after `after` and up to `upTo`, which is always the last. */
  select(after: number, upTo: number, limit: number): number[] {
    const end = Math.min(upTo, this.#lastSeq);
    const turns = this.#turns.filter((seq) => seq < end);
    const kept: number[] = [];
    let position = 0;
    for (const turn of [...turns, end]) {
      let step = 0;
      for (let next = this.#steps[position]; next !== undefined && next <= turn;) {
        step = next;
        position += 1;
        next = this.#steps[position];
      }
      if (step > after && step !== turn) kept.push(step);
      if (turn > after) kept.push(turn);
      if (kept.length >= limit) break;
    }
    return kept.slice(0, limit);
  }
}
