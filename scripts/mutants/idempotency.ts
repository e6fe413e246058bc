import type { Mutant } from "./mutant.ts";

/** Guarantee 2: idempotency keys. */
export const IDEMPOTENCY: readonly Mutant[] = [
  {
    name: "task-fingerprint",
    promise: 2,
    protects: "a request that reuses a task's idempotency key with a different body is rejected",
    file: "src/tasks/runtime/task.store.ts",
    find: 'if (task.fingerprint !== fingerprint) return fail({ kind: "idempotency_key_reused" });',
    replace: "",
    tests: ["test/tasks/api/idempotency.test.ts"],
  },
  {
    name: "key-names-the-task",
    promise: 2,
    protects:
      "requests to create a task with the same API key and idempotency key use the same object",
    file: "src/tasks/task.rpc.ts",
    find: "tasks.idFromName(`${idempotency.keyId}:${idempotency.key}`);",
    replace: "tasks.newUniqueId();",
    tests: ["test/tasks/api/idempotency.test.ts"],
  },
  {
    name: "idempotency-fingerprint",
    promise: 2,
    protects: "a different request with the same idempotency key does not get the first response",
    file: "src/platform/idempotency/idempotency-record.ts",
    find: 'if (record.fingerprint !== fingerprint) return "reused";',
    replace: "",
    tests: ["test/platform/idempotency/idempotency-record.unit.test.ts"],
  },
  {
    name: "idempotency-ticket",
    promise: 2,
    protects: "only the request that locked a key can complete it",
    file: "src/platform/idempotency/idempotency-record.ts",
    find: "return record?.ticket === holderId &&",
    replace: "return record !== null &&",
    tests: ["test/platform/idempotency/idempotency-record.unit.test.ts"],
  },
  {
    name: "idempotency-lost-is-free",
    promise: 2,
    protects: "interrupted work that may have been applied is not repeated",
    file: "src/platform/idempotency/idempotency-lock.ts",
    find: 'await this.#settle("mark_lost", (key) => key.markLost(this.#holderId));',
    replace: "await this.#release();",
    tests: ["test/platform/idempotency/interrupted-work.test.ts"],
  },
];
