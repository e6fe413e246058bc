import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import type { AgentChoice } from "../../../src/tasks/model/task.ts";
import type { DispatchedTurn } from "../../../src/tasks/model/turn.ts";
import type { SideState } from "../../../src/tasks/runtime/side-state.store.ts";
import { TaskStore } from "../../../src/tasks/runtime/task.store.ts";
import { TurnDispatcher } from "../../../src/tasks/runtime/turn-dispatcher.ts";
import { create, passTime, stopClock, wake } from "../../support/tasks.ts";
import { buildCreated } from "../model/fixtures.ts";
import { objectOf } from "../../support/task-state.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const USE = { inputTokens: 1_000, outputTokens: 10, cost: 1 };
const STEP = { kind: "progress", progress: 10, phase: "reading", work: { "turn-1": {} } } as const;

const choice: AgentChoice = { agentId: "ada", agentName: "Ada", reasons: [], candidates: [] };
const WAY: readonly TaskCommand[] = [
  { type: "create", data: buildCreated({ choice }) },
  {
    type: "assign",
    choice,
    terms: { executor: "model", maxConcurrentTasks: null, requireReview: false },
  },
  { type: "start" },
];

interface DispatcherFixture {
  readonly turns: TurnDispatcher;
  readonly record: TaskStore;
  /** Returns the dispatched turn stored in the side state. */
  readonly sent: () => DispatchedTurn;
}

/** Creates a dispatcher that sends its turns with `send`, on an object's real storage. */
async function withDispatcher(
  send: () => Promise<void>,
  talk: (desk: DispatcherFixture) => Promise<void>,
): Promise<void> {
  await runInDurableObject(env.TASKS.get(env.TASKS.newUniqueId()), async (_, { storage }) => {
    const record = new TaskStore("id", storage, { stepIntervalMs: 0, retentionMs: null });
    const sideState = record.sideState;
    // These tests cover failures of `send`, the only method that is called.
    const queue = { send } as unknown as Env["TURNS"];
    const turns = new TurnDispatcher(queue, "id", record);
    record.commit(WAY);
    // Pretend to be in an alarm run, so nothing else wakes this object.
    record.beginAlarmRun();
    await talk({
      turns,
      record,
      sent: () => dispatchedTurn(sideState),
    });
  });
}

function dispatchedTurn(sideState: SideState): DispatchedTurn {
  const turn = sideState.get("turn");
  if (turn === null) throw new Error("No turn has been sent");
  return turn;
}

const delivered = () => Promise.resolve();

beforeAll(stopClock);

