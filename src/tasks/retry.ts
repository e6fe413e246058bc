import type { Failure } from "../domain/failure.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Viewer } from "../domain/key.ts";
import { ok, type Result } from "../domain/result.ts";
import type { Choice, Task } from "../domain/task.ts";
import type { TaskPort } from "./port.ts";
import { findAgent } from "./work.ts";

/** Retries a failed task, with its agent or, to reassign, the best of those that have not tried it. */
export async function retryTask(
  env: Pick<Env, "DB">,
  port: TaskPort,
  viewer: Viewer,
  { reassign, context }: { reassign: boolean; context: JsonObject | null },
): Promise<Result<Task, Failure>> {
  const read = await port.read(viewer);
  if (!read.ok) return read;
  const choice = await agentFor(env, read.value, reassign);
  const { attempt } = read.value;
  const retried = await port.command(viewer, { type: "retry", attempt, reassign, choice, context });
  return retried.ok ? ok(retried.value.task) : retried;
}

async function agentFor(
  env: Pick<Env, "DB">,
  task: Task,
  reassign: boolean,
): Promise<Choice | null> {
  if (task.status !== "failed") return null;
  if (!reassign && task.choice !== null) return task.choice;
  const tried = [...task.attempts.map(({ agentId }) => agentId), task.agentId];
  const excludedAgentIds = reassign ? tried.filter((agentId) => agentId !== null) : [];
  const requestedAgentId = reassign ? null : task.requestedAgentId;
  return findAgent(env, { ...task, excludedAgentIds, requestedAgentId });
}
