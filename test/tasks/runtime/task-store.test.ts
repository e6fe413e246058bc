import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import { createNextTurn } from "../../../src/tasks/model/turn.ts";
import type { SideState } from "../../../src/tasks/runtime/side-state.store.ts";
import { TaskStore } from "../../../src/tasks/runtime/task.store.ts";
import { buildCreated } from "../model/fixtures.ts";
import { stopClock } from "../../support/tasks.ts";

beforeAll(stopClock);

const MINUTE_MS = 60_000;
const CREATE: TaskCommand = { type: "create", data: buildCreated({}) };
const CANCEL: TaskCommand = { type: "cancel", reason: null };

interface Parts {
  readonly storage: DurableObjectStorage;
  readonly sideState: SideState;
  readonly record: TaskStore;
}

/** Creates a store on an object's real storage, as a new instance of the object would. */
function partsOver(storage: DurableObjectStorage): Parts {
  const pace = { stepIntervalMs: 0, retentionMs: null };
  const record = new TaskStore("id", storage, pace);
  return { storage, sideState: record.sideState, record };
}

function inObject(talk: (parts: Parts) => Promise<void>): Promise<void> {
  return runInDurableObject(env.TASKS.get(env.TASKS.newUniqueId()), (_, { storage }) =>
    talk(partsOver(storage)),
  );
}

/** Replaces a method until the returned function is called or the test ends. */
function patch(owner: object, name: string, instead: (at: number) => void): () => void {
  const before: unknown = Reflect.get(owner, name);
  Reflect.set(owner, name, instead);
  const restore = (): void => void Reflect.set(owner, name, before);
  onTestFinished(restore);
  return restore;
}

function fail(): never {
  throw new Error("stopped by a test");
}

it("a creation that fails between its event and its alarm leaves neither behind", () =>
  inObject(async ({ storage, record }) => {
    const prototype = Reflect.getPrototypeOf(storage) ?? {};
    const setAlarm: (at: number) => Promise<void> = Reflect.get(prototype, "setAlarm");
    let wakeUpsSet = 0;
    // The alarm is set before the error. Only rolling back the transaction undoes it.
    const restore = patch(prototype, "setAlarm", (at) => {
      void setAlarm.call(storage, at);
      wakeUpsSet += 1;
      fail();
    });
    expect(() => record.commit([CREATE])).toThrow("stopped by a test");
    restore();
    expect(wakeUpsSet).toBe(1);
    expect(record.load()).toBeNull();
    expect(partsOver(storage).record.load()).toBeNull();
    expect(record.hasAlarm()).toBe(false);
    expect(await storage.getAlarm()).toBeNull();
    expect(record.commit([CREATE]).ok).toBe(true);
    expect(partsOver(storage).record.load()).toMatchObject({ status: "pending", seq: 1 });
    expect(await storage.getAlarm()).not.toBeNull();
  }));

it("a change that fails leaves the task as it was, on disk and in memory", () =>
  inObject(async ({ storage, record, sideState }) => {
    record.commit([CREATE]);
    const task = record.load();
    if (task === null) throw new Error("The task was not created");
    const turn = createNextTurn(task, null, { afterMs: 0, isFailure: false }, Date.now());
    const leaveTurn = (): never => {
      sideState.put("turn", turn);
      fail();
    };
    expect(() => record.commit([CANCEL], { writeSideState: leaveTurn })).toThrow(
      "stopped by a test",
    );
    expect(record.load()).toBe(task);
    expect(partsOver(storage).record.load()).toMatchObject({ status: "pending", seq: 1 });
    expect(sideState.get("turn")).toBeNull();
    expect(record.commit([CANCEL]).ok).toBe(true);
    expect(partsOver(storage).record.load()).toMatchObject({ status: "cancelled", seq: 2 });
  }));

it("a change after an alarm has failed sets no alarm, because it would replace the retry", () =>
  inObject(async ({ storage, record }) => {
    record.commit([CREATE]);
    await storage.deleteAlarm();
    record.beginAlarmRun();
    record.failAlarmRun();
    expect(record.commit([], { writeSideState: () => undefined }).ok).toBe(true);
    expect(await storage.getAlarm()).toBeNull();
  }));

it("the end of an attempt ends a recorded platform outage", () =>
  inObject(async ({ storage, record, sideState }) => {
    record.commit([CREATE]);
    sideState.put("faultSince", Date.now());
    record.commit([{ type: "update", change: { notes: "Still needed" } }]);
    expect(sideState.get("faultSince")).not.toBeNull();
    record.commit([CANCEL]);
    expect(partsOver(storage).sideState.get("faultSince")).toBeNull();
  }));

it("a change made while an alarm run publishes is not delayed by the pause after the run's failure", () =>
  inObject(async ({ storage, record }) => {
    record.commit([CREATE]);
    await storage.deleteAlarm();
    record.beginAlarmRun();
    record.beginPublishing();
    record.commit([{ type: "update", change: { notes: "Urgent" } }]);
    record.endAlarmRun(MINUTE_MS);
    expect(await storage.getAlarm()).toBeLessThan(Date.now() + MINUTE_MS);
  }));
