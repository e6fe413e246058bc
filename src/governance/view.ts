import { toIsoTime } from "../kernel/text.ts";
import type { ListedPolicy } from "./policies.store.ts";
import type { PolicyResponse, SimulationResponse } from "./schemas.ts";
import type { Simulation } from "./simulate-policy.ts";

/** A policy as clients see it. */
export function policyView({ createdAt, updatedAt, ...policy }: ListedPolicy): PolicyResponse {
  return { ...policy, createdAt: toIsoTime(createdAt), updatedAt: toIsoTime(updatedAt) };
}

export function simulationView(
  { affected, examined, undecided, tasks, cutTasks, nextCursor }: Simulation,
  reason: string,
): SimulationResponse {
  const calls = affected.map(({ call, effect, error }) => ({
    callId: call.id,
    at: toIsoTime(call.startedAt),
    toolId: call.toolId,
    capability: call.capability,
    ...(call.agentId === null ? {} : { agentId: call.agentId }),
    taskId: call.taskId,
    effect,
    reason,
    ...(error === null ? {} : { error }),
  }));
  return {
    source: "tasks",
    calls,
    matched: calls.length,
    examined,
    undecided,
    tasks,
    cutTasks,
    complete: nextCursor === null && cutTasks === 0 && undecided === 0,
    nextCursor,
  };
}
