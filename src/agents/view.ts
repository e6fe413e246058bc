import type { Agent, ExecutorConfig } from "./model/agent.ts";

/** An agent for keys with agents:manage: everything except its secret. */
export function agentView(agent: Agent): object {
  const { executor, sealed, rating, createdAt, createdBy, requireTask, ...rest } = agent;
  return {
    ...rest,
    executor: executorView(executor, sealed !== null),
    ...(requireTask ? { requireTask } : {}),
    ...(rating === null ? {} : { rating }),
    createdAt: new Date(createdAt).toISOString(),
    ...(createdBy === null ? {} : { createdBy }),
  };
}

function executorView(executor: ExecutorConfig, hasApiKey: boolean): object {
  switch (executor.type) {
    case "builtin":
    case "worker":
      return executor;
    case "a2a":
      return { ...executor, hasApiKey };
    case "model": {
      const { isKeyless = false, ...shown } = executor;
      const given = Object.entries(shown).filter(([, value]) => value !== null);
      return { ...Object.fromEntries(given), hasApiKey: hasApiKey && !isKeyless };
    }
  }
}
