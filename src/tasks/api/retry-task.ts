import { chooseAgentForTask } from "../../agents/agent-cache.ts";
import type { DirectoryEnv } from "../../platform/d1/client.ts";
import type { Failure } from "../../kernel/failure.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Viewer } from "../../keys/model/key.ts";
import type { CommandSender } from "../model/author.ts";
import { STORED_BYTES_UNIT } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { AgentChoice, Task } from "../model/task.ts";
import { checkCreatorUsage } from "../../keys/authenticate.ts";
import type { ClientCommand, TaskRpc } from "../task.rpc.ts";

/** A retry with the task's own agent or, with `reassign`, another one. */
export interface RetryRequest {
  readonly reassign: boolean;
  readonly context: JsonObject | null;
  readonly notes?: string;
}

/** Retries a failed task with the same agent or, with `reassign`, the best agent that has not tried it. */
export async function retryTask(
  env: DirectoryEnv,
  stub: TaskRpc,
  sender: CommandSender,
  request: RetryRequest,
): Promise<Result<Task, Failure>> {
  const command = await buildRetryCommand(env, stub, sender, request);
  const retried = command.ok ? await stub.command(sender, command.value) : command;
  return retried.ok ? ok(retried.value.task) : retried;
}

/** Builds the command for a retry without changing anything. */
export async function buildRetryCommand(
  env: DirectoryEnv,
  stub: TaskRpc,
  viewer: Viewer,
  request: RetryRequest,
): Promise<Result<ClientCommand, Failure>> {
  const read = await stub.read(viewer);
  if (!read.ok) return read;
  const more = { liveTasks: 1, storedBytes: STORED_BYTES_UNIT };
  const isOver = read.value.status === "failed";
  const exceeded = isOver ? await checkCreatorUsage(env, read.value.createdBy, more) : null;
  if (exceeded !== null) return fail(exceeded);
  const choice = await chooseRetryAgent(env, read.value, request.reassign);
  const { agentId } = viewer;
  if (
    agentId !== null &&
    !request.reassign &&
    !(await keepsAgent(env, read.value, choice, agentId))
  ) {
    return fail({ kind: "reassign_by_agent", agentId, isUnavailable: true });
  }
  return ok({ type: "retry", attempt: read.value.attempt, choice, ...request });
}

/**
 * Whether a retry stays with the agent that the client's key is bound to. An automatically chosen agent that can no
 * longer take the task would be replaced when the attempt begins.
 */
async function keepsAgent(
  env: DirectoryEnv,
  task: Task,
  choice: AgentChoice | null,
  agentId: string,
): Promise<boolean> {
  if (task.status !== "failed" || task.requestedAgentId === agentId) return true;
  if (choice?.agentId !== agentId) return false;
  return (await chooseAgentForTask(env, { ...task, requestedAgentId: agentId })) !== null;
}

async function chooseRetryAgent(
  env: DirectoryEnv,
  task: Task,
  reassign: boolean,
): Promise<AgentChoice | null> {
  if (task.status !== "failed") return null;
  if (!reassign && task.choice !== null) return task.choice;
  const tried = [...task.attempts.map(({ agentId }) => agentId), task.agentId];
  const excludedAgentIds = reassign ? tried.filter((agentId) => agentId !== null) : [];
  const requestedAgentId = reassign ? null : task.requestedAgentId;
  return chooseAgentForTask(env, { ...task, excludedAgentIds, requestedAgentId });
}
