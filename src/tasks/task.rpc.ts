import type { TurnOutcome } from "../executors/contract.ts";
import type { IfMatch } from "../kernel/entity-tag.ts";
import type { ApprovalDraft, ApprovalReceipt } from "../tools/model/invocation.ts";
import type { CommandSender } from "./model/author.ts";
import type { TaskEventData, TaskEvent } from "./model/events.ts";
import type { Failure } from "../kernel/failure.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Viewer } from "../keys/model/key.ts";
import type { Lease, LeaseGrant } from "./model/lease.ts";
import type {
  CallRecord,
  CallSelection,
  RejectedCall,
  ReservedCall,
  TaskCall,
} from "./model/call-record.ts";
import type { TaskCommand, WorkerReport } from "./model/command.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import type { RecordedCalls } from "./model/recorded-call.ts";
import type { ApprovalSettlement, Deliverable, Task, ToolCall } from "./model/task.ts";
import type { ExecutorTurn } from "./model/turn.ts";
import { withRequestId } from "../platform/request-id.ts";
import { openChangeSocket } from "../platform/subscribers.ts";

/** The commands that clients can send to an existing task. */
export type ClientCommand = Extract<
  TaskCommand,
  { type: "respond" | "review" | "cancel" | "retry" | "update" | "rate" }
>;

/** The task as it was created. `replayed`: whether an earlier request created it. */
export interface CreatedTask {
  readonly task: Task;
  readonly replayed: boolean;
}

/** A deliverable. `held`: its bytes if they are stored in the log; null if they are in R2. */
export interface DeliverableContent {
  readonly file: Deliverable;
  readonly held: Uint8Array | null;
}

/** A reservation of the task's budget for one call. */
export interface TaskCallReservation {
  readonly reservationId: string;
  /** The maximum cost of the call, in US dollars; null: unlimited. */
  readonly costMax: number | null;
  /**
   * Whether the service blocks the task if the budget is used up. If an agent's turn makes the call, the turn itself
   * blocks the task and saves its work.
   */
  readonly blocks: boolean;
  /** The attempt that makes the call. Only this attempt can be blocked. */
  readonly attempt: number;
}

/** The effect of a command. `before`: the task before the command. */
export interface CommandResult {
  readonly task: Task;
  readonly before: Task;
}

/** `isHeld`: whether the worker still holds the task. */
export interface ReportResult {
  readonly task: Task;
  readonly isHeld: boolean;
}

/** The task's response when its agent's queue offers it a slot. */
export type AdmissionResult =
  | { readonly admitted: true; readonly task: Task; readonly lease: Lease | null }
  /** The task is not waiting for this agent. `isWorking`: whether the task already has a slot in the agent's queue. */
  | { readonly admitted: false; readonly isWorking: boolean };

/** The progress that a turn saves before it ends. */
export interface TurnProgress {
  readonly progress: number;
  readonly phase: string;
  readonly work: JsonObject;
}

export interface EventsQuery {
  readonly after: number;
  readonly limit: number;
  /** If set, only a summary of the log up to this `seq` is returned, without usage events and superseded progress. */
  readonly summaryUpTo?: number;
}

export interface CallsPage {
  readonly calls: readonly TaskCall[];
  readonly hasMore: boolean;
}

export interface EventsPage {
  readonly events: TaskEvent[];
  readonly more: boolean;
  /** Whether the task has ended and these are its last events. */
  readonly ended: boolean;
}

