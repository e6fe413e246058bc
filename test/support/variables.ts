/** The values of configuration variables in tests. */
export const VARIABLES = {
  AGENT_STEP_INTERVAL_MS: "0",
  // Run one step per alarm, so tests can look at the task between steps.
  ALARM_RUN_MAX_MS: "0",
  ALLOW_PRIVATE_EGRESS: "false",
  LOOPBACK_ONLY: "false",
  TASK_RETENTION_DAYS: "0",
  AUDIT_RETENTION_DAYS: "0",
  DIRECTORY_SHARDS: "1",
  DIRECTORY_FULL: "0",
};

/** Overrides for individual test files and folders. */
const OF_FOLDER: Readonly<Record<string, Partial<typeof VARIABLES>>> = {
  "/test/performance/rows-written": { ALARM_RUN_MAX_MS: "250" },
  "/test/tasks/runtime/alarm-run": { ALARM_RUN_MAX_MS: "250" },
  "/test/e2e/": { ALLOW_PRIVATE_EGRESS: "true" },
  "/test/tasks/directory/sharded/": { DIRECTORY_SHARDS: "3" },
  "/test/tasks/runtime/paced/": { AGENT_STEP_INTERVAL_MS: "500", TASK_RETENTION_DAYS: "1" },
};

export function variablesOf(file: string): typeof VARIABLES {
  const [, own] = Object.entries(OF_FOLDER).find(([folder]) => file.includes(folder)) ?? [];
  return { ...VARIABLES, ...own };
}
