import type { Mutant } from "./mutant.ts";

/** Guarantees 6 and 7: the directory matches the task logs. */
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
    protects: "an update to a row relies only on versions that are known to have been written",
    file: "src/tasks/runtime/outbox.ts",
    find: `    this.#storedRow = null;
    this.#latestRow = row;
`,
    replace: `    this.#latestRow = row;
`,
    tests: ["test/simulator/regression-seeds.test.ts"],
  },
  {
    name: "overtaken-row-is-stored",
    promise: 6,
    protects: "a late response to an older write does not replace the newest known row",
    file: "src/tasks/runtime/outbox.ts",
    find: "if (this.#latestRow === row) this.#storedRow = row;",
    replace: "this.#storedRow = row;",
    tests: ["test/tasks/directory/outage.test.ts"],
  },
  {
    name: "older-row-after-the-feed",
    promise: 6,
    protects: "after a call to the feed, the alarm run writes the row for the task's current state",
    file: "src/tasks/runtime/outbox.ts",
    find: "const saving = this.directory.afterFeed().then(() => this.#saveRow());",
    replace: "const saving = this.directory.afterFeed().then(() => this.directory.publish(task));",
    tests: ["test/tasks/runtime/alarm-run.test.ts"],
  },
  {
    name: "row-left-to-the-feed",
    promise: 6,
    protects: "if the feed does not write the row, the task writes it in the same run",
    file: "src/tasks/runtime/outbox.ts",
    find: "const saving = this.directory.afterFeed().then(() => this.#saveRow());",
    replace: "const saving = this.directory.afterFeed();",
    tests: ["test/tasks/runtime/alarm-run.test.ts"],
  },
  {
    name: "row-written-twice",
    promise: 6,
    protects: "the task does not write a row that the feed has written in the same run",
    file: "src/tasks/runtime/outbox.ts",
    find: "const saving = this.directory.afterFeed().then(() => this.#saveRow());",
    replace: "const saving = this.#saveRow();",
    tests: ["test/tasks/runtime/alarm-run.test.ts"],
  },
  {
    name: "row-written-before-the-feed",
    promise: 6,
    protects:
      "before it writes its row, the task waits for the calls to the feed that its alarm run has started",
    file: "src/tasks/runtime/outbox.ts",
    find: `    const publishing = this.feed.publish(task);
    // Any call to the feed has started at this point.
    const saving = this.directory.afterFeed().then(() => this.#saveRow());
`,
    replace: `    const saving = this.directory.afterFeed().then(() => this.#saveRow());
    const publishing = this.feed.publish(task);
`,
    tests: ["test/tasks/runtime/alarm-run.test.ts"],
  },
  {
    name: "row-sent-again",
    promise: 6,
    protects: "an object instance sends each version of a row to the feed at most once",
    file: "src/tasks/runtime/outbox.ts",
    find: "return task.shard === 0 && isNew && !isDeletionNear;",
    replace: "return task.shard === 0 && !isDeletionNear;",
    tests: ["test/tasks/runtime/outbox.test.ts"],
  },
  {
    name: "row-not-sent-to-the-feed",
    promise: 6,
    protects: "the feed writes the rows of alarm runs",
    file: "src/tasks/runtime/outbox.ts",
    find: "await (includesRow ? this.#directory.publishThroughFeed(task, send) : send(null));",
    replace: "await send(null);",
    tests: ["test/tasks/runtime/alarm-run.test.ts"],
  },
  {
    name: "stored-bytes-in-doubt",
    promise: 6,
    protects: "each version of a row includes the stored bytes",
    file: "src/tasks/directory/directory.store.ts",
    find: 'field === "storedBytes" || before',
    replace: "before",
    tests: ["test/keys/usage-limits.test.ts"],
  },
  {
    name: "row-of-a-request-to-the-feed",
    promise: 6,
    protects: "a request writes the task's row without the feed",
    file: "src/tasks/runtime/outbox.ts",
    find: `this.#store.alarmRun !== "none" &&
      this.#directory`,
    replace: "this.#directory",
    tests: ["test/tasks/runtime/alarm-run.test.ts"],
  },
  {
    name: "feed-writes-in-the-wrong-shard",
    promise: 6,
    protects: "the feed writes only rows in shard 0",
    file: "src/tasks/runtime/outbox.ts",
    find: "return task.shard === 0 && isNew",
    replace: "return isNew",
    tests: ["test/tasks/directory/sharded/tasks.test.ts"],
  },
  {
    name: "late-call-after-deletion",
    promise: 6,
    protects: "a delayed call to the feed does not write the row of a deleted task",
    file: "src/tasks/runtime/outbox.ts",
    find: " && !isDeletionNear;",
    replace: ";",
    tests: ["test/tasks/runtime/paced/purge.test.ts"],
  },
  {
    name: "open-task-counts-as-kept",
    promise: 6,
    protects:
      "a delayed call to the feed does not write the row of a task that has ended and been deleted in the meantime",
    file: "src/tasks/model/schedule.ts",
    find: " ?? (retentionMs === null ? null : now + retentionMs)",
    replace: "",
    tests: ["test/tasks/runtime/outbox.test.ts"],
  },
  {
    name: "row-of-another-release",
    promise: 6,
    protects: "the feed does not write a row that lacks a field or has an unknown one",
    file: "src/tasks/directory/directory.store.ts",
    find: "row.rating === null && hasExactFields(row)",
    replace: "row.rating === null",
    tests: ["test/events/directory-rows.test.ts"],
  },
  {
    name: "rated-row-by-the-feed",
    promise: 6,
    protects: "a rated row is written only together with its agent's mean rating",
    file: "src/tasks/directory/directory.store.ts",
    find: "row.rating === null && hasExactFields(row)",
    replace: "hasExactFields(row)",
    tests: ["test/events/directory-rows.test.ts"],
  },
  {
    name: "rejected-row-retried",
    promise: 6,
    protects: "the alarm rewrites a directory row that D1 did not accept",
    file: "src/tasks/runtime/outbox.ts",
    find: "[this.directory, this.queue, this.#turns, this.#withdrawals]",
    replace: "[this.queue, this.#turns, this.#withdrawals]",
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
    protects:
      "a new task is in the directory before its creator receives the response, unless the directory does not respond for a second",
    file: "src/tasks/runtime/task.object.ts",
    find: "await this.#publish(created.ok);",
    replace: "void this.#publish(created.ok);",
    tests: ["test/spec/list-tasks.test.ts"],
  },
  {
    name: "row-state-after-deletion",
    promise: 6,
    protects: "a task that is created again under its idempotency key gets a new row",
    file: "src/tasks/runtime/outbox.ts",
    find: `    this.#storedRow = null;
    this.#latestRow = null;
`,
    replace: "",
    tests: ["test/tasks/runtime/paced/feed.test.ts"],
  },
  {
    name: "row-after-its-end",
    promise: 6,
    protects: "the row of a task that is being deleted is not written again",
    file: "src/tasks/runtime/outbox.ts",
    find: "if (task !== null && !this.#store.isDueForPurge()) await",
    replace: "if (task !== null) await",
    tests: ["test/tasks/runtime/paced/purge.test.ts"],
  },
  {
    name: "shard-forgotten",
    promise: 6,
    protects: "a task's row is written to the shard named in its first event",
    file: "src/tasks/model/fold.ts",
    find: "shard: data.shard ?? 0,",
    replace: "shard: 0,",
    tests: ["test/tasks/directory/sharded/tasks.test.ts"],
  },
  {
    name: "row-left-in-its-shard",
    promise: 6,
    protects: "when a task's retention ends, its row is deleted in the right shard",
    file: "src/tasks/directory/sharded-directory.store.ts",
    find: "deleteDirectoryRow(getDatabase(getDirectoryDatabase(shards, shard)), row),",
    replace: "deleteDirectoryRow(getDatabase(first), row),",
    tests: ["test/tasks/directory/sharded/retention.test.ts"],
  },
  {
    name: "half-of-two-writes",
    promise: 6,
    protects:
      "if one of two writes to different databases fails, the failure is reported only after the other has ended",
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
    protects: "a row that is written again counts only once in its agent's mean rating",
    file: "src/tasks/directory/directory.store.ts",
    find: "sql`NOT EXISTS (SELECT 1 FROM ${counted} AND seq >= ${seq})`",
    replace: "undefined",
    tests: ["test/tasks/api/feedback.test.ts"],
  },
  {
    name: "remote-rating-counted-twice",
    promise: 6,
    protects:
      "one transaction updates an agent's mean rating and records which ratings from other shards it includes",
    file: "src/tasks/directory/directory.store.ts",
    find: "await db.batch([updateAgentRating(db, rated, counted), note]);",
    replace: "await updateAgentRating(db, rated, counted);",
    tests: ["test/tasks/directory/sharded/ratings.test.ts"],
  },
];
