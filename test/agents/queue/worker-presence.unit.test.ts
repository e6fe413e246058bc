import { describe, expect, it } from "vitest";
import {
  WORKER_ONLINE_MS,
  WORKERS_REMEMBERED_MAX,
  WORKERS_SHOWN_MAX,
} from "../../../src/agents/limits.ts";
import { presenceOf } from "../../../src/agents/model/presence.ts";
import { WorkerPresence } from "../../../src/agents/queue/worker-presence.ts";

const NOW = Date.UTC(2031, 0, 1);
const ANNE = { worker: "anne", keyId: "key-1" };
const BEN = { worker: "ben", keyId: "key-1" };

describe("the workers that a queue knows", () => {
  it("a worker waits from the start of its claim to the end, also with several claims", () => {
    const presence = new WorkerPresence();
    presence.startClaim(ANNE, NOW);
    presence.startClaim(ANNE, NOW + 1);
    presence.endClaim(ANNE, NOW + 2);
    expect(presence.list([])).toEqual([
      { ...ANNE, lastSeenAt: NOW + 2, isWaiting: true, taskIds: [] },
    ]);
    presence.endClaim(ANNE, NOW + 3);
    expect(presence.list([])).toMatchObject([{ lastSeenAt: NOW + 3, isWaiting: false }]);
  });

  it("workers with the same key are distinguished by name, and each holds the tasks that it claimed", () => {
    const presence = new WorkerPresence();
    for (const worker of [ANNE, BEN]) {
      presence.startClaim(worker, NOW);
      presence.endClaim(worker, NOW);
    }
    const held = [
      { taskId: "task-1", ...ANNE },
      { taskId: "task-2", ...BEN },
    ];
    const states = presence.list(held).map(({ worker, taskIds }) => [worker, taskIds]);
    expect(states).toEqual([
      ["anne", ["task-1"]],
      ["ben", ["task-2"]],
    ]);
    expect(presence.list(held.slice(1)).map(({ taskIds }) => taskIds)).toEqual([[], ["task-2"]]);
  });

  it("a reloaded queue knows the workers that hold tasks, but not when they were seen", () => {
    const held = [
      { taskId: "task-1", ...ANNE },
      { taskId: "task-2", worker: null, keyId: null },
    ];
    const unseen = { lastSeenAt: null, isWaiting: false };
    expect(new WorkerPresence().list(held)).toEqual([
      { ...unseen, ...ANNE, taskIds: ["task-1"] },
      { ...unseen, worker: null, keyId: null, taskIds: ["task-2"] },
    ]);
  });

  it("the oldest workers are forgotten, but not one that is waiting", () => {
    const presence = new WorkerPresence();
    presence.startClaim(ANNE, NOW);
    for (let count = 0; count < WORKERS_REMEMBERED_MAX + 10; count += 1) {
      const worker = { worker: `crew-${count}`, keyId: "key-2" };
      presence.startClaim(worker, NOW);
      presence.endClaim(worker, NOW);
    }
    presence.endClaim(ANNE, NOW + 1);
    const shown = presence.list([]);
    expect(shown).toHaveLength(WORKERS_SHOWN_MAX);
    expect(shown[0]).toMatchObject({ worker: "anne", lastSeenAt: NOW + 1 });
  });
});

describe("the presence of an agent", () => {
  it.each<[string, readonly (number | null)[], boolean, number | null, boolean]>([
    ["never seen", [null], false, null, false],
    ["seen at the limit", [null, NOW - WORKER_ONLINE_MS], false, NOW - WORKER_ONLINE_MS, true],
    [
      "seen before the limit",
      [NOW - WORKER_ONLINE_MS - 1],
      false,
      NOW - WORKER_ONLINE_MS - 1,
      false,
    ],
    ["holding a task", [], true, null, true],
    ["seen twice", [NOW - 5, NOW - 3], false, NOW - 3, true],
  ])("an agent %s has the right state", (_, seenAt, holdsTask, lastSeenAt, isOnline) => {
    expect(presenceOf(seenAt, holdsTask, NOW)).toEqual({ lastSeenAt, isOnline });
  });
});