describe("a turn", () => {
  it("a turn that waited in the queue still gets its full time once it starts, and is started only once", () =>
    withDispatcher(delivered, async ({ turns, record, sent }) => {
      await turns.dispatch();
      const first = sent();
      passTime(40 * SECOND_MS);
      expect(turns.begin(first)).not.toBeNull();
      passTime(115 * SECOND_MS);
      expect(sent().lostAt).toBeGreaterThan(Date.now());
      expect(turns.begin(first)).toBeNull();
      await turns.end(first, { ...STEP, use: USE });
      expect(record.load()).toMatchObject({ progress: 10, spend: { cost: 1 } });
    }));

  it("the usage of a turn that ends just after the deadline is charged before the task fails", () =>
    withDispatcher(delivered, async ({ turns, record, sent }) => {
      await turns.dispatch();
      const turn = sent();
      expect(turns.begin(turn)).not.toBeNull();
      record.commit([{ type: "update", change: { deadline: Date.now() + SECOND_MS } }]);
      passTime(SECOND_MS);
      await turns.end(turn, { ...STEP, use: USE });
      expect(record.load()).toMatchObject({
        status: "failed",
        error: { code: "DEADLINE_EXCEEDED" },
        spend: { cost: 1 },
      });
    }));

  it("a turn that starts ends a recorded platform outage", () =>
    withDispatcher(delivered, async ({ turns, record, sent }) => {
      await turns.dispatch();
      record.sideState.put("faultSince", Date.now() - MINUTE_MS);
      expect(turns.begin(sent())).not.toBeNull();
      expect(record.sideState.get("faultSince")).toBeNull();
    }));

  it("a turn that no consumer starts is sent again without limit and does not count as a failure", () =>
    withDispatcher(delivered, async ({ turns, record, sent }) => {
      for (let times = 0; times < 20; times += 1) {
        await turns.dispatch();
        passTime(Math.max(0, sent().lostAt - Date.now()));
      }
      expect(sent()).toMatchObject({ number: 1, faults: 0 });
      expect(record.load()?.status).toBe("in_progress");
      expect(turns.begin(sent())).not.toBeNull();
    }));

  it("a failed turn is recorded in an event with its reason and usage, and the fifth failure ends the attempt", () =>
    withDispatcher(delivered, async ({ turns, record, sent }) => {
      await turns.dispatch();
      const first = record.load()?.seq ?? 0;
      for (let times = 1; times <= 5; times += 1) {
        expect(turns.begin(sent())).not.toBeNull();
        const use = times === 2 ? { use: USE } : {};
        await turns.end(sent(), { kind: "again", afterMs: 0, failure: `Reason ${times}.`, ...use });
      }
      const error = (times: number) => ({
        code: "AGENT_ERROR",
        message: `Reason ${times}.`,
        retryable: true,
      });
      const events = record.log.page(first, 10);
      expect(events.map(({ type, data }) => [type, "error" in data && data.error])).toEqual([
        ["progressed", error(1)],
        ["progressed", error(2)],
        ["progressed", error(3)],
        ["progressed", error(4)],
        ["failed", expect.objectContaining(error(5))],
      ]);
      expect(record.load()).toMatchObject({ progress: 0, work: {}, spend: { cost: 1 } });
    }));

  it("a turn that only waits for a remote agent does not write an event", () =>
    withDispatcher(delivered, async ({ turns, record, sent }) => {
      await turns.dispatch();
      const before = record.load()?.seq;
      expect(turns.begin(sent())).not.toBeNull();
      await turns.end(sent(), { kind: "again", afterMs: 0, failure: null });
      expect(record.load()?.seq).toBe(before);
    }));

  it("five turns in a row that start and are then lost end the attempt", () =>
    withDispatcher(delivered, async ({ turns, record, sent }) => {
      for (let times = 0; record.load()?.status === "in_progress"; times += 1) {
        expect(times).toBeLessThan(6);
        await turns.dispatch();
        if (record.load()?.status !== "in_progress") break;
        expect(turns.begin(sent())).not.toBeNull();
        passTime(sent().lostAt - Date.now());
      }
      expect(record.load()).toHaveProperty(
        "error.message",
        "The agent's turns were lost repeatedly. They started but returned no result.",
      );
    }));

  it("a turn that cannot be sent keeps its number and does not count as a failure of the agent", () =>
    withDispatcher(
      () => Promise.reject(new Error("The queue is down")),
      async ({ turns, record, sent }) => {
        for (let times = 0; times < 10; times += 1) {
          await expect(turns.dispatch()).rejects.toThrow("The queue is down");
          passTime(MINUTE_MS);
          expect(sent()).toMatchObject({ number: 1, faults: 0 });
          expect(sent().lostAt).toBeLessThanOrEqual(Date.now());
        }
        expect(record.load()?.status).toBe("in_progress");
      },
    ));

  it("a failure to send a turn that was in fact sent does not undo later turns", () => {
    const { promise, reject } = Promise.withResolvers<void>();
    const sendings = [promise, Promise.resolve(), Promise.resolve()];
    return withDispatcher(
      () => sendings.shift() ?? Promise.resolve(),
      async ({ turns, record, sent }) => {
        const dispatching = turns.dispatch();
        const first = sent();
        expect(turns.begin(first)).not.toBeNull();
        await turns.end(first, STEP);
        const second = sent();
        expect(turns.begin(second)).not.toBeNull();
        const before = sent();
        reject(new Error("No answer"));
        await expect(dispatching).rejects.toThrow("No answer");
        expect(sent()).toBe(before);
        await turns.end(second, { ...STEP, progress: 20, work: { "turn-2": {} } });
        expect(record.load()).toMatchObject({ progress: 20, work: { "turn-1": {}, "turn-2": {} } });
      },
    );
  });

  it("a replaced turn is no longer expected, and only its usage is counted", () =>
    withDispatcher(delivered, async ({ turns, record, sent }) => {
      await turns.dispatch();
      const first = sent();
      turns.begin(first);
      passTime(first.lostAt + 10 * MINUTE_MS - Date.now());
      await turns.dispatch();
      expect(sent()).toMatchObject({ number: 2, faults: 1 });
      expect(turns.isExpected(first)).toBe(false);
      expect(turns.progress(first, { progress: 50, phase: "x", work: {} })).toBe(false);
      await turns.end(first, { ...STEP, use: USE });
      expect(record.load()).toMatchObject({ progress: 0, work: {}, spend: { cost: 1 } });
      expect(sent().number).toBe(2);
    }));
});

describe("a task whose turns cannot be sent", () => {
  it("a task whose turns cannot be sent records an outage, which ends with the next successful send", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await env.DB.prepare(
      "INSERT INTO agents (id, name, executor, created_at) VALUES ('mute', 'Mute', 'model', 0)",
    ).run();
    const id = await create({ agentId: "mute" });
    const faultSince = () =>
      runInDurableObject(objectOf(id), (_, { storage }) => storage.kv.get("faultSince"));
    const queue = Reflect.getPrototypeOf(env.TURNS) ?? {};
    const send: unknown = Reflect.get(queue, "send");
    const bringBack = () => void Reflect.set(queue, "send", send);
    onTestFinished(bringBack);
    Reflect.set(queue, "send", () => Promise.reject(new Error("The queue is down")));
    await wake(id);
    expect(await faultSince()).toBe(Date.now());
    bringBack();
    passTime(MINUTE_MS);
    await wake(id);
    expect(await faultSince()).toBeUndefined();
  });
});
