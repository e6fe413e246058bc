import type { EventData, TaskEvent } from "../domain/events.ts";
import type { Failure } from "../domain/failure.ts";
import type { Viewer } from "../domain/key.ts";
import { fail, type Result } from "../domain/result.ts";
import type { Task, ToolCall } from "../domain/task.ts";
import type { Command } from "../domain/commands.ts";

/** The commands that clients may give; the rest belong to the task's own agent and clock. */
export type ClientCommand = Extract<
  Command,
  { type: "respond" | "review" | "cancel" | "retry" | "update" | "rate" }
>;

/** The task as its first event tells it, and whether an earlier request had made it. */
export interface Created {
  readonly task: Task;
  readonly replayed: boolean;
}

/** A call of a tool that the task's budget has room for. `costMax` in US dollars; null: any price. */
export interface ReservedCall {
  readonly ticket: string;
  readonly costMax: number | null;
}

/** What a task does, as its callers see it. A viewer that may not see the task meets `not_found`. */
export interface TaskPort {
  /** Creates the task, or answers with the first answer again when this very task exists already. */
  create(data: EventData["created"]): Promise<Result<Created, Failure>>;
  /** The first answer again, when the task exists and was made by the same request; else null. */
  replay(fingerprint: string): Promise<Result<Created | null, Failure>>;
  read(viewer: Viewer): Promise<Result<Task, Failure>>;
  /** Carries out a command; `before` is the task as the command met it. */
  command(
    viewer: Viewer,
    command: ClientCommand,
  ): Promise<Result<{ task: Task; before: Task }, Failure>>;
  /** Sets a call aside while the task is worked on; where the budget has no room, the task blocks. */
  reserveCall(viewer: Viewer, priceMax: number): Promise<Result<ReservedCall, Failure>>;
  /** A reserved call was made: it is written into the log, and what it did not cost is free again. */
  payCall(reserved: ReservedCall, call: ToolCall): Promise<void>;
  /** A reserved call was not made; when it was `tooDear` the task blocks, which is what is answered. */
  releaseCall(reserved: ReservedCall, tooDear: boolean): Promise<Failure | null>;
  /** Events after a `seq`, oldest first; `more` tells that there are further ones. */
  events(
    viewer: Viewer,
    page: { after: number; limit: number },
  ): Promise<Result<{ events: TaskEvent[]; more: boolean }, Failure>>;
}

type Tasks = Env["TASKS"];

/** A task that does not exist yet. One idempotency key of one API key always leads to the same task. */
export function newTask(
  tasks: Tasks,
  idempotency: { keyId: string; key: string } | null,
): { id: string; port: TaskPort } {
  const id =
    idempotency === null
      ? tasks.newUniqueId()
      : tasks.idFromName(`${idempotency.keyId}:${idempotency.key}`);
  return { id: id.toString(), port: portOf(tasks.get(id)) };
}

/** The task of an id, or `not_found` for an id that this service never gave out: that wakes nothing. */
export function taskOf(tasks: Tasks, id: string): Result<TaskPort, Failure> {
  try {
    return { ok: true, value: portOf(tasks.get(tasks.idFromString(id))) };
  } catch {
    return fail({ kind: "not_found", what: "task", id });
  }
}

/** TaskObject implements TaskPort, which holds only what RPC carries unchanged. */
function portOf(stub: DurableObjectStub): TaskPort {
  return stub as unknown as TaskPort;
}
