import { A2A_PROGRESS_INTERVAL_MS } from "../../../domain/limits.ts";
import type { Task } from "../../../domain/task.ts";
import { oneLine } from "../builtin/wording.ts";
import type { TurnHands } from "../contract.ts";
import { workOf, type Held } from "./held.ts";
import { progressAfter } from "./pace.ts";
import type { Sight } from "./sight.ts";
import { textOf } from "./words.ts";

const PHASE_CHARACTERS_MAX = 100;

/** Writes down how far a turn has come: word of a new task at once, everything else now and then. */
export class Logbook {
  readonly #hands: TurnHands;
  #held: Held;
  #written: Held;
  #progress: number;
  #phase: string | null;
  #mark = "";
  #at = 0;

  constructor(hands: TurnHands, task: Task, held: Held) {
    this.#hands = hands;
    this.#held = held;
    this.#written = held;
    this.#progress = task.progress;
    this.#phase = task.currentPhase;
  }

  /** What the next turn must know. */
  get held(): Held {
    return this.#held;
  }

  hold(held: Held): void {
    this.#held = held;
  }

  /** Whether the turn is to go on: what was heard is written down when it is new, and due. */
  async note(sight: Sight, now: number): Promise<boolean> {
    const isDue = now - this.#at >= A2A_PROGRESS_INTERVAL_MS;
    const isWorth = this.#isUnsafe || (isDue && !sight.isSettled && this.#isNews(sight));
    return isWorth ? this.#write(sight, now) : true;
  }

  /** Writes down what was not due before; what a task comes to in this turn says the rest. */
  async close(sight: Sight, now: number): Promise<void> {
    const isLive = sight.reply === null && sight.meaning?.kind !== "done";
    if (this.#isUnsafe || (isLive && this.#isNews(sight))) await this.#write(sight, now);
  }

  /** Whether a crash would make the next turn say again what the agent has heard. */
  get #isUnsafe(): boolean {
    return this.#held !== this.#written;
  }

  #isNews({ told, mark, isSettled }: Sight): boolean {
    return (told !== null && told > this.#progress) || (!isSettled && mark !== this.#mark);
  }

  async #write(sight: Sight, now: number): Promise<boolean> {
    const { held } = this;
    const phase = phaseOf(sight);
    // The first word of a turn may be the last of the one before.
    if (phase !== this.#phase || sight.told !== null) {
      this.#progress = progressAfter(this.#progress, sight.told);
    }
    const goesOn = await this.#hands.progress({
      progress: this.#progress,
      phase,
      work: workOf(held),
    });
    this.#phase = phase;
    this.#mark = sight.mark;
    this.#written = held;
    this.#at = now;
    return goesOn;
  }
}

/** A few words of the agent on what it does, or the name of its state. */
function phaseOf({ meaning, message }: Sight): string {
  if (meaning?.kind !== "going") return "working";
  const words = message === null ? "" : oneLine(textOf(message.parts), PHASE_CHARACTERS_MAX);
  return words === "" ? meaning.phase : words;
}
