/** What was done during setup, as the URL states it, so that the results are still shown after a reload. */
export interface SetupState {
  /** The agent and the tool of the grant. */
  readonly agentId?: string;
  readonly toolId?: string;
  /** The sample task. */
  readonly taskId?: string;
}

/** Reads the state of a URL. Parameters that are unknown or invalid are ignored. */
export function readSetupState(search: Record<string, unknown>): SetupState {
  const { agentId, toolId, taskId } = search;
  return {
    ...(typeof agentId === "string" && agentId !== "" && { agentId }),
    ...(typeof toolId === "string" && toolId !== "" && { toolId }),
    ...(typeof taskId === "string" && /^[0-9a-f]{64}$/.test(taskId) && { taskId }),
  };
}
