import type { Mutant } from "./mutant.ts";

/** Agents that wait for tasks over MCP. */
export const MCP: readonly Mutant[] = [
  {
    name: "wait-for-status",
    promise: 10,
    protects: "a wait for a task ends when its status changes, and not for every event",
    file: "src/tasks/wait.ts",
    find: "if (task.status !== before.status) break;",
    replace: "break;",
    tests: ["test/mcp-door/waiting.test.ts"],
    only: /not for any other event/,
  },
  {
    name: "wait-for-people",
    promise: 10,
    protects: "nobody waits for a task that has ended or waits for people",
    file: "src/tasks/wait.ts",
    find: "if (!isAwaitingAgent(before.status)) return ok(before);",
    replace: "",
    tests: ["test/mcp-door/waiting.test.ts"],
    only: /returns at once when the task is review/,
  },
  {
    name: "wait-without-client",
    promise: 10,
    protects: "a client that hangs up ends its wait for a task",
    file: "src/tasks/wait.ts",
    find: "AbortSignal.any([signal, AbortSignal.timeout(waitMs)])",
    replace: "AbortSignal.timeout(waitMs)",
    tests: ["test/mcp-door/waiting.test.ts"],
    only: /when its client hangs up/,
  },
];
