import type { TurnHands } from "../agents/executors/contract.ts";
import { database } from "../db/client.ts";
import type { Viewer } from "../domain/key.ts";
import { fail, ok } from "../domain/result.ts";
import type { Task } from "../domain/task.ts";
import type { Turn } from "../domain/turn.ts";
import { grantedCapabilities } from "../tools/granted.ts";
import { callFailure, saveFile } from "./hands.ts";
import type { TaskPort } from "./port.ts";
import { invokeForTask } from "./tool-calls.ts";

/** The service itself, which acts for the task's agent. */
const OURSELVES: Viewer = { agentId: null, teamId: null };

/**
 * The hands of an agent for one turn, which is done far from the task's object. Each call is paid, and
 * in the log, before its result is seen, so that a turn that breaks off has lost nothing.
 */
export function turnHandsOf(
  env: Env,
  port: TaskPort,
  taskId: string,
  task: Task,
  turn: Turn,
): TurnHands {
  const { agentId } = task;
  if (agentId === null) throw new Error("A task that is worked on must have an agent");
  return {
    capabilities: (search, limit) =>
      grantedCapabilities(database(env.DB), agentId, { search, limit }),
    async call(toolId, capability, parameters) {
      const call = { toolId, capability, parameters, agentId, visibleAgentIds: null };
      const outcome = await invokeForTask(env, OURSELVES, taskId, call, turn);
      return outcome.ok ? ok(outcome.value.result) : fail(callFailure(task, outcome.failure));
    },
    // A turn that was given up for lost must not write over what the next one stores.
    save: (file) => saveFile(env.FILES, taskId, task, file, `${turn.openedSeq}-${turn.number}`),
    progress: (progress) => port.progressTurn(turn, progress),
  };
}
