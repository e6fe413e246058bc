import type { Failure } from "../../kernel/failure.ts";
import { PAGE_LIMIT_MAX } from "../../kernel/limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { canSeeTask, type Viewer } from "../../keys/model/key.ts";
import { ObjectAlarm } from "../../platform/alarm.ts";
import { currentRequestId } from "../../platform/request-id.ts";
import { applyCommands, type Change } from "../model/apply-commands.ts";
import type { TaskCommand } from "../model/command.ts";
import type { TaskEvent, TaskEventData } from "../model/events.ts";
import { dueAtOf } from "../model/due-at.ts";
import { fold, foldStored } from "../model/fold.ts";
import type { LeaseGrant } from "../model/lease.ts";
import { readOutcome } from "../model/guards.ts";
import { nextExpiryAt, purgeAt, workDueAt, type TaskTiming } from "../model/schedule.ts";
import { slotOf, isTerminal, type Task } from "../model/task.ts";
import { findFirstVisibleSeq } from "../model/visibility.ts";
import type {
  CreatedTask,
  DeliverableContent,
  EventsPage,
  EventsQuery,
  AdmissionResult,
} from "../task.rpc.ts";
import { LATEST_EVENTS_MAX, TASK_LOG_EVENTS_MEASURED_MIN } from "../limits.ts";
import { EventLog, type LoggedEvent } from "./event-log.store.ts";
import { SideState } from "./side-state.store.ts";

export interface CommitResult {
  readonly task: Task;
  readonly isChanged: boolean;
}

/** What a commit stores in addition to events. */
interface CommitExtras {
  /** Writes to the side state in the same transaction. `task`: the task after the commands. */
  readonly writeSideState?: (task: Task) => void;
  /** Small files that the log stores with the last event. */
  readonly files?: readonly Uint8Array[];
}

/** An event that the feed does not have yet. `task` is absent if the event was read from the log. */
interface UnpublishedEvent extends LoggedEvent {
  readonly task?: Task;
}

/** Publishes a task's changes. Implemented by the outbox. */
export interface CommitListener {
  /** When to publish the changes that are still unpublished; Infinity if there are none. */
  nextRetryAt(task: Task, now: number): number;
  taskChanged(task: Task, events: readonly TaskEvent[]): void;
}

/**
 * Holds a task's state and is the only way to change it. Each commit decides its commands, then appends the events and
 * sets the alarm in one transaction, all without an `await`. No other code sets the alarm of a task's object.
 */
export class TaskStore {
  readonly log: EventLog;
  readonly sideState: SideState;
  readonly timing: TaskTiming;
  listener: CommitListener = { nextRetryAt: () => Infinity, taskChanged: () => undefined };
  /**
   * The phase of the alarm run. A commit during a run does not set the alarm, because the end of the run does, and
   * Cloudflare retries a run that does not end.
   */
  alarmRun: "none" | "working" | "publishing" = "none";
  /** When a failed check by the no-progress breaker is repeated. */
  checkRetryAt = 0;
  /** Whether this instance created the task. */
  isNewTask = false;
  /** The `seq` of the last event before the alarm run began to publish. */
  #publishingSeq = 0;
  /** Increases when the task is deleted, because the same object can then create another task. */
  generation = 0;
  readonly #taskId: string;
  readonly #storage: DurableObjectStorage;
  readonly #alarm: ObjectAlarm;
  /** The task built from the log; undefined until the log is first read. */
  #task: Task | null | undefined;
  /** The latest events that the feed does not have yet. They can be published without reading the log. */
  #latestEvents: (LoggedEvent & Change)[] = [];
  #feedCursor: number | undefined;
  #lastRequestId: string | null | undefined;

  constructor(taskId: string, storage: DurableObjectStorage, timing: TaskTiming) {
    this.log = new EventLog(storage);
    this.sideState = new SideState(storage.kv);
    this.#taskId = taskId;
    this.#storage = storage;
    this.#alarm = new ObjectAlarm(storage);
    this.timing = timing;
  }

  load(): Task | null {
    if (this.#task === undefined) {
      const task = foldStored(this.log.read());
      this.#task = task === null ? null : this.sideState.withStoredLease(task);
    }
    return this.#task;
  }

  /**
   * Enforces the deadline, the time budget and the lease, even if the alarm is late, and returns the task. `usage`:
   * commands that charge for running work. If a limit has passed, they are committed before the work is ended.
   */
  enforceTimeLimits(usage: readonly TaskCommand[] = []): Task | null {
    const task = this.load();
    if (task === null || nextExpiryAt(task) > Date.now()) return task;
    const decided = this.commit([...usage, { type: "expire", jitter: Math.random() }]);
    return decided.ok ? decided.value.task : task;
  }

