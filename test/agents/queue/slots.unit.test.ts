import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QueueSlots } from "../../../src/agents/queue/slots.ts";
import type { QueueTerms } from "../../../src/agents/queue/queue.rpc.ts";
import { SimulatedQueue } from "./simulated-queue.ts";

/** The key and the worker of a task that no worker claimed. */
const UNNAMED = { keyId: null, worker: null };

type Move = readonly [name: keyof typeof MOVES, n: number];

const MOVES = {
  addToQueue: (world: SimulatedQueue, n: number) => world.addToQueue(n),
  removeFromQueue: (world: SimulatedQueue, n: number) => world.removeFromQueue(n),
  removeAndAdd: (world: SimulatedQueue, n: number) => world.removeAndAdd(n),
  deliver: (world: SimulatedQueue, n: number) => world.deliver(n),
  pick: (world: SimulatedQueue) => world.pick(),
  arrive: (world: SimulatedQueue, n: number) => world.arrive(n),
  answer: (world: SimulatedQueue, n: number) => world.answer(n),
  passTime: (world: SimulatedQueue, n: number) => (world.now += (n % 100) * 1_000),
  lose: (world: SimulatedQueue, n: number) => world.lose(n),
  crash: (world: SimulatedQueue) => world.crash(),
  limit: (world: SimulatedQueue, n: number) =>
    world.configure(n % 4 === 3 ? null : 1 + (n % 4), true),
  close: (world: SimulatedQueue, n: number) => world.configure(world.terms.limit, n % 3 === 0),
  pickToRelease: (world: SimulatedQueue) => world.pickToRelease(),
} as const;

const CALM = [
  "addToQueue",
  "removeFromQueue",
  "removeAndAdd",
  "deliver",
  "pick",
  "arrive",
  "answer",
  "passTime",
] as const;

function moves(names: readonly Move[0][]): fc.Arbitrary<Move[]> {
  const one = fc.tuple(fc.constantFrom(...names), fc.nat(60));
  return fc.array(one, { minLength: 20, maxLength: 200, size: "max" });
}

const anyTerms: fc.Arbitrary<QueueTerms> = fc.record({
  limit: fc.option(fc.integer({ min: 1, max: 3 })),
  isPulled: fc.boolean(),
});

/** Runs the moves and checks the simulated queue after each one. */
function runMoves(world: SimulatedQueue, all: readonly Move[], look: () => void = () => {}): void {
  for (const [name, n] of all) {
    MOVES[name](world, n);
    look();
    if (!world.countsMatchRows()) throw new Error(`After ${name}, the counts differ from the rows`);
  }
}

