import { toIsoTime } from "../kernel/text.ts";
import type { ExecutorResponse } from "./executor-schemas.ts";
import type { Agent, ExecutorConfig } from "./model/agent.ts";
import { NO_PROGRESS_DEFAULTS, type Pause } from "./model/pause.ts";
import type { Presence } from "./model/presence.ts";
import type { WorkerState } from "./queue/queue.rpc.ts";
import type { AgentResponse, AgentWorkerResponse, ListedAgentResponse } from "./schemas.ts";

/** An agent as shown to keys with agents:manage: everything except its secret. */
export function agentView(agent: Agent): AgentResponse {
  const { executor, sealed, rating, createdAt, createdBy, requireTask, ...others } = agent;
  const { pause, noProgress, ...rest } = others;
  return {
    ...rest,
    skills: [...rest.skills],
    teams: [...rest.teams],
    executor: executorView(executor, sealed !== null),
    requireTask: requireTask || undefined,
    noProgress: noProgress ?? NO_PROGRESS_DEFAULTS,
    paused: pauseView(pause),
    rating: rating ?? undefined,
    createdAt: toIsoTime(createdAt),
    createdBy: createdBy ?? undefined,
  };
}

function pauseView(pause: Pause | null): AgentResponse["paused"] {
  if (pause === null) return null;
  const { at, by, cause, reason, evidence } = pause;
  return {
    at: toIsoTime(at),
    by: by ?? undefined,
    cause,
    reason: reason ?? undefined,
    evidence: evidence ?? undefined,
  };
}

/** The presence fields of a worker agent; undefined for other agents. */
export function presenceView(
  presence: Presence | null,
): Pick<ListedAgentResponse, "lastSeenAt" | "online"> {
  return {
    lastSeenAt: toIsoTime(presence?.lastSeenAt ?? null) ?? undefined,
    online: presence?.isOnline,
  };
}

export function workerView(state: WorkerState): AgentWorkerResponse {
  const { worker, keyId, lastSeenAt, isWaiting, taskIds } = state;
  return {
    name: worker ?? undefined,
    keyId: keyId ?? undefined,
    lastSeenAt: toIsoTime(lastSeenAt) ?? undefined,
    waiting: isWaiting,
    taskIds: [...taskIds],
  };
}

function executorView(executor: ExecutorConfig, hasApiKey: boolean): ExecutorResponse {
  switch (executor.type) {
    case "builtin":
    case "worker":
      return executor;
    case "a2a":
      return { ...executor, hasApiKey };
    case "model": {
      const { isKeyless = false, ...shown } = executor;
      return {
        ...shown,
        baseUrl: shown.baseUrl ?? undefined,
        headerNames: shown.headerNames && [...shown.headerNames],
        instructions: shown.instructions ?? undefined,
        temperature: shown.temperature ?? undefined,
        hasApiKey: hasApiKey && !isKeyless,
      };
    }
  }
}
