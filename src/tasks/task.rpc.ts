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
import { toRpc } from "../platform/request-id.ts";

/** The commands that clients may give; the rest belong to the task's own agent and clock. */
export type ClientCommand = Extract<
  TaskCommand,
  { type: "respond" | "review" | "cancel" | "retry" | "update" | "rate" }
>;

/** The task as its first event tells it, and whether an earlier request had made it. */
export interface CreatedTask {
  readonly task: Task;
  readonly replayed: boolean;
}

/** A deliverable; `held` are its bytes where they lie in the task's log, null where in the store. */
export interface DeliverableContent {
  readonly file: Deliverable;
  readonly held: Uint8Array | null;
}

/** A reservation of the task's budget for one call. */
export interface TaskCallReservation {
  readonly ticket: string;
  /** The most that the call may cost, in US dollars; null for any price. */
  readonly costMax: number | null;
  /** Whether the task blocks if the budget has no room. An agent's own turn blocks the task itself, with its work. */
  readonly blocks: boolean;
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

/** What a task answers to its agent's queue. */
export type SlotOffer =
  | { readonly admitted: true; readonly task: Task; readonly lease: Lease | null }
  /** It does not wait for this agent; `isWorking`: it has a place there already. */
  | { readonly admitted: false; readonly isWorking: boolean };

/** The part of a turn that is written down before the turn is over. */
export interface TurnProgress {
  readonly progress: number;
  readonly phase: string;
  readonly work: JsonObject;
}

export interface EventsQuery {
  readonly after: number;
  readonly limit: number;
  /** Up to this `seq`, which comes last, and without progress that later progress has overtaken. */
  readonly outlineUpTo?: number;
}

export interface EventsPage {
  readonly events: TaskEvent[];
  /** There are further ones. */
  readonly more: boolean;
  /** These are the last, as the task has ended. */
  readonly ended: boolean;
}

/** What a task does, as its callers see it. A viewer that may not see the task meets `not_found`. */
export interface TaskRpc {
  /** Creates the task, or answers with the first answer again when this very task exists already. */
  create(data: TaskEventData["created"]): Promise<Result<CreatedTask, Failure>>;
  /** The first answer again, when the task exists and was made by the same request; else null. */
  replay(fingerprint: string): Promise<Result<CreatedTask | null, Failure>>;
  read(viewer: Viewer): Promise<Result<Task, Failure>>;
  /** One deliverable of a task in review or completed. */
  deliverable(viewer: Viewer, name: string): Promise<Result<DeliverableContent, Failure>>;
  /** Carries out a command if the task is of a wanted version; `before` is the task as the command met it. */
  command(
    viewer: Viewer,
    command: ClientCommand,
    ifMatch?: IfMatch,
  ): Promise<Result<CommandResult, Failure>>;
  /**
   * Sets a call aside while the task is worked on. Where the budget has no room, the task blocks, unless
   * the call is made in the agent's own `turn`, which must be the one that is awaited.
   */
  reserveCall(
    viewer: Viewer,
    priceMax: number,
    turn: ExecutorTurn | null,
  ): Promise<Result<TaskCallReservation, Failure>>;
  /** A reserved call was made: it is written into the log, and what it did not cost is free again. */
  payCall(reserved: TaskCallReservation, call: ToolCall): Promise<void>;
  /** A reserved call was not made; when it was `tooDear` the task blocks, which is what is answered. */
  releaseCall(reserved: TaskCallReservation, tooDear: boolean): Promise<Failure | null>;
  /** The agent's queue has a place for the task; a worker holds it by the lease that is granted. */
  admit(agentId: string, grant: LeaseGrant | null): Promise<SlotOffer>;
  /** The agent takes no more work: a task that waits for it goes to somebody else. */
  release(agentId: string, reason: string): Promise<void>;
  /** A key has ended: a task that a worker holds with it returns to its agent's queue. */
  endLease(keyId: string): Promise<void>;
  /** A worker's report. `isHeld`: the worker holds the task from here on, and should go on. */
  report(
    viewer: Viewer,
    token: string,
    report: WorkerReport,
  ): Promise<Result<ReportResult, Failure>>;
  /** The task for a turn that is to be done now; null when it is not awaited, or under way already. */
  beginTurn(turn: ExecutorTurn): Promise<Task | null>;
  /** Writes down how far a turn has come; false when it is not awaited any more. */
  progressTurn(turn: ExecutorTurn, progress: TurnProgress): Promise<boolean>;
  /** What a turn has come to; one that is not awaited any more changes nothing but for what it used. */
  endTurn(turn: ExecutorTurn, outcome: TurnOutcome): Promise<void>;
  /** Events after a `seq`, oldest first. */
  events(viewer: Viewer, page: EventsQuery): Promise<Result<EventsPage, Failure>>;
}

type Tasks = Env["TASKS"];

/** A task that does not exist yet. One idempotency key of one API key always leads to the same task. */
export function newTaskStub(
  tasks: Tasks,
  idempotency: { keyId: string; key: string } | null,
): { id: string; port: TaskRpc } {
  const id =
    idempotency === null
      ? tasks.newUniqueId()
      : tasks.idFromName(`${idempotency.keyId}:${idempotency.key}`);
  return { id: id.toString(), port: toRpc(tasks.get(id)) };
}

/** The task of an id, or `not_found` for an id that this service never gave out: that wakes nothing. */
export function taskStub(tasks: Tasks, id: string): Result<TaskRpc, Failure> {
  const unknown = fail({ kind: "not_found", what: "task", id } as const);
  try {
    const objectId = tasks.idFromString(id);
    // In capitals it would be a second name of the same task.
    return objectId.toString() === id ? ok(toRpc<TaskRpc>(tasks.get(objectId))) : unknown;
  } catch {
    return unknown;
  }
}

/** A socket that gets a message whenever the task may have changed; null when there is none to be had. */
export async function watchTask(tasks: Tasks, id: string): Promise<WebSocket | null> {
  const stub = tasks.get(tasks.idFromString(id));
  const answer = await stub.fetch("https://task/", { headers: { Upgrade: "websocket" } });
  answer.webSocket?.accept();
  return answer.webSocket;
}
