import type { ShardsEnv } from "../db/shards.ts";
import type { Failure } from "../domain/failure.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Viewer } from "../domain/key.ts";
import { STORED_BYTES_UNIT } from "../domain/limits.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Choice, Task } from "../domain/task.ts";
import { creatorUsageFailure } from "../keys/usage.ts";
import type { ClientCommand, TaskPort } from "./port.ts";
import { findAgent } from "./work.ts";

/** What a retry is to be: with the task's own agent or, to `reassign`, another; `notes` are noted with it. */
export interface RetryWish {
  readonly reassign: boolean;
  readonly context: JsonObject | null;
  readonly notes?: string;
}

/** Retries a failed task, with its agent or, to reassign, the best of those that have not tried it. */
export async function retryTask(
  env: ShardsEnv,
  port: TaskPort,
  viewer: Viewer,
  wish: RetryWish,
): Promise<Result<Task, Failure>> {
  const command = await retryCommand(env, port, viewer, wish);
  const retried = command.ok ? await port.command(viewer, command.value) : command;
  return retried.ok ? ok(retried.value.task) : retried;
}

/** The command for it, before anything has changed. */
export async function retryCommand(
  env: ShardsEnv,
  port: TaskPort,
  viewer: Viewer,
  wish: RetryWish,
): Promise<Result<ClientCommand, Failure>> {
  const read = await port.read(viewer);
  if (!read.ok) return read;
  const more = { liveTasks: 1, storedBytes: STORED_BYTES_UNIT };
  const isOver = read.value.status === "failed";
  const exceeded = isOver ? await creatorUsageFailure(env, read.value.createdBy, more) : null;
  if (exceeded !== null) return fail(exceeded);
  const choice = await agentFor(env, read.value, wish.reassign);
  const { agentId } = viewer;
  if (agentId !== null && !wish.reassign && !(await keepsAgent(env, read.value, choice, agentId))) {
    return fail({ kind: "reassign_by_agent", agentId, isUnavailable: true });
  }
  return ok({ type: "retry", attempt: read.value.attempt, choice, ...wish });
}

/**
 * Whether a retry stays with the agent to which the caller's key is bound. An automatically chosen agent that
 * can no longer take the task would be replaced when the attempt begins.
 */
async function keepsAgent(
  env: ShardsEnv,
  task: Task,
  choice: Choice | null,
  agentId: string,
): Promise<boolean> {
  if (task.status !== "failed" || task.requestedAgentId === agentId) return true;
  if (choice?.agentId !== agentId) return false;
  return (await findAgent(env, { ...task, requestedAgentId: agentId })) !== null;
}

async function agentFor(env: ShardsEnv, task: Task, reassign: boolean): Promise<Choice | null> {
  if (task.status !== "failed") return null;
  if (!reassign && task.choice !== null) return task.choice;
  const tried = [...task.attempts.map(({ agentId }) => agentId), task.agentId];
  const excludedAgentIds = reassign ? tried.filter((agentId) => agentId !== null) : [];
  const requestedAgentId = reassign ? null : task.requestedAgentId;
  return findAgent(env, { ...task, excludedAgentIds, requestedAgentId });
}
