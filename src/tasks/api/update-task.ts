import { findCachedSearch, searchAndCache } from "../../agents/agent-cache.ts";
import type { IfMatch } from "../../kernel/entity-tag.ts";
import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { canActAs, formatBinding, type Key } from "../../keys/model/key.ts";
import type { DirectoryEnv } from "../../platform/d1/client.ts";
import { toRequestedChoice } from "../model/assignment.ts";
import { senderOf } from "../model/author.ts";
import type { TaskEventData } from "../model/events.ts";
import type { AgentChoice, Task } from "../model/task.ts";
import type { TaskRpc } from "../task.rpc.ts";
import { chooseRequestedAgent } from "./requested-agent.ts";

/** The fields to change. `agentId`: the agent to give the task to; undefined to keep the current one. */
export interface UpdateRequest {
  readonly change: Omit<TaskEventData["updated"], "by" | "choice">;
  readonly agentId: string | undefined;
  readonly ifMatch: IfMatch;
}

const TASK_UPGRADING = {
  kind: "unavailable",
  what: "The task's object",
  problem: "is being upgraded",
} as const;

/** Changes fields of a task and, if it has not started, its agent. `sessionId`: as in `authorOf`. */
export async function updateTask(
  env: DirectoryEnv,
  stub: TaskRpc,
  key: Key,
  { change, agentId, ifMatch }: UpdateRequest,
  sessionId?: string,
): Promise<Result<Task, Failure>> {
  const choice = agentId === undefined ? ok(null) : await chooseAgent(env, stub, key, agentId);
  if (!choice.ok) return choice;
  const given = choice.value === null ? {} : { choice: choice.value };
  const sender = senderOf(key, sessionId);
  const updated = await stub.command(sender, { type: "update", change, ...given }, ifMatch);
  if (!updated.ok) return updated;
  const { task } = updated.value;
  // An object that still runs an earlier release ignores the choice.
  const isIgnored = choice.value !== null && task.agentId !== choice.value.agentId;
  return isIgnored ? fail(TASK_UPGRADING) : ok(task);
}

/**
 * The choice of the agent with this id, or why it cannot take the task. The agent that the task already has is not
 * checked; it is still sent to the task, which another request may give to another agent in the meantime.
 */
async function chooseAgent(
  env: DirectoryEnv,
  stub: TaskRpc,
  key: Key,
  agentId: string,
): Promise<Result<AgentChoice, Failure>> {
  const task = await stub.read(key);
  if (!task.ok) return task;
  const { choice } = task.value;
  if (choice?.agentId === agentId) return ok(toRequestedChoice(choice));
  if (!canActAs(key, agentId)) {
    return fail({ kind: "agent_mismatch", path: "agentId", bound: formatBinding(key) });
  }
  const { teamId } = task.value;
  const filter = { agentId, teamId, excludedAgentIds: [] };
  const now = Date.now();
  const cached = findCachedSearch(filter, now);
  const known = cached === null ? null : chooseRequestedAgent(cached, agentId, teamId);
  // A cached failure may be out of date.
  if (known?.ok === true) return known;
  return chooseRequestedAgent(await searchAndCache(env, filter, now), agentId, teamId);
}