describe("slots under interleaved calls", () => {
  it("calls in any order never exceed the limit, and the queue ends up with exactly the running and waiting tasks", () => {
    const property = fc.property(anyTerms, moves(CALM), (terms, all) => {
      const world = new SimulatedQueue(6, terms);
      const limit = terms.limit ?? Infinity;
      runMoves(world, all, () => {
        if (world.held().length > limit) throw new Error("More running tasks than slots");
      });
      world.settleAll();
      expect(world.rows(true)).toEqual(world.held());
      // Without a free slot, rows of tasks that have left may remain, because only an offer would
      // detect them.
      const hasRoom = world.held().length < limit;
      if (hasRoom) expect(world.rows(false)).toEqual([]);
      expect(world.rows(false)).toEqual(expect.arrayContaining(world.waiting()));
      if (hasRoom) expect(world.waiting()).toEqual([]);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it("a lowered limit starts no task until enough have left, and a raised limit starts waiting tasks", () => {
    const property = fc.property(anyTerms, moves([...CALM, "limit"]), (terms, all) => {
      const world = new SimulatedQueue(6, terms);
      for (const move of all) {
        const before = world.calls.length;
        const held = world.held().length;
        runMoves(world, [move]);
        const isOffer = world.calls.length > before && move[0] === "pick";
        const limit = world.terms.limit ?? Infinity;
        const isOwnPlace = world.rows(true).includes(world.calls.at(-1)?.asked.taskId ?? "");
        if (isOffer && !isOwnPlace && held >= limit) throw new Error("There was no free slot");
      }
      world.configure(null, true);
      world.settleAll();
      expect(world.waiting()).toEqual([]);
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});

describe("slots after lost calls and crashes", () => {
  it("despite lost calls and crashes, no task waits forever, and no slot stays occupied without a task", () => {
    const property = fc.property(anyTerms, moves([...CALM, "lose", "crash"]), (terms, all) => {
      const world = new SimulatedQueue(6, terms);
      runMoves(world, all);
      world.settleAll();
      expect(world.rows(false)).toEqual(expect.arrayContaining(world.waiting()));
      if (world.waiting().length > 0) {
        expect(world.held()).toEqual(expect.arrayContaining(world.rows(true)));
        expect(world.held().length).toBeGreaterThanOrEqual(terms.limit ?? Infinity);
      }
      world.configure(null, true);
      world.settleAll();
      expect(world.waiting()).toEqual([]);
      expect(world.rows(false)).toEqual([]);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it("a closed queue releases all waiting tasks despite lost calls and crashes", () => {
    const names = [...CALM, "lose", "crash", "close", "pickToRelease"] as const;
    const property = fc.property(anyTerms, moves(names), (terms, all) => {
      const world = new SimulatedQueue(6, terms);
      runMoves(world, all);
      world.configure(terms.limit, false);
      world.settleAll();
      expect(world.waiting()).toEqual([]);
      expect(world.rows(false)).toEqual([]);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it("tasks that waited when the queue closed are released even if it is reopened at once or crashes", () => {
    const property = fc.property(anyTerms, fc.boolean(), moves(CALM), (terms, crashes, all) => {
      const world = new SimulatedQueue(6, { ...terms, limit: 1 });
      runMoves(world, all);
      while (world.updates.length > 0) world.deliver(0);
      while (world.calls.length > 0) {
        world.arrive(0);
        world.answer(0);
        while (world.updates.length > 0) world.deliver(0);
      }
      const waited = world.waiting();
      world.configure(1, false);
      world.configure(1, true);
      if (crashes) world.crash();
      world.settleAll();
      expect(world.waiting()).toEqual([]);
      expect(world.held().filter((id) => waited.includes(id))).toEqual([]);
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});

describe("the entry of a task in the queue", () => {
  const entry = { taskId: "a", seq: 3, priority: "high", deadline: null, since: 0 } as const;
  const PUSHED: QueueTerms = { limit: 1, isPulled: false };
  const PULLED: QueueTerms = { limit: null, isPulled: true };

  function picked(world: SimulatedQueue) {
    const asked = world.slots.pickNext(world.now);
    if (asked === null) throw new Error("No task was picked");
    return asked;
  }

  it("a task writes two rows if a slot is free, and three if it waits for one", () => {
    const world = new SimulatedQueue(1, PUSHED);
    const { slots, store } = world;
    slots.enqueue(entry, PUSHED, 0);
    expect(slots.readCounts()).toEqual({ waiting: 0, running: 1, limit: 1 });
    slots.enqueue({ ...entry, taskId: "b" }, PUSHED, 0);
    slots.recordOffer(picked(world), { kind: "admitted", seq: 4, ...UNNAMED }, 0);
    expect(slots.pickNext(0)).toBeNull();
    slots.removeTask("a", 5);
    const second = picked(world);
    expect(second.taskId).toBe("b");
    slots.recordOffer(second, { kind: "admitted", seq: 4, ...UNNAMED }, 0);
    slots.removeTask("b", 5);
    expect(store.written).toBe(2 + 3);
    expect(slots.readCounts()).toEqual({ waiting: 0, running: 0, limit: 1 });
  });

  it("known, stale and unknown entries write no rows", () => {
    const { slots, store } = new SimulatedQueue(1, PULLED);
    slots.enqueue(entry, PULLED, 0);
    expect(store.written).toBe(1);
    slots.enqueue(entry, PULLED, 0);
    slots.enqueue({ ...entry, seq: 2, priority: "low" }, PULLED, 0);
    slots.removeTask("a", 2);
    slots.removeTask("nobody", 9);
    expect(store.written).toBe(1);
    expect([...store.rows.values()]).toEqual([
      { ...entry, ...UNNAMED, requestId: null, isRunning: false, generation: 0 },
    ]);
    slots.removeTask("a", 4);
    expect(store.rows.size).toBe(0);
  });

  it("an older entry that arrives late does not replace the newer priority", () => {
    const { slots, store } = new SimulatedQueue(1, PULLED);
    slots.enqueue({ ...entry, seq: 5, priority: "urgent" }, PULLED, 0);
    slots.enqueue(entry, PULLED, 0);
    expect(store.rows.get("a")).toMatchObject({ seq: 5, priority: "urgent" });
  });

  it("a task that does not respond is called again at growing intervals, and the slot is offered to the next task", () => {
    const world = new SimulatedQueue(2, PUSHED);
    const { slots } = world;
    slots.enqueue(entry, PUSHED, 0);
    slots.enqueue({ ...entry, taskId: "b", priority: "low" }, PUSHED, 0);
    const pauses: (number | null)[] = [];
    let now = 0;
    slots.recordOffer(picked(world), { kind: "lost" }, now);
    const next = slots.pickNext(now);
    expect(next?.taskId).toBe("b");
    if (next !== null) slots.recordOffer(next, { kind: "rejected", isWorking: false }, now);
    for (let tries = 0; tries < 8; tries += 1) {
      expect(slots.pickNext(now)).toBeNull();
      const due = slots.nextAlarmAt(now) ?? Infinity;
      pauses.push(due - now);
      now = due;
      const again = slots.pickNext(now);
      if (again === null) throw new Error("The task was not called again");
      slots.recordOffer(again, { kind: "lost" }, now);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000));
    expect(slots.readCounts().waiting).toBe(1);
  });

  it("a task that waits again keeps its slot if the queue has not seen that it left", () => {
    const world = new SimulatedQueue(1, PUSHED);
    const { slots } = world;
    slots.enqueue(entry, PUSHED, 0);
    slots.recordOffer(picked(world), { kind: "admitted", seq: 4, ...UNNAMED }, 0);
    slots.enqueue({ ...entry, taskId: "b", seq: 9, priority: "urgent" }, PUSHED, 0);
    slots.enqueue({ ...entry, seq: 6 }, PUSHED, 0);
    slots.removeTask("a", 5);
    expect(picked(world).taskId).toBe("a");
  });

  it("a queue that starts its tasks itself releases a task that waits for a claim", () => {
    const world = new SimulatedQueue(1, PUSHED);
    world.slots.enqueue(entry, PULLED, 0);
    expect(world.slots.pickNext(0)).toBeNull();
    expect(world.slots.nextAlarmAt(7)).toBe(7);
    expect(world.slots.pickToRelease(7)).toMatchObject({ taskId: "a" });
  });

  it("waiting tasks are released when automatic starts replace claims, but not when the limit changes", () => {
    const { slots } = new SimulatedQueue(1, PULLED);
    slots.enqueue(entry, PULLED, 0);
    slots.configure("agent", { limit: 3, isPulled: true }, true);
    expect(slots.nextAlarmAt(7)).toBeNull();
    slots.configure("agent", { limit: 3, isPulled: false }, true);
    expect(slots.pickNext(7)).toBeNull();
    expect(slots.pickToRelease(7)).toMatchObject({ taskId: "a" });
  });

  it("a new task does not overtake a task that already waited for the free slot", () => {
    const world = new SimulatedQueue(2, PUSHED);
    const { slots } = world;
    slots.enqueue(entry, PUSHED, 0);
    slots.recordOffer(picked(world), { kind: "lost" }, 0);
    slots.enqueue({ ...entry, taskId: "b", priority: "low" }, PUSHED, 5_000);
    expect(slots.pickNext(5_000)?.taskId).toBe("a");
    expect(slots.pickNext(5_000)).toBeNull();
  });

  it("a new queue object checks once whether a task that was loaded from a row still occupies its slot", () => {
    const { slots, store } = new SimulatedQueue(1, PUSHED);
    for (const taskId of ["a", "b"]) slots.enqueue({ ...entry, taskId }, PUSHED, 0);
    const again = new QueueSlots(store);
    const holder = again.pickUnconfirmedHolder(0);
    expect(holder?.taskId).toBe("a");
    expect(again.pickUnconfirmedHolder(0)).toBeNull();
    if (holder !== null) again.recordOffer(holder, { kind: "rejected", isWorking: true }, 0);
    expect(again.pickUnconfirmedHolder(0)).toBeNull();
    expect(again.pickNext(0)).toBeNull();

    const third = new QueueSlots(store);
    const gone = third.pickUnconfirmedHolder(0);
    if (gone !== null) third.recordOffer(gone, { kind: "rejected", isWorking: false }, 0);
    expect(third.pickNext(0)?.taskId).toBe("b");
  });

  it.each([
    ["an offer without a response", { kind: "lost" }],
    ["a rejected offer", { kind: "rejected", isWorking: false }],
  ] as const)(
    "the queue checks the holder of a slot again after it failed to record %s",
    (_, answer) => {
      const { slots, store } = new SimulatedQueue(1, PUSHED);
      for (const taskId of ["a", "b"]) slots.enqueue({ ...entry, taskId }, PUSHED, 0);
      const offered = slots.pickNext(0);
      if (offered === null) throw new Error("The first task must get an offer");
      store.isFull = true;
      expect(() => slots.recordOffer(offered, answer, 0)).toThrow("SQLITE_FULL");
      store.isFull = false;
      expect(slots.pickNext(0)).toBeNull();
      const holder = slots.pickUnconfirmedHolder(0);
      expect(holder?.taskId).toBe("a");
      if (holder !== null) slots.recordOffer(holder, { kind: "rejected", isWorking: false }, 0);
      expect(slots.pickNext(0)?.taskId).toBe("b");
    },
  );

  it.each([
    ["key", { keyId: "second", worker: "anne" }],
    ["worker", { keyId: "first", worker: "ben" }],
  ])("the row of a claimed task contains the %s that last claimed it", (_, claimant) => {
    const { slots, store } = new SimulatedQueue(1, { limit: 1, isPulled: true });
    const waiting = (taskId: string) =>
      slots.enqueue({ ...entry, taskId }, { limit: 1, isPulled: true }, 0);
    waiting("a");
    waiting("b");
    const first = slots.pickNext(0);
    const claimed = { kind: "admitted", keyId: "first", worker: "anne" } as const;
    if (first !== null) slots.recordOffer(first, { ...claimed, seq: 5 }, 0);
    const again = new QueueSlots(store);
    const holder = again.pickUnconfirmedHolder(0);
    expect([first?.taskId, holder?.taskId]).toEqual(["a", "a"]);
    if (holder !== null) again.recordOffer(holder, { ...claimed, ...claimant, seq: 9 }, 0);
    const reloaded = new QueueSlots(store);
    expect(reloaded.listRunning()).toMatchObject([{ taskId: "a", ...claimant }]);
    expect(reloaded.listLeaseKeys()).toEqual([claimant.keyId]);
  });

  it("a new queue object restores its state from the rows alone", () => {
    const { slots, store } = new SimulatedQueue(1, PUSHED);
    slots.enqueue(entry, PUSHED, 0);
    slots.enqueue({ ...entry, taskId: "b" }, PUSHED, 0);
    const again = new QueueSlots(store);
    expect(again.readCounts()).toEqual({ waiting: 1, running: 1, limit: 1 });
    // The slot may belong to a task that never received the offer. That task resends its update,
    // and then receives an offer.
    expect(again.pickNext(0)).toBeNull();
    again.enqueue(entry, PUSHED, 0);
    expect(again.pickNext(0)?.taskId).toBe("a");
  });
});