/** The RPC methods of a task's object. A viewer without access to the task gets `not_found`. */
export interface TaskRpc {
  /** Creates the task. If the same request already created it, returns it as it was created. */
  create(data: TaskEventData["created"]): Promise<Result<CreatedTask, Failure>>;
  /** Returns the task as it was created if the same request created it; null if the task does not exist. */
  replay(fingerprint: string): Promise<Result<CreatedTask | null, Failure>>;
  read(viewer: Viewer): Promise<Result<Task, Failure>>;
  /** Returns one deliverable of a task that is in review or completed. */
  deliverable(viewer: Viewer, name: string): Promise<Result<DeliverableContent, Failure>>;
  /** Commits a command if the task's version matches `ifMatch`. */
  command(
    sender: CommandSender,
    command: ClientCommand,
    ifMatch?: IfMatch,
  ): Promise<Result<CommandResult, Failure>>;
  /**
   * Reserves budget for a call. If the budget is used up, blocks the task unless the call belongs to the current
   * `turn`. `call` is recorded; absent in requests from a Worker of an earlier release. `approvalId`: of an approved call, for
   * which the task may be blocked.
   */
  reserveCall(
    viewer: Viewer,
    priceMax: number,
    turn: ExecutorTurn | null,
    call?: ReservedCall | null,
    approvalId?: string | null,
  ): Promise<Result<TaskCallReservation, Failure>>;
  /**
   * Stores a call of the task until people decide about it. Blocks the task unless the call belongs to the current
   * `turn`, which blocks the task itself.
   */
  requestApproval(
    viewer: Viewer,
    turn: ExecutorTurn | null,
    draft: ApprovalDraft,
  ): Promise<Result<ApprovalReceipt, Failure>>;
  /** Records how a call that required approval ended. Returns false if the task does not know the call yet. */
  settleApproval(settlement: ApprovalSettlement): Promise<boolean>;
  /** Charges a reserved call, stores its record, and releases the unused part of its reservation. */
  payCall(reserved: TaskCallReservation, call: ToolCall, record?: CallRecord | null): Promise<void>;
  /**
   * Releases the reservation of a call that was not made, and stores its record. If the call was too expensive, returns
   * a failure and may block the task.
   */
  releaseCall(
    reserved: TaskCallReservation,
    isTooExpensive: boolean,
    record?: CallRecord | null,
  ): Promise<Failure | null>;
  /** Stores the record of a call that was rejected before it needed budget. */
  recordRejectedCall(viewer: Viewer, call: RejectedCall): Promise<void>;
  /** Returns a page of the task's calls, newest first, with shortened parameters and results. */
  listCalls(viewer: Viewer, selection: CallSelection): Promise<Result<CallsPage, Failure>>;
  readCall(viewer: Viewer, callId: string): Promise<Result<TaskCall, Failure>>;
  /**
   * Returns the newest recorded calls from `from` to before `to` about which policies decided, newest first. `toolIds`:
   * null for all tools.
   */
  readRecordedCalls(
    viewer: Viewer,
    period: { readonly from: number; readonly to: number },
    toolIds: readonly string[] | null,
  ): Promise<Result<RecordedCalls, Failure>>;
  /** Gives the task a slot in its agent's queue. `grant`: the lease of the worker that claims the task, if any. */
  admit(agentId: string, grant: LeaseGrant | null): Promise<AdmissionResult>;
  /**
   * Takes a waiting task back from this agent, which accepts no more work. The task can then be assigned to another
   * agent.
   */
  release(agentId: string, reason: string): Promise<void>;
  /**
   * Starts a new attempt with the same agent if a worker holds the task and claimed it with this key, which was revoked
   * or has expired.
   */
  endLease(keyId: string): Promise<void>;
  /**
   * Tells the task that this agent is paused. A worker that holds the task loses it; the attempt continues when the
   * agent is resumed.
   */
  hold(agentId: string): Promise<void>;
  /** Commits a worker's report. */
  report(
    viewer: Viewer,
    token: string,
    report: WorkerReport,
  ): Promise<Result<ReportResult, Failure>>;
  /** Starts a turn. Returns null if the turn is not expected or has already started. */
  beginTurn(turn: ExecutorTurn): Promise<Task | null>;
  /** Stores a turn's progress. Returns false if the turn is no longer expected. */
  progressTurn(turn: ExecutorTurn, progress: TurnProgress): Promise<boolean>;
  /** Commits a turn's outcome, or only its usage if the turn is no longer expected. */
  endTurn(turn: ExecutorTurn, outcome: TurnOutcome): Promise<void>;
  /** Returns the events after a `seq`, oldest first. */
  events(viewer: Viewer, page: EventsQuery): Promise<Result<EventsPage, Failure>>;
}

type Tasks = Env["TASKS"];

/** The stub for a new task. The same API key and idempotency key always lead to the same task. */
export function newTaskStub(
  tasks: Tasks,
  idempotency: { keyId: string; key: string } | null,
): { id: string; stub: TaskRpc } {
  const id =
    idempotency === null
      ? tasks.newUniqueId()
      : tasks.idFromName(`${idempotency.keyId}:${idempotency.key}`);
  return { id: id.toString(), stub: withRequestId(tasks.get(id)) };
}

/** The stub for an existing task. Returns `not_found` without a call if this service cannot have created the id. */
export function taskStub(tasks: Tasks, id: string): Result<TaskRpc, Failure> {
  const unknown = fail({ kind: "not_found", what: "task", id } as const);
  try {
    const objectId = tasks.idFromString(id);
    // An id in upper case would be a second id for the same task.
    return objectId.toString() === id ? ok(withRequestId<TaskRpc>(tasks.get(objectId))) : unknown;
  } catch {
    return unknown;
  }
}

/**
 * Opens a WebSocket that receives a message when the task may have changed. Returns null if the task does not exist or
 * has too many subscribers.
 */
export function watchTask(tasks: Tasks, id: string): Promise<WebSocket | null> {
  return openChangeSocket(tasks.get(tasks.idFromString(id)), "https://task/");
}
