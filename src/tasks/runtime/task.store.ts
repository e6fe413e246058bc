import {
  leaseExpiresAt,
  expiresAt,
  nextAlarmAt,
  purgeAt,
  type TaskTiming,
} from "../model/schedule.ts";
import type { TaskCommand } from "../model/command.ts";
import type { TaskEvent } from "../model/events.ts";
import type { Failure } from "../../kernel/failure.ts";
import { applyEvent, foldStored } from "../model/fold.ts";
import { FEED_PUBLISH_DELAY_MS, PROJECTION_RETRY_MS } from "../limits.ts";
import { ok, type Result } from "../../kernel/result.ts";
import type { Task } from "../model/task.ts";
import { decide } from "../model/decide.ts";
import type { SideState } from "./side-state.store.ts";
import { EventLog } from "./event-log.store.ts";
import { ObjectAlarm } from "../../platform/alarm.ts";
import { currentRequestId } from "../../platform/request-id.ts";

export interface CommitResult {
  readonly task: Task;
  readonly events: readonly TaskEvent[];
}

/** What is committed with events, or without any. */
interface Extras {
  /** Writes beside the log, for the task that comes of the commands. */
  readonly beside?: (task: Task) => void;
  /** Small files, for the log to keep with the last of the events. */
  readonly held?: readonly Uint8Array[];
}

/**
 * A task as its log tells it, and the one way to change it: load, decide, append and set the wake-up in
 * one transaction. Nothing is awaited in between.
 */
export class TaskStore {
  readonly log: EventLog;
  readonly alarm: ObjectAlarm;
  /** While an alarm runs it stands for the wake-up: the platform repeats it until it returns. */
  inAlarm = false;
  readonly #storage: DurableObjectStorage;
  readonly #beside: SideState;
  readonly #pace: TaskTiming;
  readonly #changed: (task: Task) => void;
  /** The last event that the feed of all tasks has, as far as is known. */
  #toldSeq: number | undefined;
  #lastRequestId: string | null | undefined;
  /** Whether this very instance has created the task. */
  isNewTask = false;
  /** Rises when the task is deleted: another may be made in its place. */
  incarnation = 0;
  /** The folded log; undefined until it is first read. */
  #task: Task | null | undefined;

  /** `changed` is called with the task after each change. */
  constructor(
    storage: DurableObjectStorage,
    beside: SideState,
    pace: TaskTiming,
    changed: (task: Task) => void,
  ) {
    this.log = new EventLog(storage.sql);
    this.alarm = new ObjectAlarm(storage);
    this.#storage = storage;
    this.#beside = beside;
    this.#pace = pace;
    this.#changed = changed;
  }

  load(): Task | null {
    if (this.#task === undefined) {
      const task = foldStored(this.log.read());
      this.#task = task === null ? null : this.#beside.withStoredLease(task);
    }
    return this.#task;
  }

  /** The task after what time alone has done to it: a deadline holds even where an alarm is late. */
  loadCurrent(): Task | null {
    const task = this.load();
    if (task === null || this.nextTickAt() > Date.now()) return task;
    const decided = this.commit([{ type: "tick", jitter: Math.random() }]);
    return decided.ok ? decided.value.task : task;
  }

  /** When time alone next changes the task. */
  nextTickAt(): number {
    const task = this.load();
    if (task === null) return Infinity;
    return Math.min(expiresAt(task) ?? Infinity, leaseExpiresAt(task) ?? Infinity);
  }

