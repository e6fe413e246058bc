import { worksElsewhere } from "../domain/agent.ts";
import { limitAt, purgeAt, workDueAt, type Pace } from "../domain/clockwork.ts";
import type { Failure } from "../domain/failure.ts";
import { feedRetryMs } from "../domain/feed-retry.ts";
import { PROJECTION_RETRY_MS, STEP_TIMEOUT_MS, STORE_WAIT_MS } from "../domain/limits.ts";
import { isAtWork, placeOf } from "../domain/place.ts";
import type { Result } from "../domain/result.ts";
import { isTerminal, type Task, type TaskError } from "../domain/task.ts";
import type { Beside } from "./beside.ts";
import { faultBackoffMs, faultError, type FaultSpell } from "./fault.ts";
import { deleteFiles } from "./files.ts";
import type { OutsideCalls } from "./outside-calls.ts";
import type { Projection } from "./projection.ts";
import type { FeedLink } from "./feed-link.ts";
import type { QueueLink } from "./queue-link.ts";
import type { Committed, TaskRecord } from "./record.ts";
import type { TurnDesk } from "./turn-desk.ts";
import { within } from "../clock/within.ts";
import { work, type Work, type WorkEnv } from "./work.ts";

/** The parts of a task's object that its work concerns. */
interface Parts {
  readonly record: TaskRecord;
  readonly beside: Beside;
  readonly turns: TurnDesk;
  readonly outside: OutsideCalls;
  readonly faults: FaultSpell;
  readonly queue: QueueLink;
  readonly feed: FeedLink;
  readonly projection: Projection;
}

/** The work on a task as its alarm does it: whatever is owed, and what becomes of faults on the way. */
export class Labour {
  readonly #env: WorkEnv;
  readonly #taskId: string;
  readonly #pace: Pace;
  readonly #parts: Parts;

  constructor(env: WorkEnv, taskId: string, pace: Pace, parts: Parts) {
    this.#env = env;
    this.#taskId = taskId;
    this.#pace = pace;
    this.#parts = parts;
  }

  /** Does whatever is owed at this moment, at most one step of work. */
  async advance(): Promise<void> {
    const task = this.#parts.record.settled();
    if (task === null) return;
    if (this.#parts.record.isDueForPurge()) return this.#purge(task);
    // Before the task goes elsewhere: the queue that it comes from must not keep its place.
    if (task.status === "pending") await this.#parts.queue.mustHear(task);
    const due = workDueAt(task, this.#parts.beside.get("turn"), this.#pace, task.steppedAt);
    if (due !== null && due <= Date.now()) await this.#work(task);
  }

  /** Assigning and starting take no time of their own; a step of the agent, or a wait for its place, ends the alarm. */
  async #work(before: Task): Promise<void> {
    let task: Task | null = before;
    while (task !== null) {
      if (isAtWork(task) && worksElsewhere(task.terms.executor)) {
        await this.#parts.turns.dispatch();
        return this.#parts.faults.end();
      }
      const timeoutMs = Math.min(STEP_TIMEOUT_MS, (limitAt(task) ?? Infinity) - Date.now());
      const purse = this.#parts.outside.stepPurse(() => this.#parts.record.load() ?? before);
      const step = work(this.#env, this.#taskId, task, purse);
      const done = await within(timeoutMs, step);
      const { isStep, fault } = done;
      const decided = this.#commitWork(task.attempt, done);
      if (decided === null) return;
      if (fault !== null) throw fault.cause;
      this.#parts.faults.end();
      if (!decided.ok || decided.value.events.length === 0 || isStep) return;
      task = await this.#begun(decided.value.task);
    }
  }

  /** The task once its agent is at work, which its queue may bring about at once; null while it waits. */
  async #begun(task: Task): Promise<Task | null> {
    if (placeOf(task) === "waiting") await this.#parts.queue.publish(task);
    const now = this.#parts.record.load();
    return now !== null && isAtWork(now) ? now : null;
  }

  /**
   * The world may have moved during the work: what no longer fits changes nothing, but for the calls
   * that were made. Null when the attempt is over.
   */
  #commitWork(attempt: number, { commands, calls, held }: Work): Result<Committed, Failure> | null {
    const isOver = this.#parts.record.settled()?.attempt !== attempt;
    const decided = isOver ? null : this.#parts.record.commit(commands, { held });
    if (decided?.ok !== true && calls.length > 0 && this.#parts.record.load() !== null) {
      this.#parts.record.commit([{ type: "spend", calls }]);
    }
    this.#parts.outside.endStep();
    return decided;
  }

  /** A passing fault of the platform: answers how long to pause; when it lasts too long, gives up. */
  absorb(fault: unknown): number | null {
    const task = this.#parts.record.settled();
    if (task === null) return null;
    if (isTerminal(task.status)) {
      console.error({ event: "task_fault", taskId: this.#taskId, fault });
      return this.#purgeRetryMs(task);
    }
    const lastedMs = this.#parts.faults.go(Date.now());
    console.error({ event: "task_fault", taskId: this.#taskId, lastedMs, fault });
    const error = faultError(fault, lastedMs);
    if (error === null) return faultBackoffMs(lastedMs);
    this.giveUp(error);
    return null;
  }

  /** The pause before the next try to delete the task. Deletion waits until the feed has all its events. */
  #purgeRetryMs(task: Task): number {
    const dueAt = purgeAt(task, this.#pace);
    const isFeedBehind = dueAt !== null && this.#parts.feed.isBehind(task);
    return isFeedBehind ? feedRetryMs(Date.now() - dueAt) : PROJECTION_RETRY_MS;
  }

  giveUp(error: TaskError): void {
    const task = this.#parts.record.load();
    if (task === null) return;
    this.#parts.record.commit([{ type: "fail", attempt: task.attempt, error, calls: [] }]);
    this.#parts.faults.end();
  }

  /** The end of retention: the log goes last, so that after a crash it still tells what to delete. */
  async #purge(task: Task): Promise<void> {
    const { queue, projection, record, feed } = this.#parts;
    await feed.mustHear(task);
    await queue.publish(task);
    await within(STORE_WAIT_MS, deleteFiles(this.#env.FILES, this.#taskId));
    await projection.remove(task);
    await record.deleteAll();
  }
}
