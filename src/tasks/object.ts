import { DurableObject } from "cloudflare:workers";
import type { TurnOutcome } from "../agents/executors/contract.ts";
import { shardsOf, spreadOf } from "../db/shards.ts";
import { raisesBudget } from "../domain/budget.ts";
import { bindingFailure } from "../domain/binding.ts";
import { allowedActions, type Command } from "../domain/commands.ts";
import { preconditionFailure, type IfMatch } from "../domain/entity-tag.ts";
import type { EventData } from "../domain/events.ts";
import type { Failure } from "../domain/failure.ts";
import { fold } from "../domain/fold.ts";
import { firstVisibleSeq } from "../domain/handover.ts";
import { maySeeTask, type Viewer } from "../domain/key.ts";
import { isWorthRenewing, renewed, type LeaseGrant } from "../domain/lease.ts";
import { WORK_UNLIMITED_BYTES_MAX } from "../domain/limits.ts";
import { placeOf } from "../domain/place.ts";
import { holds, type Report } from "../domain/report.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { shardFor, type Spread } from "../domain/shard.ts";
import { isTerminal, type Task, type ToolCall } from "../domain/task.ts";
import { jsonBytes } from "../domain/size.ts";
import { decide, illegal } from "../domain/transitions.ts";
import type { Turn } from "../domain/turn.ts";
import { creatorUsageFailure } from "../keys/usage.ts";
import { Beside } from "./beside.ts";
import { FaultSpell } from "./fault.ts";
import { Labour } from "./labour.ts";
import { outcomeOf } from "./outcome.ts";
import { OutsideCalls } from "./outside-calls.ts";
import { paceOf } from "./pace.ts";
import type {
  Admission,
  ClientCommand,
  Created,
  Delivered,
  EventsPage,
  EventsWanted,
  ReservedCall,
  TaskPort,
  TurnProgress,
} from "./port.ts";
import { Projection } from "./projection.ts";
import { FeedLink } from "./feed-link.ts";
import { QueueLink } from "./queue-link.ts";
import { TaskRecord } from "./record.ts";
import { Ring } from "./ring.ts";
import { TurnDesk } from "./turn-desk.ts";
import { Watchers } from "./watchers.ts";
import { Word } from "./word.ts";

/**
 * One task: the shell around its record. It commits what callers and the clock ask for, tells the
 * directory and the agent's queue, and has the work done. It judges nothing itself.
 */