  /** From then on nobody meets the task, so that nothing is written to what is being deleted. */
  isDueForPurge(): boolean {
    const task = this.load();
    const at = task === null ? null : purgeAt(task, this.#pace);
    return at !== null && at <= Date.now();
  }

  /**
   * Decides commands one after the other and commits their events, all or none, with the wake-up and
   * the extras.
   */
  commit(commands: readonly TaskCommand[], extras: Extras = {}): Result<CommitResult, Failure> {
    const now = Date.now();
    const before = this.load();
    let task = before;
    const events: TaskEvent[] = [];
    const logBytes = before === null ? 0 : this.log.bytes();
    for (const command of commands) {
      const decided = decide(task, command, now, logBytes);
      if (!decided.ok) return decided;
      for (const made of decided.value) {
        const event: TaskEvent = { ...made, seq: (task?.seq ?? 0) + 1, at: now };
        task = applyEvent(task, event);
        events.push(event);
      }
      // A task that failed, for example because its log is full, takes no further commands.
      if (task?.status === "failed" && before?.status !== "failed") break;
    }
    if (task === null) throw new Error("No command makes a task out of nothing but create");
    const after = task;
    if (events.length > 0 || extras.beside !== undefined) {
      this.#write(before, after, events, now, extras);
    }
    return ok({ task: after, events });
  }

  /** The id of the request that last changed the task. It continues through queue and alarms. */
  lastRequestId(): string | null {
    try {
      this.#lastRequestId ??= this.log.lastRequestId();
    } catch {
      // The call itself reports a log that cannot be read.
    }
    return this.#lastRequestId ?? null;
  }

  feedCursor(): number {
    return (this.#toldSeq ??= this.load() === null ? 0 : this.log.feedCursor());
  }

  /**
   * The feed has the events up to `seq`. Normally the next event writes that down; after doubts, and
   * where a task is to be deleted some day, it is worth a row of its own.
   */
  setFeedCursor(seq: number, wasInDoubt: boolean): void {
    this.#toldSeq = seq;
    const task = this.load();
    const isLast = task !== null && task.seq === seq;
    if (isLast && (wasInDoubt || purgeAt(task, this.#pace) !== null)) this.log.saveFeedCursor(seq);
  }

  /** A worker's sign of life. */
  extendLease(task: Task, until: number): void {
    if (task.lease === null) return;
    const lease = { ...task.lease, expiresAt: until };
    this.#beside.saveLease(lease);
    this.#task = { ...task, lease };
  }

  /** Sets the wake-up for what the task owes next, or for `latest` where that comes sooner. */
  setNextAlarm(task: Task, latest = Infinity): void {
    const at = Math.min(this.nextAlarmAt(task), latest);
    if (at !== Infinity) this.alarm.set(at);
  }

  /**
   * Whether a new instance must learn what wake-up is set before it sets another. Not where nothing is owed
   * at some time: then there can only be word to spread, which each change does anew within seconds.
   */
  needsAlarmRead(): boolean {
    try {
      const task = this.load();
      return task !== null && this.nextAlarmAt(task) !== Infinity;
    } catch {
      // Whoever asks for the task is told.
      return true;
    }
  }

  nextAlarmAt(task: Task): number {
    return nextAlarmAt(task, this.#beside.get("turn"), this.#pace, Date.now()) ?? Infinity;
  }

  async deleteAll(): Promise<void> {
    await this.#storage.deleteAll();
    this.#beside.clearCache();
    this.#task = null;
    this.#toldSeq = undefined;
    this.#lastRequestId = undefined;
    this.isNewTask = false;
    this.incarnation += 1;
  }

  /** Outside an alarm the wake-up also stands in for the directory row, which is written after this. */
  #write(
    before: Task | null,
    task: Task,
    events: readonly TaskEvent[],
    now: number,
    { beside, held = [] }: Extras,
  ): void {
    const undo = this.alarm.createRollback();
    try {
      this.#storage.transactionSync(() => {
        if (before === null) this.log.createTable();
        this.log.append(events, this.feedCursor(), held, currentRequestId());
        if (before !== null) this.#beside.recordAbandonedWork(task, before);
        beside?.(task);
        if (this.inAlarm) return;
        const wake = nextAlarmAt(task, this.#beside.get("turn"), this.#pace, now) ?? Infinity;
        // The feed is told of a new task before the object falls asleep, which would leave it in doubt.
        const wordMs = before === null ? FEED_PUBLISH_DELAY_MS : PROJECTION_RETRY_MS;
        this.alarm.set(Math.min(wake, now + wordMs));
      });
    } catch (error) {
      undo();
      this.#beside.clearCache();
      throw error;
    }
    this.#task = task;
    if (events.length > 0) this.#lastRequestId = currentRequestId();
    this.isNewTask ||= before === null;
    if (events.length > 0) this.#changed(task);
  }
}
