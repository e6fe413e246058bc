import { DurableObject } from "cloudflare:workers";
import type { StepRunner, TurnOutcome } from "../../executors/contract.ts";
import {
  assignShard,
  listDirectoryDatabases,
  readShardRange,
  type ShardRange,
} from "../../platform/d1/shards.ts";
import { raisesBudget } from "../model/budget.ts";
import { checkAgentBinding, findFirstVisibleSeq } from "../model/visibility.ts";
import { allowedActions } from "../model/transitions.ts";
import { toReportCommand, type TaskCommand, type WorkerReport } from "../model/command.ts";
import { checkPrecondition, type IfMatch } from "../../kernel/entity-tag.ts";
import type { TaskEventData } from "../model/events.ts";
import type { Failure } from "../../kernel/failure.ts";
import { fold } from "../model/fold.ts";
import { canSeeTask, type Viewer } from "../../keys/model/key.ts";
import { shouldStoreRenewal, renewLease, type LeaseGrant } from "../model/lease.ts";
import { WORK_EXEMPT_BYTES_MAX } from "../limits.ts";
import { slotOf } from "../model/slot.ts";
import { holdsLease } from "../model/guards.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { isTerminal, type Task, type ToolCall } from "../model/task.ts";
import { jsonSizeOf } from "../../kernel/json.ts";
import { decide } from "../model/decide.ts";
import { illegalTransition } from "../model/guards.ts";
import type { ExecutorTurn } from "../model/turn.ts";
import { checkCreatorUsage } from "../../keys/check-usage.ts";
import { SideState } from "./side-state.store.ts";
import { OutageTimer } from "./outage-timer.ts";
import { DueWork } from "./alarm-handler.ts";
import { readOutcome } from "../model/outcome.ts";
import { BudgetLedger } from "./budget-ledger.ts";
import { readTaskTiming } from "./timing.ts";
import type {
  SlotOffer,
  ClientCommand,
  CreatedTask,
  DeliverableContent,
  EventsPage,
  EventsQuery,
  TaskCallReservation,
  TaskRpc,
  TurnProgress,
} from "../task.rpc.ts";
import { DirectoryTarget } from "./directory-target.ts";
import { FeedTarget } from "./feed-target.ts";
import { QueueTarget } from "./queue-target.ts";
import { TaskStore } from "./task.store.ts";
import { AlarmHandler } from "./alarm-run.ts";
import { TurnDispatcher } from "./turn-dispatcher.ts";
import { Subscribers } from "./subscribers.ts";
import { Outbox } from "./outbox.ts";
import { acceptRequestIds } from "../../platform/request-id.ts";

/**
 * One task: the shell around its record. It commits what callers and the clock ask for, tells the
 * directory and the agent's queue, and has the work done. It judges nothing itself.
 */
