import { DurableObject } from "cloudflare:workers";
import { database } from "../db/client.ts";
import { limitAt, nextWakeAt, purgeAt, workDueAt, type Pace } from "../domain/clockwork.ts";
import type { EventData, NewEvent, TaskEvent } from "../domain/events.ts";
import type { Failure } from "../domain/failure.ts";
import { apply, fold } from "../domain/fold.ts";
import { maySeeTask, type Viewer } from "../domain/key.ts";
import { PROJECTION_RETRY_MS, PROJECTION_WAIT_MS } from "../domain/limits.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Task } from "../domain/task.ts";
import type { Command } from "../domain/commands.ts";
import { decide } from "../domain/transitions.ts";
import { deleteRow, putRow, rowOf } from "./directory.ts";
import { faultBackoffMs, faultError } from "./fault.ts";
import { deleteFiles } from "./files.ts";
import { TaskLog } from "./log.ts";
import { paceOf } from "./pace.ts";
import type { ClientCommand, TaskPort } from "./port.ts";
import { work } from "./work.ts";

/**
 * One task: the shell around its log. Each change is load, decide, append and set the wake-up in one
 * transaction, publish; nothing is awaited between load and append. It judges nothing itself.
 */
export class TaskObject extends DurableObject<Env> implements TaskPort {
  readonly #log: TaskLog;
  readonly #pace: Pace;
  /** The folded log; undefined until it is first read. */
  #task: Task | null | undefined;
  /** When the platform will wake this object, as far as it was told. */
  #alarmAt: number | null = null;
  /** While an alarm runs it stands for the wake-up: the platform repeats it until it returns. */
  #inAlarm = false;
  /** The version of the directory row that this instance knows to be written. */
  #projectedSeq = 0;
  /** Steps in a row that met a fault of the platform. */
  #faults = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#log = new TaskLog(ctx.storage.sql);
    this.#pace = paceOf(env);
    void ctx.blockConcurrencyWhile(async () => {
      this.#alarmAt = await ctx.storage.getAlarm();
    });
  }

  async create(
    data: EventData["created"],
  ): Promise<Result<{ task: Task; replayed: boolean }, Failure>> {
    const decided = this.#commit([{ type: "create", data }]);
    if (!decided.ok) return decided;
    await this.#publish();
    const replayed = decided.value.events.length === 0;
    return ok({ task: fold(this.#log.page(0, 1)) ?? decided.value.task, replayed });
  }

  async read(viewer: Viewer): Promise<Result<Task, Failure>> {
    return this.#enter(viewer);
  }

  async command(
    viewer: Viewer,
    command: ClientCommand,
  ): Promise<Result<{ task: Task; before: Task }, Failure>> {
    const entered = this.#enter(viewer);
    if (!entered.ok) return entered;
    const decided = this.#commit([command]);
    if (!decided.ok) return decided;
    await this.#publish();
    return ok({ task: decided.value.task, before: entered.value });
  }

  async events(
    viewer: Viewer,
    { after, limit }: { after: number; limit: number },
  ): Promise<Result<{ events: TaskEvent[]; more: boolean }, Failure>> {
    const entered = this.#enter(viewer);
    if (!entered.ok) return entered;
    const events = this.#log.page(after, limit);
    const last = events.at(-1)?.seq ?? after;
    return ok({ events, more: last < entered.value.seq });
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = null;
    this.#inAlarm = true;
    try {
      await this.#advance();
      this.#faults = 0;
    } catch (fault) {
      this.#absorb(fault);
    } finally {
      this.#inAlarm = false;
    }
  }

  /** Does whatever is owed at this moment, at most one step of work, and arms the next wake-up. */
  async #advance(): Promise<void> {
    const task = this.#settled();
    if (task === null) return;
    const purge = purgeAt(task, this.#pace);
    if (purge !== null && purge <= Date.now()) return this.#purge();
    const due = workDueAt(task, this.#pace, task.steppedAt);
    if (due !== null && due <= Date.now()) await this.#work(task);
    await this.#publish();
    // What is owed may come sooner than the next look at the directory.
    this.#armNext();
  }

  /** Assigning and starting take no time of their own; a step of the agent ends the alarm. */
  async #work(before: Task): Promise<void> {
    let task: Task | null = before;
    while (task !== null) {
      const { commands, isStep } = await work(this.env, this.ctx.id.toString(), task);
      // The world may have moved during the work: what no longer fits changes nothing.
      if (this.#load()?.attempt !== task.attempt) return;
      const decided = this.#commit(commands);
      if (!decided.ok || decided.value.events.length === 0 || isStep) return;
      task = decided.value.task.status === "in_progress" ? decided.value.task : null;
    }
  }

  /** A passing fault of the platform: come again, and after too many give the attempt up. */
  #absorb(fault: unknown): void {
    this.#faults += 1;
    const task = this.#load();
    console.error({
      event: "task_fault",
      taskId: this.ctx.id.toString(),
      faults: this.#faults,
      fault,
    });
    const error = faultError(fault, this.#faults);
    if (task !== null && error !== null) {
      this.#commit([{ type: "fail", attempt: task.attempt, error, calls: [] }]);
    }
    const limit = (task === null ? null : limitAt(task)) ?? Infinity;
    this.#arm(Math.min(limit, Date.now() + faultBackoffMs(this.#faults)));
  }

  /** The task for a viewer, with deadlines enforced; `not_found` for who may not see it. */
  #enter(viewer: Viewer): Result<Task, Failure> {
    const task = this.#settled();
    if (task === null || !maySeeTask(viewer, task)) {
      return fail({ kind: "not_found", what: "task", id: this.ctx.id.toString() });
    }
    if (!this.#inAlarm) this.#rearm();
    return ok(task);
  }

  /** The task after what time alone has done to it: a deadline holds even where an alarm is late. */
  #settled(): Task | null {
    const task = this.#load();
    const limit = task === null ? null : limitAt(task);
    if (limit === null || limit > Date.now()) return task;
    const decided = this.#commit([{ type: "tick" }]);
    return decided.ok ? decided.value.task : task;
  }

  #load(): Task | null {
    this.#task ??= this.#log.exists() ? fold(this.#log.read()) : null;
    return this.#task;
  }

  /** Decides commands one after the other and commits their events, all or none, with the wake-up. */
  #commit(
    commands: readonly Command[],
  ): Result<{ task: Task; events: readonly NewEvent[] }, Failure> {
    const now = Date.now();
    const before = this.#load();
    let task = before;
    const events: NewEvent[] = [];
    for (const command of commands) {
      const decided = decide(task, command, now);
      if (!decided.ok) return decided;
      for (const event of decided.value) {
        task = apply(task, { ...event, seq: (task?.seq ?? 0) + 1, at: now });
        events.push(event);
      }
    }
    if (task === null) throw new Error("No command makes a task out of nothing but create");
    if (events.length > 0) this.#append(before, task, events, now);
    return ok({ task, events });
  }

  #append(before: Task | null, task: Task, events: readonly NewEvent[], now: number): void {
    const alarmAt = this.#alarmAt;
    try {
      this.ctx.storage.transactionSync(() => {
        if (before === null) this.#log.makeTable();
        this.#log.append(events, before?.seq ?? 0, now);
        this.#armFor(task, now);
      });
    } catch (error) {
      this.#alarmAt = alarmAt;
      throw error;
    }
    this.#task = task;
  }

  /**
   * The wake-up that a commit owes; it also stands in for a directory row not yet written. Within an
   * alarm nothing need be set: the alarm is repeated until it returns, and it ends by arming the next.
   */
  #armFor(task: Task, now: number): void {
    if (this.#inAlarm) return;
    this.#arm(Math.min(nextWakeAt(task, this.#pace, now) ?? Infinity, now + PROJECTION_RETRY_MS));
  }

  /** Arms for whatever is owed, where nothing is armed. */
  #rearm(): void {
    if (this.#alarmAt === null) this.#armNext();
  }

  #armNext(): void {
    const task = this.#load();
    const wake = task === null ? null : nextWakeAt(task, this.#pace, Date.now());
    if (wake !== null) this.#arm(wake);
  }

  /** Sets the alarm unless one is set that comes no later: an early wake-up is cheaper than a row. */
  #arm(at: number): void {
    if (this.#alarmAt !== null && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    void this.ctx.storage.setAlarm(at);
  }

  /** Brings the directory up to this task, or sees to it that an alarm will. */
  async #publish(): Promise<void> {
    if (!(await this.#project())) this.#arm(Date.now() + PROJECTION_RETRY_MS);
  }

  /** False when the directory could not be reached in time. */
  async #project(): Promise<boolean> {
    const task = this.#load();
    if (task === null || task.listedSeq <= this.#projectedSeq) return true;
    const row = rowOf(this.ctx.id.toString(), task);
    try {
      await within(PROJECTION_WAIT_MS, putRow(database(this.env.DB), row));
      this.#projectedSeq = Math.max(this.#projectedSeq, row.seq);
      return true;
    } catch (fault) {
      console.warn({ event: "directory_behind", taskId: row.id, seq: row.seq, fault });
      return false;
    }
  }

  /** The end of retention: files first, so that a crash on the way leaves a log that knows of them. */
  async #purge(): Promise<void> {
    const id = this.ctx.id.toString();
    await deleteFiles(this.env.FILES, id);
    await deleteRow(database(this.env.DB), id);
    await this.ctx.storage.deleteAll();
    this.#task = null;
    this.#projectedSeq = 0;
  }
}

async function within<Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer in ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
