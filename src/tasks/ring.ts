import { ALARM_RETRIES_MAX } from "../domain/limits.ts";
import { STEP_CRASHED } from "./fault.ts";
import type { Labour } from "./labour.ts";
import type { TaskRecord } from "./record.ts";
import type { Word } from "./word.ts";

/**
 * A task's alarm from its call to its return. `record.inAlarm` holds while it works, when its end stands
 * for the wake-up of each commit; `isOn` until it has also spread the word and left that wake-up.
 */
export class Ring {
  readonly #record: TaskRecord;
  readonly #labour: Labour;
  readonly #word: Word;
  /** Should the object crash, it rings again. */
  isOn = false;

  constructor(record: TaskRecord, labour: Labour, word: Word) {
    this.#record = record;
    this.#labour = labour;
    this.#word = word;
  }

  async run(retryCount: number): Promise<void> {
    this.#record.wakeUp.fired();
    this.isOn = true;
    try {
      const pauseMs = await this.#work(retryCount);
      await this.#word.spreadAndArm(pauseMs);
    } catch (fault) {
      this.#record.wakeUp.ringsAgain();
      throw fault;
    } finally {
      this.isOn = false;
    }
  }

  /** Answers how long to pause after a fault. */
  async #work(retryCount: number): Promise<number | null> {
    this.#record.inAlarm = true;
    try {
      // An exception is absorbed below; what comes back as a retry has ended the whole object.
      if (retryCount > ALARM_RETRIES_MAX) this.#labour.giveUp(STEP_CRASHED);
      await this.#labour.advance();
      return null;
    } catch (fault) {
      return this.#labour.absorb(fault);
    } finally {
      this.#record.inAlarm = false;
    }
  }
}
