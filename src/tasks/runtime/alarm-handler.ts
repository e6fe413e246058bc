import type { BreakerEnv } from "../../agents/no-progress-breaker.ts";
import { isExternalExecutor } from "../../agents/model/agent.ts";
import { computeFeedRetryMs } from "../../events/model/feed.ts";
import type { StepRunner } from "../../executors/contract.ts";
import type { Failure } from "../../kernel/failure.ts";
import type { Result } from "../../kernel/result.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { log } from "../../platform/log.ts";
import { withTimeout } from "../../platform/promises.ts";
import {
  ALARM_RETRIES_MAX,
  OUTBOX_RETRY_MS,
  STEP_TIMEOUT_MS,
  OUTAGE_BACKOFF_MAX_MS,
  OUTAGE_BACKOFF_MIN_MS,
  OUTAGE_MAX_MS,
} from "../limits.ts";
import { expiresAt, purgeAt } from "../model/schedule.ts";
import type { TaskCommand } from "../model/command.ts";
import { isActive, slotOf, isTerminal, type Task, type TaskError } from "../model/task.ts";
import { advanceTask, type TaskAdvance } from "./advance-task.ts";
import type { BudgetLedger } from "./budget-ledger.ts";
import { isCheckDue, runBreaker } from "./no-progress-breaker.ts";
import type { Outbox } from "./outbox.ts";
import type { ApprovalDraft } from "../../tools/model/invocation.ts";
import type { TaskApprovals } from "./task-approvals.ts";
import type { CommitResult, TaskStore } from "./task.store.ts";
import type { TurnDispatcher } from "./turn-dispatcher.ts";
import { FileStoreError, taskFilePrefix } from "../model/files.ts";

type AlarmEnv = Pick<Env, "FILES"> & BreakerEnv;

/** The alarm handler's collaborators. */
interface AlarmParts {
  readonly store: TaskStore;
  readonly outbox: Outbox;
  readonly turnDispatcher: TurnDispatcher;
  readonly budgetLedger: BudgetLedger;
  readonly approvals: TaskApprovals;
  readonly runStep: StepRunner;
  /** How long one alarm run keeps executing steps that are due; 0 for one step per run. */
  readonly alarmRunMaxMs: number;
}

/** Handles a task's alarm: does the work that is due, publishes the changes and sets the next alarm. */
export class AlarmHandler {
  readonly #env: AlarmEnv;
  readonly #taskId: string;
  readonly #parts: AlarmParts;

  constructor(env: AlarmEnv, taskId: string, parts: AlarmParts) {
    this.#env = env;
    this.#taskId = taskId;
    this.#parts = parts;
  }

  /** If the object crashes during the run, Cloudflare retries the alarm. */
  async run(retryCount: number): Promise<void> {
    const { store, outbox } = this.#parts;
    store.beginAlarmRun();
    try {
      const backoffMs = await this.#runOrBackOff(retryCount);
      await runBreaker(this.#env, this.#taskId, store);
      store.beginPublishing();
      await outbox.publishRun();
      store.endAlarmRun(backoffMs);
    } catch (error) {
      store.failAlarmRun();
      throw error;
    }
  }

  /** Returns how long to pause after a failure; null if no pause is needed. */
  async #runOrBackOff(retryCount: number): Promise<number | null> {
    try {
      // Exceptions from the work are caught below, so repeated retries mean that the object crashed.
      if (retryCount > ALARM_RETRIES_MAX) this.#failCrashedStep();
      // A retried alarm runs only one step, so each step has its own retries.
      await this.#runDueWork(retryCount > 0 ? 0 : Date.now() + this.#parts.alarmRunMaxMs);
      return null;
    } catch (error) {
      return this.#handleError(error);
    }
  }

  async #runDueWork(endsAt: number): Promise<void> {
    const { store, outbox } = this.#parts;
    const task = store.enforceTimeLimits();
    if (task === null) return;
    if (store.isDueForPurge()) return this.#purge(task);
    // The previous agent's queue must free the task's slot before the task is assigned again.
    await runBreaker(this.#env, this.#taskId, store);
    if (task.status === "pending") await outbox.queue.publishOrThrow(task);
    if (store.isWorkDue(task)) await this.#advance(task, endsAt);
  }

