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
];
