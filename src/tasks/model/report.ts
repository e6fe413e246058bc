import { requestsReview } from "./context.ts";
import type { NewTaskEvent } from "./events.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { allowedActions } from "./transitions.ts";
import { checkJsonSize, type JsonObject } from "../../kernel/json.ts";
import { CONTEXT_BYTES_MAX } from "../limits.ts";
import { LIST_ITEMS_MAX } from "../../kernel/limits.ts";
import { isActive } from "./slot.ts";
import { preview } from "../../kernel/problem.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type {
  BlockKind,
  Deliverable,
  TaskOutcome,
  QualityScores,
  Task,
  TaskError,
  TaskResult,
  TaskStatus,
} from "./task.ts";

/** What a worker tells of the task that it holds. `work` is kept for whoever holds the task next. */
export type WorkerReport =
  | { readonly type: "heartbeat" }
  | {
      readonly type: "progress";
      readonly progress: number;
      readonly phase: string | null;
      readonly work: JsonObject | null;
    }
  | {
      readonly type: "blocked";
      readonly kind: BlockKind;
      readonly question: string;
      readonly work: JsonObject | null;
    }
  | {
      readonly type: "review" | "completed";
      readonly result: TaskResult;
      readonly quality: QualityScores | null;
    }
  | {
      readonly type: "failed";
      readonly message: string;
      readonly retryable: boolean;
      readonly details: JsonObject | null;
    }
  /** The worker stops before the work is done: the task returns to its agent's queue. */
  | { readonly type: "released"; readonly reason: string | null; readonly work: JsonObject | null }
  /** A file was stored and belongs to the work from now on. */
  | { readonly type: "file"; readonly file: Deliverable };

/**
 * The events that a worker's report makes. `lease_lost` when the worker holds the task no more; the
 * repeat of a report that has ended the work already is fine and changes nothing.
 */
export function decideReport(
  task: Task,
  token: string,
  report: WorkerReport,
  now: number,
): Result<NewTaskEvent[], Failure> {
  if (!holdsLease(task, token, now)) {
    return isSettled(task, token, report, now) ? ok([]) : fail(leaseLostFailure(task));
  }
  switch (report.type) {
    case "heartbeat":
      return ok([]);
    case "progress":
      return decideProgress(task, report);
    case "blocked": {
      const { kind, question, work } = report;
      const problem = workProblem(task, work);
      if (problem !== null) return fail(problem);
      return ok([{ type: "blocked", data: { kind, question, calls: [], work: work ?? {} } }]);
    }
    case "review":
      return ok([{ type: "submitted", data: { ...outcomeOf(task, report), calls: [] } }]);
    case "completed": {
      const type = requiresReview(task) ? "submitted" : "completed";
      return ok([{ type, data: { ...outcomeOf(task, report), calls: [] } }]);
    }
    case "failed": {
      const { message, retryable, details } = report;
      const plain: TaskError = { code: "AGENT_ERROR", message, retryable };
      const error = details === null ? plain : { ...plain, details };
      return ok([{ type: "failed", data: { error, calls: [] } }]);
    }
    case "released":
      return decideReleased(task, report);
    case "file": {
      const problem = fileLimitFailure(task, report.file.name);
      if (problem !== null) return fail(problem);
      const { progress } = task;
      const data = { progress, phase: phaseOf(task), calls: [], work: {}, file: report.file };
      return ok([{ type: "progressed", data }]);
    }
  }
}

/** Whether who shows this token holds the task at `now`. */
export function holdsLease(task: Task, token: string, now: number): boolean {
  const { lease } = task;
  if (lease === null || lease.token !== token) return false;
  return isActive(task) && task.workStartSeq === lease.seq && now < lease.expiresAt;
}

/** Why a worker may not hand in a file of this name beside those that it has handed in, or null. */
export function fileLimitFailure({ files }: Task, name: string): Failure | null {
  if (files.length < LIST_ITEMS_MAX || files.some((file) => file.name === name)) return null;
  const rule = `must be that of a file to be replaced, as a task holds at most ${LIST_ITEMS_MAX} files`;
  return createFieldFailure("name", `${rule}, got ${preview(name)}`);
}