  /** Assigns and starts the task, then runs steps until none is due or the time is up. */
  async #advance(first: Task, endsAt: number): Promise<void> {
    const { store, turnDispatcher } = this.#parts;
    let task: Task | null = first;
    while (task !== null) {
      if (isActive(task) && isExternalExecutor(task.terms.executor)) {
        await turnDispatcher.dispatch();
        return store.sideState.endOutage();
      }
      const { advance, decided } = await this.#advanceOnce(task);
      if (decided === null) return;
      if (advance.failure !== null) throw advance.failure.cause;
      store.sideState.endOutage();
      if (!decided.ok || !decided.value.isChanged) return;
      if (!advance.isStep) task = await this.#loadStarted(decided.value.task);
      else task = Date.now() < endsAt ? this.#loadDue() : null;
    }
  }

  /** Returns the task if its agent's next step is due. */
  #loadDue(): Task | null {
    const { store } = this.#parts;
    const task = store.enforceTimeLimits();
    const isDue = task !== null && isActive(task) && store.isWorkDue(task);
    return isDue && !isCheckDue(store, task) ? task : null;
  }

  /** Assigns and starts the task or runs one step, then commits the result. */
  async #advanceOnce(task: Task) {
    const { store, budgetLedger, approvals, runStep } = this.#parts;
    const timeoutMs = Math.min(STEP_TIMEOUT_MS, (expiresAt(task) ?? Infinity) - Date.now());
    const { budget, end } = budgetLedger.beginStep(() => store.load() ?? task);
    try {
      const requestApproval = (draft: ApprovalDraft) => approvals.request(draft, false);
      const request = { taskId: this.#taskId, task, budget, requestApproval, timeoutMs };
      const advance = await advanceTask(this.#env, runStep, request);
      return { advance, decided: this.#commitAdvance(task.attempt, advance) };
    } finally {
      end();
    }
  }

  /**
   * Returns the task if its agent is working on it; null if the task is waiting for a slot. The queue may grant a slot
   * immediately.
   */
  async #loadStarted(task: Task): Promise<Task | null> {
    const { store, outbox } = this.#parts;
    if (slotOf(task) === "queued") await outbox.queue.publish(task);
    const current = store.load();
    return current !== null && isActive(current) ? current : null;
  }

  /** Commits the commands, or only the calls if the commands no longer apply. Returns null if the attempt is over. */
  #commitAdvance(
    attempt: number,
    { commands, calls, inlineFiles }: TaskAdvance,
  ): Result<CommitResult, Failure> | null {
    const { store } = this.#parts;
    const usage: TaskCommand[] = calls.length === 0 ? [] : [{ type: "spend", calls }];
    const before = store.load();
    const task = store.enforceTimeLimits(usage);
    // A time limit ended the step, and its calls have already been charged.
    if (task !== before) return null;
    const isCurrent = task?.attempt === attempt;
    const decided = isCurrent ? store.commit(commands, { files: inlineFiles }) : null;
    if (decided?.ok !== true && task !== null) store.commit(usage);
    return decided;
  }

  /**
   * Returns how long to pause before the work or the deletion is retried after a failure; null if there is nothing to
   * retry or the outage has lasted so long that the attempt fails.
   */
  #handleError(cause: unknown): number | null {
    const { store } = this.#parts;
    const task = store.enforceTimeLimits();
    if (task === null) return null;
    if (isTerminal(task.status)) {
      // The task ended during the step, which explains the failure.
      if (!store.isDueForPurge()) return null;
      log.error("task_work_failed", { taskId: this.#taskId, error: cause });
      return this.#purgeRetryMs(task);
    }
    const durationMs = store.sideState.recordOutage(Date.now());
    log.error("task_work_failed", { taskId: this.#taskId, durationMs, error: cause });
    const error = outageError(cause, durationMs);
    if (error === null) return outageBackoffMs(durationMs);
    this.#failAttempt(error);
    return null;
  }

  /**
   * The pause before trying again to delete the task. The task is deleted only after the feed has received all its
   * events.
   */
  #purgeRetryMs(task: Task): number {
    const { store, outbox } = this.#parts;
    const dueAt = purgeAt(task, store.timing);
    const isFeedBehind = dueAt !== null && outbox.feed.isBehind(task);
    return isFeedBehind ? computeFeedRetryMs(Date.now() - dueAt) : OUTBOX_RETRY_MS;
  }

  #failAttempt(error: TaskError): void {
    const { store } = this.#parts;
    const task = store.load();
    if (task === null) return;
    store.commit([{ type: "fail", attempt: task.attempt, error, calls: [] }]);
  }

  /** Fails the attempt if work is due. If none is, the attempt did not cause the crash. */
  #failCrashedStep(): void {
    const { store } = this.#parts;
    const task = store.enforceTimeLimits();
    if (task !== null && store.isWorkDue(task)) this.#failAttempt(STEP_CRASHED_ERROR);
  }

  /** Deletes the task. The log is deleted last, because a retry after a crash still needs it. */
  async #purge(task: Task): Promise<void> {
    const { store, outbox } = this.#parts;
    await outbox.publishBeforeDeletion(task);
    await withTimeout(STORE_TIMEOUT_MS, deleteFiles(this.#env.FILES, this.#taskId));
    await outbox.directory.remove(task);
    await store.deleteAll();
  }
}

/** The pause between retries during an outage. It is as long as the outage has lasted, within limits. */
function outageBackoffMs(durationMs: number): number {
  return Math.min(Math.max(durationMs, OUTAGE_BACKOFF_MIN_MS), OUTAGE_BACKOFF_MAX_MS);
}

/**
 * The error with which an attempt fails if the outage has lasted too long; null while the work is still being retried.
 */
function outageError(cause: unknown, durationMs: number): TaskError | null {
  if (durationMs < OUTAGE_MAX_MS) return null;
  if (cause instanceof FileStoreError) {
    return { code: "DELIVERABLE_STORE_FAILED", message: cause.message, retryable: true };
  }
  const minutes = Math.floor(durationMs / 60_000);
  const message = `The attempt was stopped after ${minutes} minutes of platform failures. Retry the task.`;
  return { code: "INTERNAL_ERROR", message, retryable: true };
}

/** The error with which an attempt fails if its step repeatedly crashed the object. */
const STEP_CRASHED_ERROR: TaskError = {
  code: "INTERNAL_ERROR",
  message:
    "A step crashed repeatedly. It may need more memory or CPU time than the platform allows.",
  retryable: true,
};

/** Deletes all of a task's files, one page of the file list at a time. */
async function deleteFiles(files: R2Bucket, taskId: string): Promise<void> {
  for (;;) {
    const page = await files.list({ prefix: taskFilePrefix(taskId) });
    if (page.objects.length === 0) return;
    await files.delete(page.objects.map(({ key }) => key));
  }
}
