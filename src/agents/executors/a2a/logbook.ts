import { A2A_PROGRESS_INTERVAL_MIN_MS } from "../../../domain/limits.ts";
import type { Task } from "../../../domain/task.ts";
import { oneLine } from "../builtin/wording.ts";
import type { TurnHands } from "../contract.ts";
import { workOf, type Held } from "./held.ts";
import { notePauseMs, progressAfter } from "./pace.ts";
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
  #isStopped = false;

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

  /** Whether nobody waits for the turn any more: the log takes no further word of it. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether the log tells of this task elsewhere. */
  knows(taskId: string): boolean {
    return this.#written.taskId === taskId;
  }

  /** Whether the turn is to go on: what was heard is written down when it is new, and due. */
  async note(sight: Sight, now: number): Promise<boolean> {
    const isDue = this.#isDue(now, A2A_PROGRESS_INTERVAL_MIN_MS);
    const isWorth = this.#isUnsafe || (isDue && !sight.isSettled && this.#isNews(sight));
    if (isWorth && !this.#isStopped) await this.#write(sight, now);
    return !this.#isStopped;
  }

  /** Writes down what was not due before; what a task comes to in this turn says the rest. */
  async close(sight: Sight, now: number): Promise<void> {
    const isLive = sight.reply === null && sight.meaning?.kind !== "done";
    // A turn has one last word, so that it need not wait for the shortest pause.
    const isDue = sight.isSettled || this.#isDue(now, 0);
    const isWorth = this.#isUnsafe || (isLive && isDue && this.#isNews(sight));
    if (isWorth && !this.#isStopped) await this.#write(sight, now);
  }

  #isDue(now: number, leastMs: number): boolean {
    const { since, noted } = this.#held;
    return now - noted >= notePauseMs(now - since, leastMs);
  }

  /** Whether a crash would make the next turn say again what the agent has heard. */
  get #isUnsafe(): boolean {
    return this.#held !== this.#written;
  }

  #isNews({ told, mark, isSettled }: Sight): boolean {
    return (told !== null && told > this.#progress) || (!isSettled && mark !== this.#mark);
  }

  async #write(sight: Sight, now: number): Promise<void> {
    const held = { ...this.#held, noted: now };
    this.#held = held;
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
    if (goesOn) this.#written = held;
    else this.#isStopped = true;
  }
}

/** A few words of the agent on what it does, or the name of its state. */
function phaseOf({ meaning, message }: Sight): string {
  if (meaning?.kind !== "going") return "working";
  const words = message === null ? "" : oneLine(textOf(message.parts), PHASE_CHARACTERS_MAX);
  return words === "" ? meaning.phase : words;
}