export class TaskObject extends DurableObject<Env> implements TaskRpc {
  static {
    acceptRequestIds(this, (object) => object.#record.lastRequestId());
  }

  readonly #id: string;
  readonly #spread: ShardRange;
  readonly #watchers: Subscribers;
  readonly #beside: SideState;
  readonly #record: TaskStore;
  readonly #word: Outbox;
  readonly #turns: TurnDispatcher;
  readonly #outside: BudgetLedger;
  readonly #ring: AlarmHandler;

  constructor(ctx: DurableObjectState, env: Env, runStep: StepRunner) {
    super(ctx, env);
    this.#id = ctx.id.toString();
    this.#spread = readShardRange(env);
    const pace = readTaskTiming(env);
    this.#watchers = new Subscribers(ctx);
    this.#beside = new SideState(ctx.storage.kv);
    const record = new TaskStore(ctx.storage, this.#beside, pace, (task) => {
      this.#watchers.notify();
      feed.taskChanged(task);
    });
    const feed = new FeedTarget(env.FEED, this.#id, record);
    const projection = new DirectoryTarget(listDirectoryDatabases(env), this.#id, () =>
      record.log.bytes(),
    );
    const queue = new QueueTarget(env.QUEUES, this.#id);
    const turns = new TurnDispatcher(env.TURNS, this.#id, record, this.#beside);
    this.#record = record;
    this.#turns = turns;
    this.#word = new Outbox(record, { projection, queue, turns, feed });
    this.#outside = new BudgetLedger({
      taskId: this.#id,
      carryOut: (command) => this.#carryOut(command),
    });
    const faults = new OutageTimer(ctx.storage.kv);
    const parts = { record, beside: this.#beside, turns, outside: this.#outside, faults };
    const labour = new DueWork(env, runStep, this.#id, pace, { ...parts, queue, feed, projection });
    this.#ring = new AlarmHandler(record, labour, this.#word);
    if (record.needsAlarmRead()) void ctx.blockConcurrencyWhile(() => record.alarm.load());
  }

  async create(data: TaskEventData["created"]): Promise<Result<CreatedTask, Failure>> {
    if (this.#record.isDueForPurge()) return fail({ kind: "unavailable", what: "This task" });
    const shard = assignShard(this.#id, this.#spread);
    const placed = shard === 0 ? data : { ...data, shard };
    const decided = this.#record.commit([{ type: "create", data: placed }]);
    if (!decided.ok) return decided;
    await this.#word.publish(decided.value.task);
    const isFirst = decided.value.events.length > 0;
    return isFirst ? ok({ task: decided.value.task, replayed: false }) : ok(this.#replayed());
  }

  async replay(fingerprint: string): Promise<Result<CreatedTask | null, Failure>> {
    const task = this.#record.load();
    if (task === null || this.#record.isDueForPurge()) return ok(null);
    if (task.fingerprint !== fingerprint) return fail({ kind: "idempotency_key_reused" });
    return ok(this.#replayed());
  }

  async read(viewer: Viewer): Promise<Result<Task, Failure>> {
    const seqBefore = this.#record.load()?.seq;
    const entered = this.#enter(viewer);
    // A deadline that this very read enforced belongs in the lists as well.
    if (entered.ok && entered.value.seq !== seqBefore) await this.#word.publish(entered.value);
    return entered;
  }

  async deliverable(viewer: Viewer, name: string): Promise<Result<DeliverableContent, Failure>> {
    const entered = this.#enter(viewer);
    const outcome = entered.ok ? readOutcome(entered.value) : entered;
    if (!outcome.ok) return outcome;
    const file = outcome.value.deliverables.find((one) => one.name === name);
    if (file === undefined) return fail({ kind: "not_found", what: "deliverable", id: name });
    return ok({ file, held: this.#record.log.readFile(file) });
  }

  async command(
    viewer: Viewer,
    command: ClientCommand,
    ifMatch: IfMatch = null,
  ): Promise<Result<{ task: Task; before: Task }, Failure>> {
    const exceeded = await this.#exceededStorage(viewer, command, ifMatch);
    if (exceeded !== null) return fail(exceeded);
    const entered = this.#judge(viewer, command, ifMatch);
    if (!entered.ok) return entered;
    const decided = this.#record.commit([command]);
    if (!decided.ok) return decided;
    await this.#word.publish(decided.value.task);
    return ok({ task: decided.value.task, before: entered.value });
  }

  async reserveCall(
    viewer: Viewer,
    priceMax: number,
    turn: ExecutorTurn | null,
  ): Promise<Result<TaskCallReservation, Failure>> {
    const entered = this.#enter(viewer);
    if (!entered.ok) return entered;
    if (turn !== null && !this.#turns.isExpected(turn))
      return fail(illegalTransition(entered.value, "spend"));
    return this.#outside.reserve(entered.value, priceMax, turn === null);
  }

  async payCall(reserved: TaskCallReservation, call: ToolCall): Promise<void> {
    await this.#outside.pay(reserved, call);
  }

  async releaseCall(reserved: TaskCallReservation, tooDear: boolean): Promise<Failure | null> {
    return this.#outside.release(this.#record.loadCurrent(), reserved, tooDear);
  }

  async admit(agentId: string, grant: LeaseGrant | null): Promise<SlotOffer> {
    const task = this.#record.loadCurrent();
    if (task === null || this.#record.isDueForPurge()) return { admitted: false, isWorking: false };
    const decided = this.#record.commit([{ type: "admit", agentId, grant }]);
    if (!decided.ok || decided.value.events.length === 0) {
      const isWorking = task.agentId === agentId && slotOf(task) === "active";
      return { admitted: false, isWorking };
    }
    const { task: begun } = decided.value;
    // The queue waits for this answer, and the directory does not need it; an alarm publishes at its end.
    if (!this.#record.inAlarm) void this.#word.publish(begun);
    // Its agent works another way by now, and it goes to somebody else.
    if (slotOf(begun) !== "active") return { admitted: false, isWorking: false };
    return { admitted: true, task: begun, lease: begun.lease };
  }

  async release(agentId: string, reason: string): Promise<void> {
    if (this.#record.loadCurrent() === null) return;
    await this.#carryOut({ type: "release", agentId, reason });
  }

  async endLease(keyId: string): Promise<void> {
    if (this.#record.loadCurrent() === null) return;
    await this.#carryOut({ type: "endLease", keyId });
  }

  async report(
    viewer: Viewer,
    token: string,
    report: WorkerReport,
  ): Promise<Result<{ task: Task; isHeld: boolean }, Failure>> {
    const excess = await this.#exceededByWork(viewer, token, report);
    if (excess !== null) return fail(excess);
    const entered = this.#enter(viewer);
    if (!entered.ok) return entered;
    const decided = this.#record.commit([toReportCommand(token, report)]);
    if (!decided.ok) return decided;
    const now = Date.now();
    const { task } = decided.value;
    const isHeld = holdsLease(task, token, now);
    if (isHeld && task.lease !== null && shouldStoreRenewal(task.lease, now)) {
      this.#record.extendLease(task, renewLease(task.lease, now).expiresAt);
    }
    await this.#word.publish(task);
    return ok({ task: this.#record.load() ?? task, isHeld });
  }

  async beginTurn(turn: ExecutorTurn): Promise<Task | null> {
    return this.#turns.begin(turn);
  }

  async progressTurn(turn: ExecutorTurn, progress: TurnProgress): Promise<boolean> {
    return this.#turns.progress(turn, progress);
  }

  async endTurn(turn: ExecutorTurn, outcome: TurnOutcome): Promise<void> {
    await this.#turns.end(turn, outcome);
    const task = this.#record.load();
    if (task !== null) await this.#word.publish(task);
  }

  async events(viewer: Viewer, page: EventsQuery): Promise<Result<EventsPage, Failure>> {
    const entered = this.#enter(viewer);
    if (!entered.ok) return entered;
    const { limit, outlineUpTo } = page;
    // An outline is read whole, because it is folded into the task; its reader decides what to show.
    const first = outlineUpTo === undefined ? findFirstVisibleSeq(viewer, entered.value) : 0;
    const after = Math.max(page.after, first - 1);
    const events = this.#record.log.page(after, limit, outlineUpTo);
    const last = events.at(-1)?.seq ?? after;
    const more = last < Math.min(entered.value.seq, outlineUpTo ?? Infinity);
    return ok({ events, more, ended: !more && isTerminal(entered.value.status) });
  }

  /** A socket that says when there is something to read: RPC carries none, so this one call is a fetch. */
  override async fetch(): Promise<Response> {
    const socket = this.#record.load() === null ? null : this.#watchers.accept();
    return new Response(
      null,
      socket === null ? { status: 503 } : { status: 101, webSocket: socket },
    );
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#ring.run(info?.retryCount ?? 0);
  }

  /** The task for a client's command, unless something other than the task's status forbids the command. */
  #judge(viewer: Viewer, command: ClientCommand, ifMatch: IfMatch): Result<Task, Failure> {
    const entered = this.#enter(viewer);
    if (!entered.ok) return entered;
    if (viewer.agentId !== null && command.type === "respond") {
      const isRaise = raisesBudget(entered.value, command.response);
      if (isRaise) return fail({ kind: "budget_raise_denied" });
    }
    const unmet = checkPrecondition(ifMatch, "task", entered.value.seq);
    if (unmet !== null) return fail(unmet);
    const unbound = checkAgentBinding(viewer, command);
    return unbound === null ? entered : fail(unbound);
  }

  /** Why an update may not add to the task's stored bytes; null also if another rule forbids the update. */
  async #exceededStorage(
    viewer: Viewer,
    command: ClientCommand,
    ifMatch: IfMatch,
  ): Promise<Failure | null> {
    if (command.type !== "update") return null;
    const { context = null, notes = null } = command.change;
    if (context === null && notes === null) return null;
    const judged = this.#judge(viewer, command, ifMatch);
    if (!judged.ok || !allowedActions(judged.value.status).includes("update")) return null;
    const more = { liveTasks: 0, storedBytes: jsonSizeOf({ context, notes }) };
    return checkCreatorUsage(this.env, judged.value.createdBy, more);
  }

  /** The failure if a large `work` exceeds the creator key's limit; null also if another rule forbids the report. */
  async #exceededByWork(
    viewer: Viewer,
    token: string,
    report: WorkerReport,
  ): Promise<Failure | null> {
    const work = "work" in report ? report.work : null;
    const bytes = work === null ? 0 : jsonSizeOf(work);
    if (bytes <= WORK_EXEMPT_BYTES_MAX) return null;
    const entered = this.#enter(viewer);
    if (!entered.ok) return null;
    const command = toReportCommand(token, report);
    const decided = decide(entered.value, command, Date.now(), this.#record.log.bytes());
    if (!decided.ok || decided.value.length === 0) return null;
    const more = { liveTasks: 0, storedBytes: bytes };
    const failure = await checkCreatorUsage(this.env, entered.value.createdBy, more);
    return failure?.kind === "key_limit_reached" ? { ...failure, withoutWork: true } : failure;
  }

  /** A command of the task's own side: what no longer fits changes nothing. */
  async #carryOut(command: TaskCommand): Promise<void> {
    const decided = this.#record.commit([command]);
    if (decided.ok) await this.#word.publish(decided.value.task);
  }

  /** The task for a viewer, with deadlines enforced; `not_found` for who may not see it. */
  #enter(viewer: Viewer): Result<Task, Failure> {
    const task = this.#record.loadCurrent();
    // Not while an alarm rings: a later wake-up would take its place, and with it what it still owes.
    const isArmed = this.#ring.isRunning || this.#record.alarm.isSet();
    if (task !== null && !isArmed) this.#record.setNextAlarm(task);
    if (task === null || this.#record.isDueForPurge() || !canSeeTask(viewer, task)) {
      return fail({ kind: "not_found", what: "task", id: this.#id });
    }
    return ok(task);
  }

  /** What the first answer to Create task told. */
  #replayed(): CreatedTask {
    const task = fold(this.#record.log.page(0, 1));
    if (task === null) throw new Error("A task that was created must have a first event");
    return { task, replayed: true };
  }
}