/** Whether people look at what is done before the task is completed, whoever does it. */
export function requiresReview(task: Task): boolean {
  return task.terms.requireReview || requestsReview(task.context) || task.round > 0;
}

/** The refusal of a report by somebody who holds the task no more. */
export function leaseLostFailure(task: Task): Failure {
  return { kind: "lease_lost", status: task.status, allowed: allowedActions(task.status) };
}

/** What each report that ends the work leads to; an answer that got lost on the way is asked for again. */
const LEADS_TO: Partial<Record<WorkerReport["type"], readonly TaskStatus[]>> = {
  heartbeat: ["blocked", "review", "completed", "failed", "cancelled"],
  blocked: ["blocked"],
  review: ["review"],
  completed: ["review", "completed"],
  failed: ["failed"],
  released: ["in_progress"],
};

function isSettled(task: Task, token: string, report: WorkerReport, now: number): boolean {
  // What failed for want of a sign of life was not ended by its worker, whose lease was lost.
  if (task.lease?.token !== token || task.error?.code === "LEASE_EXPIRED") return false;
  return (LEADS_TO[report.type] ?? []).includes(task.status) && isAsTold(task, report, now);
}

/** A report that says something else than the one that ended the work is no repeat of it. */
function isAsTold(task: Task, report: WorkerReport, now: number): boolean {
  const { outcome, error, blocked, lease } = task;
  switch (report.type) {
    case "review":
    case "completed":
      return JSON.stringify(outcome?.result) === JSON.stringify(report.result);
    case "failed":
      return error?.message === report.message;
    case "blocked":
      return blocked?.question === report.question;
    case "released":
      return lease?.isReturned === true && now < lease.expiresAt;
    default:
      return true;
  }
}

function decideProgress(
  task: Task,
  { progress, phase, work }: Extract<WorkerReport, { type: "progress" }>,
): Result<NewTaskEvent[], Failure> {
  // Said this way round, so that it holds for what is no number, too.
  if (!(progress >= task.progress)) {
    const rule = `must not fall below the ${task.progress} that was reported before`;
    return fail(createFieldFailure("progress", `${rule}, got ${progress}`));
  }
  const problem = workProblem(task, work);
  if (problem !== null) return fail(problem);
  const data = {
    progress: clampProgress(task, progress),
    phase: phase ?? phaseOf(task),
    calls: [],
    work: work ?? {},
  };
  return ok([{ type: "progressed", data }]);
}

/** The attempt continues with the next worker that claims the task, so progress, work and files are kept. */
function decideReleased(
  task: Task,
  { reason, work }: Extract<WorkerReport, { type: "released" }>,
): Result<NewTaskEvent[], Failure> {
  const { agentId } = task;
  if (agentId === null) throw new Error("A task that a worker holds must have an agent");
  const problem = workProblem(task, work);
  if (problem !== null) return fail(problem);
  const data = {
    agentId,
    reason: reason ?? "The worker returned the task.",
    excludes: false,
    released: true,
    work: work ?? {},
  } as const;
  return ok([{ type: "declined", data }]);
}

/** Progress never goes back, and 100 belongs to completion alone. */
export function clampProgress(task: Task, progress: number): number {
  return Math.min(Math.max(Math.floor(progress), task.progress), 99);
}

function workProblem(task: Task, work: JsonObject | null): Failure | null {
  if (work === null) return null;
  const problem = checkJsonSize({ ...task.work, ...work }, CONTEXT_BYTES_MAX);
  return problem === null ? null : createFieldFailure("work", problem);
}

function phaseOf({ currentPhase }: Task): string {
  return currentPhase ?? "working";
}

function outcomeOf(
  task: Task,
  { result, quality }: Extract<WorkerReport, { type: "review" | "completed" }>,
): TaskOutcome {
  return { result, quality, deliverables: task.files };
}
