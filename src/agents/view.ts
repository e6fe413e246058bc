import { toIsoTime } from "../kernel/text.ts";
import type { ExecutorResponse } from "./executor-schemas.ts";
import type { Agent, ExecutorConfig } from "./model/agent.ts";
import type { AgentResponse } from "./schemas.ts";

/** An agent as shown to keys with agents:manage: everything except its secret. */
export function agentView(agent: Agent): AgentResponse {
  const { executor, sealed, rating, createdAt, createdBy, requireTask, ...rest } = agent;
  return {
    ...rest,
    skills: [...rest.skills],
    teams: [...rest.teams],
    executor: executorView(executor, sealed !== null),
    requireTask: requireTask || undefined,
    rating: rating ?? undefined,
    createdAt: toIsoTime(createdAt),
    createdBy: createdBy ?? undefined,
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
