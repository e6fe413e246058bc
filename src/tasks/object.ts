import { DurableObject } from "cloudflare:workers";
import { limitAt, nextWakeAt, purgeAt, workDueAt, type Pace } from "../domain/clockwork.ts";
import type { Command } from "../domain/commands.ts";
import type { EventData, NewEvent, TaskEvent } from "../domain/events.ts";
import type { Failure } from "../domain/failure.ts";
import { apply, fold } from "../domain/fold.ts";
import { maySeeTask, type Viewer } from "../domain/key.ts";
import { ALARM_RETRIES_MAX, PROJECTION_RETRY_MS, STEP_TIMEOUT_MS } from "../domain/limits.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { isTerminal, type Task, type TaskError, type ToolCall } from "../domain/task.ts";
import { decide } from "../domain/transitions.ts";
import { faultBackoffMs, faultError, FaultSpell, STEP_CRASHED } from "./fault.ts";
import { deleteFiles } from "./files.ts";
import { TaskLog } from "./log.ts";
import { OutsideCalls } from "./outside-calls.ts";
import { paceOf } from "./pace.ts";
import type { ClientCommand, Created, ReservedCall, TaskPort } from "./port.ts";
import { Projection } from "./projection.ts";
import { WakeUp } from "./wake-up.ts";
import { within } from "./within.ts";
import { work } from "./work.ts";

/**
 * One task: the shell around its log. Each change is load, decide, append and set the wake-up in one
 * transaction, publish; nothing is awaited between load and append. It judges nothing itself.
 */
