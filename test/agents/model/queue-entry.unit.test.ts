import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QUEUE_AGE_LEVEL_MS } from "../../../src/agents/limits.ts";
import {
  compareQueueEntries,
  urgencyOf,
  findNextEntry,
  type QueueEntry,
} from "../../../src/agents/model/queue-entry.ts";
import { PRIORITIES, type Priority } from "../../../src/tasks/model/task.ts";

const NOW = Date.UTC(2030, 0, 31, 12);
const MINUTE = 60_000;

const anEntry: fc.Arbitrary<QueueEntry> = fc.record({
  taskId: fc.string({ minLength: 1, maxLength: 3 }),
  seq: fc.integer({ min: 1, max: 9 }),
  priority: fc.constantFrom(...PRIORITIES),
  deadline: fc.option(fc.integer({ min: NOW - 5, max: NOW + 5 })),
  // Few distinct values, so that ties make the other criteria decide in some comparisons.
  since: fc.integer({ min: -3, max: 8 }).map((steps) => NOW - (steps * QUEUE_AGE_LEVEL_MS) / 2),
  isRunning: fc.constant(false),
});

function entry(taskId: string, given: Partial<QueueEntry> = {}): QueueEntry {
  const usual = {
    seq: 2,
    priority: "medium",
    deadline: null,
    since: NOW,
    isRunning: false,
  } as const;
  return { taskId, ...usual, ...given };
}

function order(...entries: QueueEntry[]): string[] {
  return entries.toSorted((a, b) => compareQueueEntries(a, b, NOW)).map(({ taskId }) => taskId);
}

describe("the order of a queue", () => {
  it("the order of a queue is total: two different tasks never tie, and a task ties with itself", () => {
    const property = fc.property(anEntry, anEntry, (a, b) => {
      const [there, back] = [compareQueueEntries(a, b, NOW), compareQueueEntries(b, a, NOW)];
      expect(Math.sign(there) + Math.sign(back)).toBe(0);
      if (a.taskId !== b.taskId) expect(there).not.toBe(0);
      expect(compareQueueEntries(a, a, NOW)).toBe(0);
    });
    fc.assert(property, { numRuns: 5_000 });
  });

  it("the order of a queue is transitive", () => {
    const property = fc.property(anEntry, anEntry, anEntry, (...three) => {
      const [a, b, c] = three.toSorted((x, y) => compareQueueEntries(x, y, NOW));
      if (a === undefined || b === undefined || c === undefined)
        throw new Error("There are fewer than three entries");
      expect(compareQueueEntries(a, b, NOW)).toBeLessThanOrEqual(0);
      expect(compareQueueEntries(b, c, NOW)).toBeLessThanOrEqual(0);
      expect(compareQueueEntries(a, c, NOW)).toBeLessThanOrEqual(0);
    });
    fc.assert(property, { numRuns: 5_000 });
  });

  it("the next task is the first in sorted order, in whatever order the tasks are stored", () => {
    const distinct = fc.uniqueArray(anEntry, { selector: ({ taskId }) => taskId, maxLength: 20 });
    const property = fc.property(distinct, fc.nat(), (entries, turn) => {
      const at = turn % Math.max(1, entries.length);
      const turned = [...entries.slice(at), ...entries.slice(0, at)];
      expect(findNextEntry(turned, NOW)?.taskId).toBe(order(...entries)[0]);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it("tasks that have waited equally long are ordered by priority", () => {
    const four = PRIORITIES.map((priority) => entry(priority, { priority }));
    expect(order(...four)).toEqual(["urgent", "high", "medium", "low"]);
  });

  it("tasks of the same level are ordered by deadline, then wait, then id", () => {
    const given = [
      entry("d", { since: NOW - 2 }),
      entry("c", { since: NOW - 3 }),
      entry("b", { deadline: NOW + 2 * MINUTE }),
      entry("a", { deadline: NOW + MINUTE }),
      entry("e", { since: NOW - 2 }),
    ];
    expect(order(...given)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("a task of a higher level comes before a task with a deadline", () => {
    const hurried = entry("hurried", { priority: "low", deadline: NOW + 1 });
    expect(order(hurried, entry("calm", { priority: "high" }))).toEqual(["calm", "hurried"]);
  });

  it("a wait that starts in the future counts as no wait", () => {
    expect(urgencyOf(entry("a", { since: NOW + 90 * MINUTE }), NOW)).toBe(1);
  });

  it("a task of the lowest priority comes before every new task after forty minutes, but not earlier", () => {
    const newest = entry("new", { priority: "urgent" });
    const low = (minutes: number) =>
      entry("low", { priority: "low", since: NOW - minutes * MINUTE });
    expect(order(newest, low(29))).toEqual(["new", "low"]);
    // At the same level, the longer wait comes first, unless one of the tasks has a deadline.
    expect(order(newest, low(30))).toEqual(["low", "new"]);
    expect(order({ ...newest, deadline: NOW + 1 }, low(39))).toEqual(["new", "low"]);
    expect(order({ ...newest, deadline: NOW + 1 }, low(40))).toEqual(["low", "new"]);
  });
});

describe("a queue under full load", () => {
  /**
   * One task starts and one task arrives each minute. Returns the number of minutes until `id`
   * starts.
   */
  function startOf(id: string, waiting: QueueEntry[], inflow: (at: number) => QueueEntry): number {
    const queue = new Set(waiting);
    for (let minute = 1; minute < 1_000; minute += 1) {
      const now = NOW + minute * MINUTE;
      queue.add(inflow(now));
      const next = findNextEntry(queue, now);
      if (next?.taskId === id) return minute;
      if (next !== null) queue.delete(next);
    }
    return Infinity;
  }

  const hurried = (at: number) =>
    entry(`new at ${at}`, { priority: "urgent", since: at, deadline: at + MINUTE });

  it.each<[Priority, number]>([
    ["low", 40],
    ["medium", 30],
    ["high", 20],
  ])(
    "during a steady inflow of urgent tasks, a task of %s priority starts after %i minutes",
    (priority, minutes) => {
      expect(startOf("patient", [entry("patient", { priority })], hurried)).toBe(minutes);
    },
  );

  it("under full load, every task starts within forty minutes plus one minute per task in the queue", () => {
    const waiting = anEntry.map((one) => ({ ...one, since: Math.min(one.since, NOW) }));
    const queues = fc.uniqueArray(waiting, {
      selector: ({ taskId }) => taskId,
      minLength: 1,
      maxLength: 15,
    });
    const property = fc.property(queues, (queue) => {
      for (const { taskId } of queue) {
        expect(startOf(taskId, queue, hurried)).toBeLessThanOrEqual(40 + queue.length);
      }
    });
    fc.assert(property, { numRuns: 200 });
  });
});
