import type { TurnOutcome } from "../executors/contract.ts";
import type { IfMatch } from "../kernel/entity-tag.ts";
import type { TaskEventData, TaskEvent } from "./model/events.ts";
import type { Failure } from "../kernel/failure.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Viewer } from "../keys/model/key.ts";
import type { Lease, LeaseGrant } from "./model/lease.ts";
import type { TaskCommand, WorkerReport } from "./model/command.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import type { Deliverable, Task, ToolCall } from "./model/task.ts";
import type { ExecutorTurn } from "./model/turn.ts";
import { withRequestId } from "../platform/request-id.ts";

/** The commands of clients. The others come from the task's agent and its alarm. */
export type ClientCommand = Extract<
  TaskCommand,
  { type: "respond" | "review" | "cancel" | "retry" | "update" | "rate" }
>;

/** The task after its first event; `replayed` if an earlier request created it. */
export interface CreatedTask {
  readonly task: Task;
  readonly replayed: boolean;
}

/** A deliverable; `held`: its bytes if the log stores them, null if R2 does. */
export interface DeliverableContent {
  readonly file: Deliverable;
  readonly held: Uint8Array | null;
}

/** A reservation of the task's budget for one call. */
export interface TaskCallReservation {
  readonly reservationId: string;
  /** The maximum cost of the call, in US dollars; null for any price. */
  readonly costMax: number | null;
  /** Whether the task blocks if the budget has no room. An agent's own turn blocks the task itself, with its work. */
  readonly blocks: boolean;
  /** The attempt that makes the call: only this attempt blocks. */
  readonly attempt: number;
}

/** `before`: the task that the command was applied to. */
export interface CommandResult {
  readonly task: Task;
  readonly before: Task;
}

/** `isHeld`: the worker still holds the task. */
export interface ReportResult {
  readonly task: Task;
  readonly isHeld: boolean;
}

/** The response of a task to its agent's queue. */
export type AdmissionResult =
  | { readonly admitted: true; readonly task: Task; readonly lease: Lease | null }
  /** The task does not wait for this agent; `isWorking`: it already has a slot there. */
  | { readonly admitted: false; readonly isWorking: boolean };

/** The progress that a turn stores before it ends. */
export interface TurnProgress {
  readonly progress: number;
  readonly phase: string;
  readonly work: JsonObject;
}

export interface EventsQuery {
  readonly after: number;
  readonly limit: number;
  /** A summary up to this `seq`, without progress that later progress replaces. */
  readonly summaryUpTo?: number;
}

export interface EventsPage {
  readonly events: TaskEvent[];
  readonly more: boolean;
  /** The task has ended, and these are its last events. */
  readonly ended: boolean;
}

/** The RPC methods of a task's object. A viewer that may not see the task gets `not_found`. */
export interface TaskRpc {
  /** Creates the task, or repeats the first response if the same request created it. */
  create(data: TaskEventData["created"]): Promise<Result<CreatedTask, Failure>>;
  /** The first response if the same request created the task; null if there is no task. */
  replay(fingerprint: string): Promise<Result<CreatedTask | null, Failure>>;
  read(viewer: Viewer): Promise<Result<Task, Failure>>;
  /** One deliverable of a task in review or completed. */
  deliverable(viewer: Viewer, name: string): Promise<Result<DeliverableContent, Failure>>;
  /** Commits a command if the task's version matches `ifMatch`. */
  command(
    viewer: Viewer,
    command: ClientCommand,
    ifMatch?: IfMatch,
  ): Promise<Result<CommandResult, Failure>>;
  /** Reserves the budget for a call. Without room, the task blocks, unless the call belongs to the current `turn`. */
  reserveCall(
    viewer: Viewer,
    priceMax: number,
    turn: ExecutorTurn | null,
  ): Promise<Result<TaskCallReservation, Failure>>;
  /** Records a reserved call and releases the rest of its reservation. */
  payCall(reserved: TaskCallReservation, call: ToolCall): Promise<void>;
  /** Releases the reservation of a call that was not made. If it was too expensive, the task may block; returns why. */
  releaseCall(reserved: TaskCallReservation, isTooExpensive: boolean): Promise<Failure | null>;
  /** The agent's queue has a slot for the task; `grant` is the lease of the worker that gets it. */
  admit(agentId: string, grant: LeaseGrant | null): Promise<AdmissionResult>;
  /** The agent accepts no more work: a task that waits for it goes to another agent. */
  release(agentId: string, reason: string): Promise<void>;
  /** A key has ended: a task that a worker holds with it returns to its agent's queue. */
  endLease(keyId: string): Promise<void>;
  /** Commits the report of a worker. */
  report(
    viewer: Viewer,
    token: string,
    report: WorkerReport,
  ): Promise<Result<ReportResult, Failure>>;
  /** Starts a turn; null if it is not expected or has already started. */
  beginTurn(turn: ExecutorTurn): Promise<Task | null>;
  /** Stores the progress of a turn; false if the turn is no longer expected. */
  progressTurn(turn: ExecutorTurn, progress: TurnProgress): Promise<boolean>;
  /** Commits the outcome of a turn; of a turn that is no longer expected, only its usage. */
  endTurn(turn: ExecutorTurn, outcome: TurnOutcome): Promise<void>;
  /** Events after a `seq`, oldest first. */
  events(viewer: Viewer, page: EventsQuery): Promise<Result<EventsPage, Failure>>;
}

type Tasks = Env["TASKS"];

/** A task that does not exist yet. One idempotency key of one API key always leads to the same task. */
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

/** The stub of a task; `not_found`, without a call, for an id that this service cannot have created. */
export function taskStub(tasks: Tasks, id: string): Result<TaskRpc, Failure> {
  const unknown = fail({ kind: "not_found", what: "task", id } as const);
  try {
    const objectId = tasks.idFromString(id);
    // An id in capitals would be a second name of the same task.
    return objectId.toString() === id ? ok(withRequestId<TaskRpc>(tasks.get(objectId))) : unknown;
  } catch {
    return unknown;
  }
}

/** A WebSocket that receives a message when the task may have changed; null if there is none. */
export async function watchTask(tasks: Tasks, id: string): Promise<WebSocket | null> {
  const stub = tasks.get(tasks.idFromString(id));
  const answer = await stub.fetch("https://task/", { headers: { Upgrade: "websocket" } });
  answer.webSocket?.accept();
  return answer.webSocket;
}