export class TaskObject extends DurableObject<Env> implements TaskPort {
  readonly #id: string;
  readonly #log: TaskLog;
  readonly #pace: Pace;
  readonly #wakeUp: WakeUp;
  readonly #projection: Projection;
  readonly #faults: FaultSpell;
  readonly #outside: OutsideCalls;
  /** The folded log; undefined until it is first read. */
  #task: Task | null | undefined;
  /** While an alarm runs it stands for the wake-up: the platform repeats it until it returns. */
  #inAlarm = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#id = ctx.id.toString();
    this.#log = new TaskLog(ctx.storage.sql);
    this.#pace = paceOf(env);
    this.#wakeUp = new WakeUp(ctx.storage);
    this.#projection = new Projection(env.DB, this.#id);
    this.#faults = new FaultSpell(ctx.storage.kv);
    this.#outside = new OutsideCalls({
      taskId: this.#id,
      carryOut: (command) => this.#carryOut(command),
    });
    void ctx.blockConcurrencyWhile(() => this.#wakeUp.recall());
  }

  async create(data: EventData["created"]): Promise<Result<Created, Failure>> {
    if (this.#isDueForPurge()) return fail({ kind: "unavailable", what: "This task" });
    const decided = this.#commit([{ type: "create", data }]);
    if (!decided.ok) return decided;
    await this.#projection.publish(decided.value.task);
    return ok(this.#created(decided.value.events.length === 0));
  }

  async replay(fingerprint: string): Promise<Result<Created | null, Failure>> {
    const task = this.#load();
    if (task === null || this.#isDueForPurge()) return ok(null);
    if (task.fingerprint !== fingerprint) return fail({ kind: "idempotency_key_reused" });
    return ok(this.#created(true));
  }

  async read(viewer: Viewer): Promise<Result<Task, Failure>> {
    const seqBefore = this.#load()?.seq;
    const entered = this.#enter(viewer);
    // A deadline that this very read enforced belongs in the lists as well.
    if (entered.ok && entered.value.seq !== seqBefore) {
      await this.#projection.publish(entered.value);
    }
    return entered;
  }

  async command(
    viewer: Viewer,
    command: ClientCommand,
  ): Promise<Result<{ task: Task; before: Task }, Failure>> {
    const entered = this.#enter(viewer);
    if (!entered.ok) return entered;
    const decided = this.#commit([command]);
    if (!decided.ok) return decided;
    await this.#projection.publish(decided.value.task);
    return ok({ task: decided.value.task, before: entered.value });
  }

  async reserveCall(viewer: Viewer, priceMax: number): Promise<Result<ReservedCall, Failure>> {
    const entered = this.#enter(viewer);
    return entered.ok ? this.#outside.reserve(entered.value, priceMax) : entered;
  }

  async payCall(reserved: ReservedCall, call: ToolCall): Promise<void> {
    await this.#outside.pay(reserved, call);
  }

  async releaseCall(reserved: ReservedCall, tooDear: boolean): Promise<Failure | null> {
    return this.#outside.release(this.#settled(), reserved, tooDear);
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

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    this.#wakeUp.fired();
    this.#inAlarm = true;
    let pauseMs: number | null = null;
    try {
      // An exception is absorbed below; what comes back as a retry has ended the whole object.
      if ((info?.retryCount ?? 0) > ALARM_RETRIES_MAX) this.#giveUp(STEP_CRASHED);
      await this.#advance();
    } catch (fault) {
      pauseMs = this.#absorb(fault);
    } finally {
      this.#inAlarm = false;
    }
    const task = this.#settled();
    if (task !== null) await this.#projection.publish(task);
    this.#armOwed(pauseMs);
  }

  /** A command of the task's own side: what no longer fits changes nothing. */
  async #carryOut(command: Command): Promise<void> {
    const decided = this.#commit([command]);
    if (decided.ok) await this.#projection.publish(decided.value.task);
  }

  /** Does whatever is owed at this moment, at most one step of work. */
  async #advance(): Promise<void> {
    const task = this.#settled();
    if (task === null) return;
    if (this.#isDueForPurge()) return this.#purge(task);
    const due = workDueAt(task, this.#pace, task.steppedAt);
    if (due !== null && due <= Date.now()) await this.#work(task);
  }

  /** Assigning and starting take no time of their own; a step of the agent ends the alarm. */
  async #work(before: Task): Promise<void> {
    let task: Task | null = before;
    while (task !== null) {
      const timeoutMs = Math.min(STEP_TIMEOUT_MS, (limitAt(task) ?? Infinity) - Date.now());
      const purse = this.#outside.stepPurse(() => this.#load() ?? before);
      const step = work(this.env, this.#id, task, purse);
      const { commands, calls, isStep, fault } = await within(timeoutMs, step);
      const decided = this.#commitWork(task.attempt, commands, calls);
      if (decided === null) return;
      if (fault !== null) throw fault.cause;
      this.#faults.end();
      if (!decided.ok || decided.value.events.length === 0 || isStep) return;
      task = decided.value.task.status === "in_progress" ? decided.value.task : null;
    }
  }

  /**
   * The world may have moved during the work: what no longer fits changes nothing, but for the calls
   * that were made. Null when the attempt is over.
   */
  #commitWork(
    attempt: number,
    commands: readonly Command[],
    calls: readonly ToolCall[],
  ): Result<{ task: Task; events: readonly NewEvent[] }, Failure> | null {
    const isOver = this.#settled()?.attempt !== attempt;
    const decided = isOver ? null : this.#commit(commands);
    if (decided?.ok !== true && calls.length > 0 && this.#load() !== null) {
      this.#commit(calls.map((call) => ({ type: "spend", call })));
    }
    this.#outside.endStep();
    return decided;
  }

  /** A passing fault of the platform: answers how long to pause; when it lasts too long, gives up. */
  #absorb(fault: unknown): number | null {
    const task = this.#settled();
    if (task === null || isTerminal(task.status)) return null;
    const lastedMs = this.#faults.go(Date.now());
    console.error({ event: "task_fault", taskId: this.#id, lastedMs, fault });
    const error = faultError(fault, lastedMs);
    if (error === null) return faultBackoffMs(lastedMs);
    this.#giveUp(error);
    return null;
  }

  #giveUp(error: TaskError): void {
    const task = this.#load();
    if (task === null) return;
    this.#commit([{ type: "fail", attempt: task.attempt, error, calls: [] }]);
    this.#faults.end();
  }

  /** The task for a viewer, with deadlines enforced; `not_found` for who may not see it. */
  #enter(viewer: Viewer): Result<Task, Failure> {
    const task = this.#settled();
    if (task === null || this.#isDueForPurge() || !maySeeTask(viewer, task)) {
      return fail({ kind: "not_found", what: "task", id: this.#id });
    }
    if (!this.#inAlarm && !this.#wakeUp.isSet()) this.#armNext(task);
    return ok(task);
  }

  /** The task after what time alone has done to it: a deadline holds even where an alarm is late. */
  #settled(): Task | null {
    const task = this.#load();
    if (task === null || this.#limit() > Date.now()) return task;
    const decided = this.#commit([{ type: "tick" }]);
    return decided.ok ? decided.value.task : task;
  }

  #limit(): number {
    const task = this.#load();
    return (task === null ? null : limitAt(task)) ?? Infinity;
  }

  #load(): Task | null {
    this.#task ??= this.#log.exists() ? fold(this.#log.read()) : null;
    return this.#task;
  }

  /** What the first answer to Create task told. */
  #created(replayed: boolean): Created {
    const task = fold(this.#log.page(0, 1));
    if (task === null) throw new Error("A task that was created must have a first event");
    return { task, replayed };
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

  /** Outside an alarm the wake-up also stands in for the directory row, which is written after this. */
  #append(before: Task | null, task: Task, events: readonly NewEvent[], now: number): void {
    const undo = this.#wakeUp.undo();
    try {
      this.ctx.storage.transactionSync(() => {
        if (before === null) this.#log.makeTable();
        this.#log.append(events, before?.seq ?? 0, now);
        if (this.#inAlarm) return;
        const wake = nextWakeAt(task, this.#pace, now) ?? Infinity;
        this.#wakeUp.set(Math.min(wake, now + PROJECTION_RETRY_MS));
      });
    } catch (error) {
      undo();
      throw error;
    }
    this.#task = task;
  }

  /** What an alarm leaves behind: a wake-up for the next thing owed, a row still behind included. */
  #armOwed(pauseMs: number | null): void {
    const task = this.#load();
    if (task === null) return;
    const now = Date.now();
    if (this.#projection.isBehind(task)) this.#wakeUp.set(now + PROJECTION_RETRY_MS);
    if (pauseMs === null) this.#armNext(task);
    else this.#wakeUp.set(Math.min(now + pauseMs, this.#limit()));
  }

  #armNext(task: Task): void {
    const wake = nextWakeAt(task, this.#pace, Date.now());
    if (wake !== null) this.#wakeUp.set(wake);
  }

  /** From then on nobody meets the task, so that nothing is written to what is being deleted. */
  #isDueForPurge(): boolean {
    const task = this.#load();
    const at = task === null ? null : purgeAt(task, this.#pace);
    return at !== null && at <= Date.now();
  }

  /** The end of retention: the log goes last, so that after a crash it still tells what to delete. */
  async #purge(task: Task): Promise<void> {
    await deleteFiles(this.env.FILES, this.#id);
    await this.#projection.remove(task);
    await this.ctx.storage.deleteAll();
    this.#task = null;
  }
}
