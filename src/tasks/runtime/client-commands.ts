import { checkPrecondition, type IfMatch } from "../../kernel/entity-tag.ts";
import type { Failure } from "../../kernel/failure.ts";
import { jsonSizeOf } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { checkCreatorUsage } from "../../keys/authenticate.ts";
import type { Viewer } from "../../keys/model/key.ts";
import type { DirectoryEnv } from "../../platform/d1/client.ts";
import { WORK_EXEMPT_BYTES_MAX } from "../limits.ts";
import type { CommandSender } from "../model/author.ts";
import { raisesBudget, raisesLimits } from "../model/budget.ts";
import { toReportCommand, type WorkerReport } from "../model/command.ts";
import { decide } from "../model/decide.ts";
import { renewLease, shouldStoreRenewal } from "../model/lease.ts";
import { holdsLease } from "../model/guards.ts";
import type { Task } from "../model/task.ts";
import { allowedActions } from "../model/transitions.ts";
import { checkAgentBinding } from "../model/visibility.ts";
import type { ClientCommand, CommandResult, ReportResult } from "../task.rpc.ts";
import type { TaskStore } from "./task.store.ts";

export async function runClientCommand(
  store: TaskStore,
  env: DirectoryEnv,
  sender: CommandSender,
  command: ClientCommand,
  ifMatch: IfMatch,
): Promise<Result<CommandResult, Failure>> {
  const exceeded = await checkUpdateSize(store, env, sender, command, ifMatch);
  if (exceeded !== null) return fail(exceeded);
  const before = loadForCommand(store, sender, command, ifMatch);
  if (!before.ok) return before;
  const decided = store.commit([{ ...command, by: sender.by }]);
  return decided.ok ? ok({ task: decided.value.task, before: before.value }) : decided;
}

/** Commits a worker's report and renews the worker's lease. */
export async function runWorkerReport(
  store: TaskStore,
  env: DirectoryEnv,
  viewer: Viewer,
  token: string,
  report: WorkerReport,
): Promise<Result<ReportResult, Failure>> {
  const exceeded = await checkWorkSize(store, env, viewer, token, report);
  if (exceeded !== null) return fail(exceeded);
  const before = store.loadVisible(viewer);
  if (!before.ok) return before;
  const decided = store.commit([toReportCommand(token, report)]);
  if (!decided.ok) return decided;
  const now = Date.now();
  const { task } = decided.value;
  const isHeld = holdsLease(task, token, now);
  const isRenewed = isHeld && task.lease !== null && shouldStoreRenewal(task.lease, now);
  if (!isRenewed) return ok({ task, isHeld });
  return ok({ task: store.extendLease(task, renewLease(task.lease, now).expiresAt), isHeld });
}

/** Returns the task, or why the viewer may not send the command. The task's status is not checked. */
function loadForCommand(
  store: TaskStore,
  viewer: Viewer,
  command: ClientCommand,
  ifMatch: IfMatch,
): Result<Task, Failure> {
  const task = store.loadVisible(viewer);
  if (!task.ok) return task;
  if (viewer.agentId !== null && isBudgetRaise(task.value, command)) {
    return fail({ kind: "budget_raise_denied" });
  }
  const failure =
    checkPrecondition(ifMatch, "task", task.value.seq) ?? checkAgentBinding(viewer, command);
  return failure === null ? task : fail(failure);
}

/** Whether a command would raise or remove a limit of the task's budget. */
function isBudgetRaise(task: Task, command: ClientCommand): boolean {
  if (command.type === "respond") return raisesBudget(task, command.response);
  const budget = command.type === "update" ? command.change.budget : undefined;
  return budget !== undefined && raisesLimits(task.budget, budget);
}

/**
 * Returns a failure if an update would exceed the stored-bytes limit of the key that created the task. Returns null if
 * another rule forbids the update anyway.
 */
async function checkUpdateSize(
  store: TaskStore,
  env: DirectoryEnv,
  viewer: Viewer,
  command: ClientCommand,
  ifMatch: IfMatch,
): Promise<Failure | null> {
  if (command.type !== "update") return null;
  const { context, notes, labels, deliverables, budget } = command.change;
  const added = [context, notes, labels, deliverables, budget].filter(
    (value) => value !== undefined,
  );
  if (added.length === 0) return null;
  const task = loadForCommand(store, viewer, command, ifMatch);
  if (!task.ok || !allowedActions(task.value.status).includes("update")) return null;
  const more = { liveTasks: 0, storedBytes: jsonSizeOf(added) };
  return checkCreatorUsage(env, task.value.createdBy, more);
}

/**
 * Returns a failure if a large `work` would exceed the stored-bytes limit of the key that created the task. Returns
 * null if another rule forbids the report anyway.
 */
async function checkWorkSize(
  store: TaskStore,
  env: DirectoryEnv,
  viewer: Viewer,
  token: string,
  report: WorkerReport,
): Promise<Failure | null> {
  const work = "work" in report ? report.work : null;
  const bytes = work === null ? 0 : jsonSizeOf(work);
  if (bytes <= WORK_EXEMPT_BYTES_MAX) return null;
  const task = store.loadVisible(viewer);
  if (!task.ok) return null;
  const command = toReportCommand(token, report);
  const decided = decide(task.value, command, Date.now(), store.log.bytes());
  if (!decided.ok || decided.value.length === 0) return null;
  const more = { liveTasks: 0, storedBytes: bytes };
  const failure = await checkCreatorUsage(env, task.value.createdBy, more);
  return failure?.kind === "key_limit_reached" ? { ...failure, withoutWork: true } : failure;
}
