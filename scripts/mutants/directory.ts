import type { Mutant } from "./mutant.ts";

/** Promises 6 and 7: the directory follows the logs. */
export const DIRECTORY: readonly Mutant[] = [
  {
    name: "older-row",
    promise: 6,
    protects: "an older row does not overwrite a newer one",
    file: "src/tasks/directory/directory.store.ts",
    find: " where excluded.seq > directory.seq`",
    replace: "`",
    tests: ["test/tasks/directory/outage.test.ts"],
  },
  {
    name: "row-in-doubt",
    promise: 6,
    protects: "a row update relies only on a row that is known to be written",
    file: "src/tasks/runtime/outbox.ts",
    find: `    this.#storedRow = null;
    this.#latestRow = row;
`,
    replace: `    this.#latestRow = row;
`,
    tests: ["test/simulator/regression-seeds.test.ts"],
  },
  {
    name: "rejected-row-retried",
    promise: 6,
    protects: "the alarm writes a directory row that D1 did not accept",
    file: "src/tasks/runtime/outbox.ts",
    find: "const targets = [this.directory, this.queue, this.#turns];",
    replace: "const targets = [this.queue, this.#turns];",
    tests: ["test/tasks/directory/pending-row.test.ts"],
  },
  {
    name: "log-deleted-first",
    promise: 6,
    protects:
      "a purge deletes the log last, so that after a failure the log still lists what to delete",
    file: "src/tasks/runtime/alarm-handler.ts",
    find: `await withTimeout(STORE_TIMEOUT_MS, deleteFiles(this.#env.FILES, this.#taskId));
    await outbox.directory.remove(task);
    await store.deleteAll();`,
    replace: `    await store.deleteAll();
    await withTimeout(STORE_TIMEOUT_MS, deleteFiles(this.#env.FILES, this.#taskId));
    await outbox.directory.remove(task);
`,
    tests: ["test/tasks/runtime/paced/purge.test.ts"],
  },
  {
    name: "row-after-the-answer",
    promise: 7,
    protects: "a task is in the directory before its creator is answered",
    file: "src/tasks/runtime/task.object.ts",
    find: "await this.#publish(created.ok);",
    replace: "void this.#publish(created.ok);",
    tests: ["test/spec/list-tasks.test.ts"],
  },
  {
    name: "row-after-its-end",
    promise: 6,
    protects: "the row of a task that is being deleted is not written again",
    file: "src/tasks/runtime/outbox.ts",
    find: "const isListed = !this.#store.isDueForPurge();",
    replace: "const isListed = true;",
    tests: ["test/tasks/runtime/paced/purge.test.ts"],
  },
  {
    name: "shard-forgotten",
    promise: 6,
    protects: "a task's row is written to the shard that its first event names",
    file: "src/tasks/model/fold.ts",
    find: "shard: data.shard ?? 0,",
    replace: "shard: 0,",
    tests: ["test/tasks/directory/sharded/tasks.test.ts"],
  },
  {
    name: "row-left-in-its-shard",
    promise: 6,
    protects: "the end of retention deletes a row in its own shard",
    file: "src/tasks/directory/sharded-directory.store.ts",
    find: "deleteDirectoryRow(getDatabase(getDirectoryDatabase(shards, shard)), row),",
    replace: "deleteDirectoryRow(getDatabase(first), row),",
    tests: ["test/tasks/directory/sharded/retention.test.ts"],
  },
  {
    name: "half-of-two-writes",
    promise: 6,
    protects:
      "neither of two writes to two databases is applied after the failure of the other is reported",
    file: "src/tasks/directory/sharded-directory.store.ts",
    find: `  for (const outcome of await Promise.allSettled([one, other])) {
    if (outcome.status === "rejected") throw outcome.reason;
  }
`,
    replace: "  await Promise.all([one, other]);\n",
    tests: ["test/tasks/directory/sharded/retention.test.ts"],
  },
  {
    name: "rating-again",
    promise: 6,
    protects: "a rewritten row counts once in its agent's mean rating",
    file: "src/tasks/directory/directory.store.ts",
    find: "sql`NOT EXISTS (SELECT 1 FROM ${counted} AND seq >= ${seq})`",
    replace: "undefined",
    tests: ["test/tasks/api/feedback.test.ts"],
  },
  {
    name: "remote-rating-counted-twice",
    promise: 6,
    protects:
      "one transaction updates an agent's mean and records which rating of another shard it contains",
    file: "src/tasks/directory/directory.store.ts",
    find: "await db.batch([updateAgentRating(db, rated, counted), note]);",
    replace: "await updateAgentRating(db, rated, counted);",
    tests: ["test/tasks/directory/sharded/ratings.test.ts"],
  },
];
