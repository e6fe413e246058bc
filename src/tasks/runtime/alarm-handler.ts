import type { StepRunner } from "../../executors/contract.ts";
import type { DirectoryEnv } from "../../platform/d1/shards.ts";
import { isExternalExecutor } from "../../agents/model/agent.ts";
import { expiresAt, purgeAt, workDueAt, type TaskTiming } from "../model/schedule.ts";
import type { Failure } from "../../kernel/failure.ts";
import { computeFeedRetryMs } from "../../events/model/feed.ts";
import { PROJECTION_RETRY_MS, STEP_TIMEOUT_MS } from "../limits.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { isActive, slotOf } from "../model/slot.ts";
import type { Result } from "../../kernel/result.ts";
import { isTerminal, type Task, type TaskError } from "../model/task.ts";
import type { SideState } from "./side-state.store.ts";
import { outageBackoffMs, outageError, type OutageTimer } from "./outage-timer.ts";
import { deleteFiles } from "./files.store.ts";
import type { BudgetLedger } from "./budget-ledger.ts";
import type { DirectoryTarget } from "./directory-target.ts";
import type { FeedTarget } from "./feed-target.ts";
import type { QueueTarget } from "./queue-target.ts";
import type { CommitResult, TaskStore } from "./task.store.ts";
import type { TurnDispatcher } from "./turn-dispatcher.ts";
import { withTimeout } from "../../platform/timeout.ts";
import { advanceTask, type TaskAdvance } from "./advance-task.ts";
import { log } from "../../platform/log.ts";

/** The parts of a task's object that its work concerns. */
interface Parts {
  readonly record: TaskStore;
  readonly beside: SideState;
  readonly turns: TurnDispatcher;
  readonly outside: BudgetLedger;
  readonly faults: OutageTimer;
  readonly queue: QueueTarget;
  readonly feed: FeedTarget;
  readonly projection: DirectoryTarget;
}

/** The work on a task as its alarm does it: whatever is owed, and what becomes of faults on the way. */
export class DueWork {
  readonly #env: DirectoryEnv & Pick<Env, "FILES">;
  readonly #runStep: StepRunner;
  readonly #taskId: string;
  readonly #pace: TaskTiming;
  readonly #parts: Parts;

  constructor(
    env: DirectoryEnv & Pick<Env, "FILES">,
    runStep: StepRunner,
    taskId: string,
    pace: TaskTiming,
    parts: Parts,
  ) {
    this.#env = env;
    this.#runStep = runStep;
    this.#taskId = taskId;
    this.#pace = pace;
    this.#parts = parts;
  }

  /** Does whatever is owed at this moment, at most one step of work. */
  async runDueWork(): Promise<void> {
    const task = this.#parts.record.loadCurrent();
    if (task === null) return;
    if (this.#parts.record.isDueForPurge()) return this.#purge(task);
    // Before the task goes elsewhere: the queue that it comes from must not keep its place.
    if (task.status === "pending") await this.#parts.queue.publishOrThrow(task);
    const due = workDueAt(task, this.#parts.beside.get("turn"), this.#pace, task.lastStepAt);
    if (due !== null && due <= Date.now()) await this.#work(task);
  }

  /** Assigning and starting take no time of their own; a step of the agent, or a wait for its place, ends the alarm. */
  async #work(before: Task): Promise<void> {
    let task: Task | null = before;
    while (task !== null) {
      if (isActive(task) && isExternalExecutor(task.terms.executor)) {
        await this.#parts.turns.dispatch();
        return this.#parts.faults.reset();
      }
      const timeoutMs = Math.min(STEP_TIMEOUT_MS, (expiresAt(task) ?? Infinity) - Date.now());
      const purse = this.#parts.outside.stepBudget(() => this.#parts.record.load() ?? before);
      const step = advanceTask(this.#env, this.#runStep, this.#taskId, task, purse);
      const done = await withTimeout(timeoutMs, step);
      const { isStep, fault } = done;
      const decided = this.#commitWork(task.attempt, done);
      if (decided === null) return;
      if (fault !== null) throw fault.cause;
      this.#parts.faults.reset();
      if (!decided.ok || decided.value.events.length === 0 || isStep) return;
      task = await this.#begun(decided.value.task);
    }
  }

  /** The task once its agent is at work, which its queue may bring about at once; null while it waits. */
  async #begun(task: Task): Promise<Task | null> {
    if (slotOf(task) === "queued") await this.#parts.queue.publish(task);
    const now = this.#parts.record.load();
    return now !== null && isActive(now) ? now : null;
  }

  /**
   * The world may have moved during the work: what no longer fits changes nothing, but for the calls
   * that were made. Null when the attempt is over.
   */
  #commitWork(
    attempt: number,
    { commands, calls, held }: TaskAdvance,
  ): Result<CommitResult, Failure> | null {
    const isOver = this.#parts.record.loadCurrent()?.attempt !== attempt;
    const decided = isOver ? null : this.#parts.record.commit(commands, { held });
    if (decided?.ok !== true && calls.length > 0 && this.#parts.record.load() !== null) {
      this.#parts.record.commit([{ type: "spend", calls }]);
    }
    this.#parts.outside.endStep();
    return decided;
  }

  /** A passing fault of the platform: answers how long to pause; when it lasts too long, gives up. */
  handleError(fault: unknown): number | null {
    const task = this.#parts.record.loadCurrent();
    if (task === null) return null;
    if (isTerminal(task.status)) {
      log.error("task_work_failed", { taskId: this.#taskId, error: fault });
      return this.#purgeRetryMs(task);
    }
    const lastedMs = this.#parts.faults.recordFailure(Date.now());
    log.error("task_work_failed", { taskId: this.#taskId, lastedMs, error: fault });
    const error = outageError(fault, lastedMs);
    if (error === null) return outageBackoffMs(lastedMs);
    this.failAttempt(error);
    return null;
  }

  /** The pause before the next try to delete the task. Deletion waits until the feed has all its events. */
  #purgeRetryMs(task: Task): number {
    const dueAt = purgeAt(task, this.#pace);
    const isFeedBehind = dueAt !== null && this.#parts.feed.isBehind(task);
    return isFeedBehind ? computeFeedRetryMs(Date.now() - dueAt) : PROJECTION_RETRY_MS;
  }

  failAttempt(error: TaskError): void {
    const task = this.#parts.record.load();
    if (task === null) return;
    this.#parts.record.commit([{ type: "fail", attempt: task.attempt, error, calls: [] }]);
    this.#parts.faults.reset();
  }

  /** The end of retention: the log goes last, so that after a crash it still tells what to delete. */
  async #purge(task: Task): Promise<void> {
    const { queue, projection, record, feed } = this.#parts;
    await feed.publishOrThrow(task);
    await queue.publish(task);
    await withTimeout(STORE_TIMEOUT_MS, deleteFiles(this.#env.FILES, this.#taskId));
    await projection.remove(task);
    await record.deleteAll();
  }
}