  /** Returns the current task, or `not_found` if the viewer may not see it. Sets the alarm again if it was lost. */
  loadVisible(viewer: Viewer): Result<Task, Failure> {
    const task = this.enforceTimeLimits();
    if (task !== null && !this.hasAlarm() && this.#dueAt(task) !== Infinity) this.#setAlarm(task);
    if (task === null || this.isDueForPurge() || !canSeeTask(viewer, task)) {
      return fail({ kind: "not_found", what: "task", id: this.#taskId });
    }
    return ok(task);
  }

  create(data: TaskEventData["created"]): Result<CreatedTask, Failure> {
    if (this.isDueForPurge()) return fail({ kind: "unavailable", what: "This task" });
    const decided = this.commit([{ type: "create", data }]);
    if (!decided.ok) return decided;
    const { task, isChanged } = decided.value;
    return ok(isChanged ? { task, replayed: false } : this.#replay());
  }

  /** The task as it was created, for a repeat of the request that created it; null if the task does not exist. */
  replay(fingerprint: string): Result<CreatedTask | null, Failure> {
    const task = this.load();
    if (task === null || this.isDueForPurge()) return ok(null);
    if (task.fingerprint !== fingerprint) return fail({ kind: "idempotency_key_reused" });
    return ok(this.#replay());
  }

  /** Starts or resumes a task that is waiting for a slot in the agent's queue. */
  admit(agentId: string, grant: LeaseGrant | null): AdmissionResult {
    const before = this.enforceTimeLimits();
    if (before === null || this.isDueForPurge()) return { admitted: false, isWorking: false };
    const decided = this.commit([{ type: "admit", agentId, grant }]);
    if (!decided.ok || !decided.value.isChanged) {
      const isWorking = before.agentId === agentId && slotOf(before) === "active";
      return { admitted: false, isWorking };
    }
    const { task } = decided.value;
    // If the agent's executor has changed, the task is assigned again.
    if (slotOf(task) !== "active") return { admitted: false, isWorking: false };
    return { admitted: true, task, lease: task.lease };
  }

  /** Commits a command. Returns whether the task exists and the command was legal. */
  commitIfExists(command: TaskCommand): boolean {
    return this.enforceTimeLimits() !== null && this.commit([command]).ok;
  }

  readDeliverable(viewer: Viewer, name: string): Result<DeliverableContent, Failure> {
    const task = this.loadVisible(viewer);
    const outcome = task.ok ? readOutcome(task.value) : task;
    if (!outcome.ok) return outcome;
    const file = outcome.value.deliverables.find((one) => one.name === name);
    if (file === undefined) return fail({ kind: "not_found", what: "deliverable", id: name });
    return ok({ file, held: this.log.readFile(file) });
  }

  listEvents(viewer: Viewer, query: EventsQuery): Result<EventsPage, Failure> {
    const task = this.loadVisible(viewer);
    if (!task.ok) return task;
    const { limit, summaryUpTo } = query;
    // A summary must be complete, because it is folded into a task. The code that reads it hides what the viewer may
    // not see.
    const first = summaryUpTo === undefined ? findFirstVisibleSeq(viewer, task.value) : 0;
    const after = Math.max(query.after, first - 1);
    const events = this.log.page(after, limit, summaryUpTo);
    const last = events.at(-1)?.seq ?? after;
    const more = last < Math.min(task.value.seq, summaryUpTo ?? Infinity);
    return ok({ events, more, ended: !more && isTerminal(task.value.status) });
  }

  /** Whether the task is due for deletion. If so, requests that read or change it get `not_found`. */
  isDueForPurge(): boolean {
    const task = this.load();
    const at = task === null ? null : purgeAt(task, this.timing);
    return at !== null && at <= Date.now();
  }

  /** Decides the commands in order and commits all their events, or none, together with the alarm and the extras. */
  commit(
    commands: readonly TaskCommand[],
    extras: CommitExtras = {},
  ): Result<CommitResult, Failure> {
    const now = Date.now();
    const before = this.load();
    const isMeasured = before !== null && before.seq >= TASK_LOG_EVENTS_MEASURED_MIN;
    const logBytes = isMeasured ? this.log.bytes() : 0;
    const applied = applyCommands(before, commands, { now, logBytes, jitter: Math.random() });
    if (!applied.ok) return applied;
    const { task, changes } = applied.value;
    if (changes.length > 0 || extras.writeSideState !== undefined) {
      this.#write(before, task, changes, extras);
    }
    return ok({ task, isChanged: changes.length > 0 });
  }

  /** The id of the request that last changed the task. It is passed on through queues and alarms. */
  lastRequestId(): string | null {
    if (this.#lastRequestId !== undefined) return this.#lastRequestId;
    try {
      this.#lastRequestId = this.log.lastRequestId();
    } catch {
      // If the log cannot be read, the call itself reports the error.
    }
    return this.#lastRequestId ?? null;
  }

  /** The first events after `seq`, at most as many as one call to the feed can carry. */
  listEventsForFeed(seq: number): readonly UnpublishedEvent[] {
    const isComplete = this.#latestEvents[0]?.event.seq === seq + 1;
    return isComplete ? this.#latestEvents : this.log.pageWithCauses(seq, PAGE_LIMIT_MAX);
  }

  feedCursor(): number {
    return (this.#feedCursor ??= this.load() === null ? 0 : this.log.feedCursor());
  }

  /**
   * Records that the feed has the events up to `seq`. This is stored with the next event, or immediately if the feed
   * may have received events twice or the task will be deleted.
   */
  setFeedCursor(seq: number, wasUncertain: boolean): void {
    this.#feedCursor = seq;
    // Drop the events that the feed has, because events can be large.
    this.#latestEvents = this.#latestEvents.filter(({ event }) => event.seq > seq);
    const task = this.load();
    if (task?.seq === seq && (wasUncertain || purgeAt(task, this.timing) !== null)) {
      this.log.saveFeedCursor(seq);
    }
  }

  /** Renews the lease after a heartbeat. The alarm stays set to the lease's previous expiry. */
  extendLease(task: Task, until: number): Task {
    if (task.lease === null) return task;
    const lease = { ...task.lease, expiresAt: until };
    this.sideState.put("lease", { seq: lease.seq, expiresAt: until });
    this.#task = { ...task, lease };
    return this.#task;
  }

  /** Whether a step, a turn or a search for an agent is due. */
  isWorkDue(task: Task): boolean {
    const dueAt = workDueAt(task, this.sideState.get("turn"), this.timing, task.lastStepAt);
    return dueAt !== null && dueAt <= Date.now();
  }

  /** Whether any work, time limit or deletion is due before `at`. */
  isDueBefore(task: Task, at: number): boolean {
    return Math.max(this.#dueAt(task), Date.now()) < at;
  }

  /** Whether an alarm is set or running. During a run, a new alarm would replace the run's retry. */
  hasAlarm(): boolean {
    return this.alarmRun !== "none" || this.#alarm.isSet();
  }

  beginAlarmRun(): void {
    this.#alarm.markFired();
    this.alarmRun = "working";
  }

  beginPublishing(): void {
    this.alarmRun = "publishing";
    this.#publishingSeq = this.load()?.seq ?? 0;
  }

  /**
   * Sets the next alarm. After a failure, work resumes after `backoffMs`, unless the task changed while the run was
   * publishing. `backoffMs` is null if there was no failure.
   */
  endAlarmRun(backoffMs: number | null): void {
    this.alarmRun = "none";
    const task = this.load();
    if (task !== null) this.#setAlarm(task, task.seq === this.#publishingSeq ? backoffMs : null);
  }

  failAlarmRun(): void {
    this.alarmRun = "none";
    this.#alarm.markRetrying();
  }

  /**
   * Whether a new instance must load the alarm before it sets another. This is unnecessary if no work will become due,
   * because then the alarm only publishes changes and each change sets it again.
   */
  mustLoadAlarm(): boolean {
    try {
      const task = this.load();
      return task !== null && this.#dueAt(task) !== Infinity;
    } catch {
      // The request that wakes the object reports the error.
      return true;
    }
  }

  loadAlarm(): Promise<void> {
    return this.#alarm.load();
  }

  async deleteAll(): Promise<void> {
    await this.#storage.deleteAll();
    this.sideState.clearCache();
    this.#task = null;
    this.#latestEvents = [];
    this.#feedCursor = undefined;
    this.#lastRequestId = undefined;
    this.isNewTask = false;
    this.generation += 1;
  }

  /** The task as it was created, which is the response to every repeat of the request. */
  #replay(): CreatedTask {
    const task = fold(this.log.page(0, 1));
    if (task === null) throw new Error("A created task must have a first event");
    return { task, replayed: true };
  }

  #write(
    before: Task | null,
    task: Task,
    changes: readonly Change[],
    { writeSideState, files = [] }: CommitExtras,
  ): void {
    const requestId = currentRequestId();
    const events = changes.map(({ event }) => event);
    const write = (): void => {
      if (before === null) this.log.createTable();
      this.log.append(events, this.feedCursor(), files, requestId);
      if (before !== null) this.sideState.recordChange(before, task);
      writeSideState?.(task);
      if (this.alarmRun === "none") this.#setAlarm(task);
    };
    this.#alarm.transactionSync(write, () => this.sideState.clearCache());
    this.#task = task;
    if (changes.length === 0) return;
    const unpublished = changes.map((one) => ({ ...one, requestId }));
    this.#latestEvents = [...this.#latestEvents, ...unpublished].slice(-LATEST_EVENTS_MAX);
    this.#lastRequestId = requestId;
    this.isNewTask ||= before === null;
    this.listener.taskChanged(task, events);
  }

  /** The only place that sets the alarm: for the next due work, or earlier to publish changes. */
  #setAlarm(task: Task, backoffMs: number | null = null): void {
    const now = Date.now();
    const dueAt =
      backoffMs === null ? this.#dueAt(task) : Math.min(now + backoffMs, nextExpiryAt(task));
    const at = Math.min(dueAt, this.listener.nextRetryAt(task, now));
    if (at !== Infinity) this.#alarm.setNoLaterThan(at);
  }

  #dueAt(task: Task): number {
    const { sideState, checkRetryAt, timing } = this;
    const [turn, check] = [sideState.get("turn"), sideState.get("breaker")];
    return dueAtOf(task, { turn, check, checkRetryAt, timing }, Date.now());
  }
}
