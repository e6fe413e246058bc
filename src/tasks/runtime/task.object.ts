import { DurableObject } from "cloudflare:workers";
import type { StepRunner, TurnOutcome } from "../../executors/contract.ts";
import type { IfMatch } from "../../kernel/entity-tag.ts";
import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { assignShard, readShardRange } from "../../platform/d1/client.ts";
import { acceptRequestIds } from "../../platform/request-id.ts";
import { respondWithSocket, Subscribers } from "../../platform/subscribers.ts";
import {
  RECORDED_CALLS_BYTES_MAX,
  RECORDED_CALLS_PER_TASK_MAX,
  SUBSCRIBERS_PER_TASK_MAX,
} from "../limits.ts";
import {
  shortenCall,
  type CallRecord,
  type CallSelection,
  type RejectedCall,
  type ReservedCall,
  type TaskCall,
} from "../model/call-record.ts";
import type { ApprovalDraft, ApprovalReceipt } from "../../tools/model/invocation.ts";
import type { CommandSender } from "../model/author.ts";
import type { WorkerReport } from "../model/command.ts";
import type { TaskEventData } from "../model/events.ts";
import { illegalTransition } from "../model/guards.ts";
import type { LeaseGrant } from "../model/lease.ts";
import { selectRecordedCalls, type RecordedCalls } from "../model/recorded-call.ts";
import type { ApprovalSettlement, Task, ToolCall } from "../model/task.ts";
import { withRetriedTurn, type ExecutorTurn } from "../model/turn.ts";
import { findFirstVisibleSeq } from "../model/visibility.ts";
import type { VisibleCalls } from "./call-records.store.ts";
import type {
  CallsPage,
  ClientCommand,
  CommandResult,
  CreatedTask,
  DeliverableContent,
  EventsPage,
  EventsQuery,
  ReportResult,
  AdmissionResult,
  TaskCallReservation,
  TaskRpc,
  TurnProgress,
} from "../task.rpc.ts";
import { AlarmHandler } from "./alarm-handler.ts";
import { BudgetLedger } from "./budget-ledger.ts";
import { runClientCommand, runWorkerReport } from "./client-commands.ts";
import { holdTask, withPause } from "./hold-task.ts";
import { Outbox } from "./outbox.ts";
import { TaskApprovals } from "./task-approvals.ts";
import { TaskStore } from "./task.store.ts";
import { readAlarmRunMaxMs, readTaskTiming } from "../model/schedule.ts";
import { TurnDispatcher } from "./turn-dispatcher.ts";

