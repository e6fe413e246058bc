import type { Mutant } from "./mutant.ts";

/** Workers that return tasks, and uploads of unknown length. */
export const WORKERS: readonly Mutant[] = [
  {
    name: "released-lease",
    promise: 4,
    protects: "a worker that has returned its task no longer holds it",
    file: "src/domain/fold.ts",
    find: "return { openedSeq: 0, lease, work: { ...task.work, ...event.data.work }, steppedAt: at };",
    replace: "return { lease, work: { ...task.work, ...event.data.work }, steppedAt: at };",
    tests: ["test/domain/matrix.test.ts"],
  },
  {
    name: "released-again",
    promise: 4,
    protects:
      "a task is returned only by the worker that holds it, and repeated only by that worker",
    file: "src/domain/report.ts",
    find: "return lease?.isReturned === true && now < lease.expiresAt;",
    replace: "return true;",
    tests: ["test/domain/released.test.ts"],
  },
  {
    name: "released-work",
    promise: 11,
    protects: "the work that a worker saves when it returns a task is bounded",
    file: "src/domain/report.ts",
    find: 'if (agentId === null) throw new Error("A task that a worker holds must have an agent");\n  const problem = workProblem(task, work);',
    replace:
      'if (agentId === null) throw new Error("A task that a worker holds must have an agent");\n  const problem = null;',
    tests: ["test/domain/released.test.ts"],
  },
  {
    name: "unsized-upload",
    promise: 11,
    protects: "an upload of unknown length has the same size limit as any other",
    file: "src/tasks/worker/store-in-parts.ts",
    find: "if (size > UPLOAD_BYTES_MAX) {",
    replace: "if (size > Infinity) {",
    tests: ["test/workers/pour.test.ts"],
    only: /too large is read no further/,
  },
  {
    name: "unsized-remains",
    promise: 11,
    protects: "an upload of unknown length that fails leaves no part in the store",
    file: "src/tasks/worker/store-in-parts.ts",
    find: "hashing.abort(), parts.abort()",
    replace: "hashing.abort()",
    tests: ["test/workers/pour.test.ts"],
    only: /unknown length/,
  },
  {
    name: "lease-key-in-row",
    promise: 9,
    protects: "the row of a held task has the key that it was last claimed with",
    file: "src/agents/queue/places.ts",
    find: "const isWritten = before?.isRunning === true && before.keyId === entry.keyId;",
    replace: "const isWritten = before?.isRunning === true;",
    tests: ["test/domain/queue-places.test.ts"],
    only: /last claimed with/,
  },
  {
    name: "claimed-by-other-key",
    promise: 9,
    protects: "a call without a task counts under a task that its own key has claimed",
    file: "src/agents/queue/places.ts",
    find: "isRunning && (keyId === null || keyId === claimKeyId)",
    replace: "isRunning",
    tests: ["test/tools/calls-under-a-claimed-task.test.ts"],
    only: /whatever other keys/,
  },
];