export class TaskObject extends DurableObject<Env> implements TaskPort {
  readonly #id: string;
  readonly #spread: Spread;
  readonly #watchers: Watchers;
  readonly #beside: Beside;
  readonly #record: TaskRecord;
  readonly #word: Word;
  readonly #turns: TurnDesk;
  readonly #outside: OutsideCalls;
  readonly #ring: Ring;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#id = ctx.id.toString();
    this.#spread = spreadOf(env);
    const pace = paceOf(env);
    this.#watchers = new Watchers(ctx);
    this.#beside = new Beside(ctx.storage.kv);
    const record = new TaskRecord(ctx.storage, this.#beside, pace, (task) => {
      this.#watchers.nudge();
      feed.changed(task);
    });
    const feed = new FeedLink(env.FEED, this.#id, record);
    const projection = new Projection(shardsOf(env), this.#id, () => record.log.bytes());
    const queue = new QueueLink(env.QUEUES, this.#id);
    const turns = new TurnDesk(env.TURNS, this.#id, record, this.#beside);
    this.#record = record;
    this.#turns = turns;
    this.#word = new Word(record, { projection, queue, turns, feed });
    this.#outside = new OutsideCalls({
      taskId: this.#id,
      carryOut: (command) => this.#carryOut(command),
    });
    const faults = new FaultSpell(ctx.storage.kv);
    const parts = { record, beside: this.#beside, turns, outside: this.#outside, faults };
    const labour = new Labour(env, this.#id, pace, { ...parts, queue, feed, projection });
    this.#ring = new Ring(record, labour, this.#word);
    if (record.needsRecall()) void ctx.blockConcurrencyWhile(() => record.wakeUp.recall());
  }

  async create(data: EventData["created"]): Promise<Result<Created, Failure>> {
    if (this.#record.isDueForPurge()) return fail({ kind: "unavailable", what: "This task" });
    const shard = shardFor(this.#id, this.#spread);
    const placed = shard === 0 ? data : { ...data, shard };
    const decided = this.#record.commit([{ type: "create", data: placed }]);
    if (!decided.ok) return decided;
    await this.#word.spread(decided.value.task);
    const isFirst = decided.value.events.length > 0;
    return isFirst ? ok({ task: decided.value.task, replayed: false }) : ok(this.#replayed());
  }

  async replay(fingerprint: string): Promise<Result<Created | null, Failure>> {
    const task = this.#record.load();
    if (task === null || this.#record.isDueForPurge()) return ok(null);
    if (task.fingerprint !== fingerprint) return fail({ kind: "idempotency_key_reused" });
    return ok(this.#replayed());
  }

  async read(viewer: Viewer): Promise<Result<Task, Failure>> {
    const seqBefore = this.#record.load()?.seq;
    const entered = this.#enter(viewer);
    // A deadline that this very read enforced belongs in the lists as well.
    if (entered.ok && entered.value.seq !== seqBefore) await this.#word.spread(entered.value);
    return entered;
  }

  async deliverable(viewer: Viewer, name: string): Promise<Result<Delivered, Failure>> {
    const entered = this.#enter(viewer);
    const outcome = entered.ok ? outcomeOf(entered.value) : entered;
    if (!outcome.ok) return outcome;
    const file = outcome.value.deliverables.find((one) => one.name === name);
    if (file === undefined) return fail({ kind: "not_found", what: "deliverable", id: name });
    return ok({ file, held: this.#record.log.bytesOf(file) });
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
    await this.#word.spread(decided.value.task);
    return ok({ task: decided.value.task, before: entered.value });
  }

  async reserveCall(
    viewer: Viewer,
    priceMax: number,
    turn: Turn | null,
  ): Promise<Result<ReservedCall, Failure>> {
    const entered = this.#enter(viewer);
    if (!entered.ok) return entered;
    if (turn !== null && !this.#turns.isAwaited(turn)) return fail(illegal(entered.value, "spend"));
    return this.#outside.reserve(entered.value, priceMax, turn === null);
  }

  async payCall(reserved: ReservedCall, call: ToolCall): Promise<void> {
    await this.#outside.pay(reserved, call);
  }

  async releaseCall(reserved: ReservedCall, tooDear: boolean): Promise<Failure | null> {
    return this.#outside.release(this.#record.settled(), reserved, tooDear);
  }

  async admit(agentId: string, grant: LeaseGrant | null): Promise<Admission> {
    const task = this.#record.settled();
    if (task === null || this.#record.isDueForPurge()) return { admitted: false, isWorking: false };
    const decided = this.#record.commit([{ type: "admit", agentId, grant }]);
    if (!decided.ok || decided.value.events.length === 0) {
      const isWorking = task.agentId === agentId && placeOf(task) === "held";
      return { admitted: false, isWorking };
    }
    const { task: begun } = decided.value;
    // The queue waits for this answer, and the directory does not need it; an alarm publishes at its end.
    if (!this.#record.inAlarm) void this.#word.spread(begun);
    // Its agent works another way by now, and it goes to somebody else.
    if (placeOf(begun) !== "held") return { admitted: false, isWorking: false };
    return { admitted: true, task: begun, lease: begun.lease };
  }

  async release(agentId: string, reason: string): Promise<void> {
    if (this.#record.settled() === null) return;
    await this.#carryOut({ type: "release", agentId, reason });
  }

  async endLease(keyId: string): Promise<void> {
    if (this.#record.settled() === null) return;
    await this.#carryOut({ type: "endLease", keyId });
  }

  async report(
    viewer: Viewer,
    token: string,
    report: Report,
  ): Promise<Result<{ task: Task; isHeld: boolean }, Failure>> {
    const excess = await this.#exceededByWork(viewer, token, report);
    if (excess !== null) return fail(excess);
    const entered = this.#enter(viewer);
    if (!entered.ok) return entered;
    const decided = this.#record.commit([{ type: "report", token, report }]);
    if (!decided.ok) return decided;
    const now = Date.now();
    const { task } = decided.value;
    const isHeld = holds(task, token, now);
    if (isHeld && task.lease !== null && isWorthRenewing(task.lease, now)) {
      this.#record.extend(task, renewed(task.lease, now).expiresAt);
    }
    await this.#word.spread(task);
    return ok({ task: this.#record.load() ?? task, isHeld });
  }

  async beginTurn(turn: Turn): Promise<Task | null> {
    return this.#turns.begin(turn);
  }

  async progressTurn(turn: Turn, progress: TurnProgress): Promise<boolean> {
    return this.#turns.progress(turn, progress);
  }

  async endTurn(turn: Turn, outcome: TurnOutcome): Promise<void> {
    await this.#turns.end(turn, outcome);
    const task = this.#record.load();
    if (task !== null) await this.#word.spread(task);
  }

  async events(viewer: Viewer, page: EventsWanted): Promise<Result<EventsPage, Failure>> {
    const entered = this.#enter(viewer);
    if (!entered.ok) return entered;
    const { limit, outlineUpTo } = page;
    // An outline is read whole, because it is folded into the task; its reader decides what to show.
    const first = outlineUpTo === undefined ? firstVisibleSeq(viewer, entered.value) : 0;
    const after = Math.max(page.after, first - 1);
    const events = this.#record.log.page(after, limit, outlineUpTo);
    const last = events.at(-1)?.seq ?? after;
    const more = last < Math.min(entered.value.seq, outlineUpTo ?? Infinity);
    return ok({ events, more, ended: !more && isTerminal(entered.value.status) });
  }

  /** A socket that says when there is something to read: RPC carries none, so this one call is a fetch. */
  override async fetch(): Promise<Response> {
    const socket = this.#record.load() === null ? null : this.#watchers.admit();
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
    const unmet = preconditionFailure(ifMatch, "task", entered.value.seq);
    if (unmet !== null) return fail(unmet);
    const unbound = bindingFailure(viewer, command);
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
    const more = { liveTasks: 0, storedBytes: jsonBytes({ context, notes }) };
    return creatorUsageFailure(this.env, judged.value.createdBy, more);
  }

  /** The failure if a large `work` exceeds the creator key's limit; null also if another rule forbids the report. */
  async #exceededByWork(viewer: Viewer, token: string, report: Report): Promise<Failure | null> {
    const work = "work" in report ? report.work : null;
    const bytes = work === null ? 0 : jsonBytes(work);
    if (bytes <= WORK_UNLIMITED_BYTES_MAX) return null;
    const entered = this.#enter(viewer);
    if (!entered.ok) return null;
    const command: Command = { type: "report", token, report };
    const decided = decide(entered.value, command, Date.now(), this.#record.log.bytes());
    if (!decided.ok || decided.value.length === 0) return null;
    const more = { liveTasks: 0, storedBytes: bytes };
    const failure = await creatorUsageFailure(this.env, entered.value.createdBy, more);
    return failure?.kind === "key_limit_reached" ? { ...failure, withoutWork: true } : failure;
  }

  /** A command of the task's own side: what no longer fits changes nothing. */
  async #carryOut(command: Command): Promise<void> {
    const decided = this.#record.commit([command]);
    if (decided.ok) await this.#word.spread(decided.value.task);
  }

  /** The task for a viewer, with deadlines enforced; `not_found` for who may not see it. */
  #enter(viewer: Viewer): Result<Task, Failure> {
    const task = this.#record.settled();
    // Not while an alarm rings: a later wake-up would take its place, and with it what it still owes.
    const isArmed = this.#ring.isOn || this.#record.wakeUp.isSet();
    if (task !== null && !isArmed) this.#record.armNext(task);
    if (task === null || this.#record.isDueForPurge() || !maySeeTask(viewer, task)) {
      return fail({ kind: "not_found", what: "task", id: this.#id });
    }
    return ok(task);
  }

  /** What the first answer to Create task told. */
  #replayed(): Created {
    const task = fold(this.#record.log.page(0, 1));
    if (task === null) throw new Error("A task that was created must have a first event");
    return { task, replayed: true };
  }
}