/** The Durable Object of one task: its RPC methods and its alarm. */
export class TaskObject extends DurableObject<Env> implements TaskRpc {
  static {
    acceptRequestIds(this, (object) => object.#store.lastRequestId());
  }

  readonly #store: TaskStore;
  readonly #outbox: Outbox;
  readonly #turnDispatcher: TurnDispatcher;
  readonly #budgetLedger: BudgetLedger;
  readonly #approvals: TaskApprovals;
  readonly #subscribers: Subscribers;
  readonly #runStep: StepRunner;
  readonly #alarmRunMaxMs: number;

  constructor(ctx: DurableObjectState, env: Env, runStep: StepRunner) {
    super(ctx, env);
    const taskId = ctx.id.toString();
    this.#store = new TaskStore(taskId, ctx.storage, readTaskTiming(env));
    this.#subscribers = new Subscribers(ctx, SUBSCRIBERS_PER_TASK_MAX);
    this.#turnDispatcher = new TurnDispatcher(env.TURNS, taskId, this.#store);
    this.#outbox = new Outbox(env, taskId, this.#store, this.#subscribers);
    this.#budgetLedger = new BudgetLedger(taskId, this.#store, this.#outbox);
    this.#approvals = new TaskApprovals(env.APPROVALS, taskId, this.#store);
    this.#runStep = runStep;
    this.#alarmRunMaxMs = readAlarmRunMaxMs(env);
    if (this.#store.mustLoadAlarm()) void ctx.blockConcurrencyWhile(() => this.#store.loadAlarm());
  }

  async create(data: TaskEventData["created"]): Promise<Result<CreatedTask, Failure>> {
    const shard = assignShard(this.ctx.id.toString(), readShardRange(this.env));
    const created = this.#store.create(shard === 0 ? data : { ...data, shard });
    await this.#publish(created.ok);
    return created;
  }

  async replay(fingerprint: string): Promise<Result<CreatedTask | null, Failure>> {
    return this.#store.replay(fingerprint);
  }

  async read(viewer: Viewer): Promise<Result<Task, Failure>> {
    const before = this.#store.load();
    const task = this.#store.loadVisible(viewer);
    // Loading the task can enforce a time limit.
    await this.#publish(task.ok && task.value !== before);
    if (!task.ok) return task;
    const shown = withRetriedTurn(task.value, this.#store.sideState.get("turn"));
    return ok(await withPause(this.#store, this.env, shown));
  }

  async deliverable(viewer: Viewer, name: string): Promise<Result<DeliverableContent, Failure>> {
    return this.#store.readDeliverable(viewer, name);
  }

  async command(
    sender: CommandSender,
    command: ClientCommand,
    ifMatch: IfMatch = null,
  ): Promise<Result<CommandResult, Failure>> {
    const result = await runClientCommand(this.#store, this.env, sender, command, ifMatch);
    await this.#publish(result.ok);
    return result;
  }

  async reserveCall(
    viewer: Viewer,
    priceMax: number,
    turn: ExecutorTurn | null,
    call: ReservedCall | null = null,
    approvalId: string | null = null,
  ): Promise<Result<TaskCallReservation, Failure>> {
    const task = this.#store.loadVisible(viewer);
    if (!task.ok) return task;
    if (approvalId !== null)
      return this.#budgetLedger.reserveApproved(task.value, priceMax, call, approvalId);
    const isExpected = turn === null || this.#turnDispatcher.isExpected(turn);
    if (isExpected) {
      return this.#budgetLedger.reserve(task.value, priceMax, turn === null, call);
    }
    const failure = illegalTransition(task.value, "spend");
    this.#budgetLedger.reject(task.value, call?.started ?? null, failure);
    return fail(failure);
  }

  async payCall(
    reserved: TaskCallReservation,
    call: ToolCall,
    record: CallRecord | null = null,
  ): Promise<void> {
    await this.#budgetLedger.commit(reserved, call, record);
  }

  async releaseCall(
    reserved: TaskCallReservation,
    isTooExpensive: boolean,
    record: CallRecord | null = null,
  ): Promise<Failure | null> {
    return this.#budgetLedger.release(reserved, isTooExpensive, record);
  }

  async requestApproval(
    viewer: Viewer,
    turn: ExecutorTurn | null,
    draft: ApprovalDraft,
  ): Promise<Result<ApprovalReceipt, Failure>> {
    const task = this.#store.loadVisible(viewer);
    if (!task.ok) return task;
    if (turn !== null && !this.#turnDispatcher.isExpected(turn))
      return fail(illegalTransition(task.value, "spend"));
    const receipt = await this.#approvals.request(draft, turn === null);
    await this.#publish(true);
    return receipt;
  }

  async settleApproval(settlement: ApprovalSettlement): Promise<boolean> {
    const isKnown = this.#approvals.settle(settlement);
    await this.#publish(isKnown);
    return isKnown;
  }

  async recordRejectedCall(viewer: Viewer, call: RejectedCall): Promise<void> {
    const task = this.#store.loadVisible(viewer);
    if (task.ok) this.#budgetLedger.recordRejected(task.value, call);
  }

  async listCalls(viewer: Viewer, selection: CallSelection): Promise<Result<CallsPage, Failure>> {
    const task = this.#store.loadVisible(viewer);
    if (!task.ok) return task;
    const visible = visibleCallsOf(viewer, task.value);
    const { calls, hasMore } = this.#store.log.calls.list(selection, visible, Date.now());
    return ok({ calls: calls.map(shortenCall), hasMore });
  }

  async readCall(viewer: Viewer, callId: string): Promise<Result<TaskCall, Failure>> {
    const task = this.#store.loadVisible(viewer);
    if (!task.ok) return task;
    const visible = visibleCallsOf(viewer, task.value);
    const call = this.#store.log.calls.find(callId, visible, Date.now());
    return call === null ? fail({ kind: "not_found", what: "call", id: callId }) : ok(call);
  }

  async readRecordedCalls(
    viewer: Viewer,
    { from, to }: { readonly from: number; readonly to: number },
    toolIds: readonly string[] | null,
  ): Promise<Result<RecordedCalls, Failure>> {
    const task = this.#store.loadVisible(viewer);
    if (!task.ok) return task;
    const before = { startedAt: to - 1, id: "" };
    const selection = { outcome: null, before, limit: RECORDED_CALLS_PER_TASK_MAX };
    const visible = visibleCallsOf(viewer, task.value);
    const { calls, hasMore } = this.#store.log.calls.list(selection, visible, Date.now());
    const records = calls.map(({ record }) => record);
    const bytesMax = RECORDED_CALLS_BYTES_MAX;
    return ok(selectRecordedCalls(records, hasMore, { from, toolIds, bytesMax }));
  }

  async admit(agentId: string, grant: LeaseGrant | null): Promise<AdmissionResult> {
    const before = this.#store.load();
    const offer = this.#store.admit(agentId, grant);
    // Do not wait here, because the queue is waiting for this response. An alarm run publishes at its end.
    if (this.#store.alarmRun !== "working") void this.#publish(this.#store.load() !== before);
    return offer;
  }

  async release(agentId: string, reason: string): Promise<void> {
    await this.#publish(this.#store.commitIfExists({ type: "release", agentId, reason }));
  }

  async endLease(keyId: string): Promise<void> {
    await this.#publish(this.#store.commitIfExists({ type: "endLease", keyId }));
  }

  async hold(agentId: string): Promise<void> {
    await this.#publish(holdTask(this.#store, agentId));
  }

  async report(
    viewer: Viewer,
    token: string,
    report: WorkerReport,
  ): Promise<Result<ReportResult, Failure>> {
    const result = await runWorkerReport(this.#store, this.env, viewer, token, report);
    await this.#publish(result.ok);
    return result;
  }

  async beginTurn(turn: ExecutorTurn): Promise<Task | null> {
    return this.#turnDispatcher.begin(turn);
  }

  async progressTurn(turn: ExecutorTurn, progress: TurnProgress): Promise<boolean> {
    return this.#turnDispatcher.progress(turn, progress);
  }

  async endTurn(turn: ExecutorTurn, outcome: TurnOutcome): Promise<void> {
    await this.#turnDispatcher.end(turn, outcome);
    await this.#publish(true);
  }

  async events(viewer: Viewer, query: EventsQuery): Promise<Result<EventsPage, Failure>> {
    return this.#store.listEvents(viewer, query);
  }

  /** Opens a subscriber's WebSocket. Uses `fetch` because RPC cannot transfer WebSockets. */
  override async fetch(): Promise<Response> {
    return respondWithSocket(this.#store.load() === null ? null : this.#subscribers.accept(null));
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    const handler = new AlarmHandler(this.env, this.ctx.id.toString(), {
      store: this.#store,
      outbox: this.#outbox,
      turnDispatcher: this.#turnDispatcher,
      budgetLedger: this.#budgetLedger,
      approvals: this.#approvals,
      runStep: this.#runStep,
      alarmRunMaxMs: this.#alarmRunMaxMs,
    });
    await handler.run(info?.retryCount ?? 0);
  }

  /** Publishes the task's changes before the response is sent, so the client finds them in lists. */
  async #publish(isChanged: boolean): Promise<void> {
    const task = isChanged ? this.#store.load() : null;
    if (task !== null) await this.#outbox.publish(task);
  }
}

function visibleCallsOf(viewer: Viewer, task: Task): VisibleCalls {
  return { firstSeq: findFirstVisibleSeq(viewer, task), agentId: viewer.agentId };
}
