import { ALARM_RETRIES_MAX } from "../limits.ts";
import { STEP_CRASHED_ERROR } from "./outage-timer.ts";
import type { DueWork } from "./alarm-handler.ts";
import type { TaskStore } from "./task.store.ts";
import type { Outbox } from "./outbox.ts";

/**
 * A task's alarm from its call to its return. `record.inAlarm` holds while it works, when its end stands
 * for the wake-up of each commit; `isOn` until it has also spread the word and left that wake-up.
 */
export class AlarmHandler {
  readonly #record: TaskStore;
  readonly #labour: DueWork;
  readonly #word: Outbox;
  /** Should the object crash, it rings again. */
  isRunning = false;

  constructor(record: TaskStore, labour: DueWork, word: Outbox) {
    this.#record = record;
    this.#labour = labour;
    this.#word = word;
  }

  async run(retryCount: number): Promise<void> {
    this.#record.alarm.markFired();
    this.isRunning = true;
    try {
      const pauseMs = await this.#work(retryCount);
      await this.#word.publishAndSetAlarm(pauseMs);
    } catch (fault) {
      this.#record.alarm.markRetrying();
      throw fault;
    } finally {
      this.isRunning = false;
    }
  }

  /** Answers how long to pause after a fault. */
  async #work(retryCount: number): Promise<number | null> {
    this.#record.inAlarm = true;
    try {
      // An exception is absorbed below; what comes back as a retry has ended the whole object.
      if (retryCount > ALARM_RETRIES_MAX) this.#labour.failAttempt(STEP_CRASHED_ERROR);
      await this.#labour.runDueWork();
      return null;
    } catch (fault) {
      return this.#labour.handleError(fault);
    } finally {
      this.#record.inAlarm = false;
    }
  }
}
