import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json.ts";
import { passTime, stopClock } from "../../support/tasks.ts";
import {
  deliveriesOf,
  happen,
  hookTo,
  newTaskId,
  objectOf,
  Receiver,
  settle,
  shown,
  wakeHook,
} from "./fixture.ts";

beforeAll(stopClock);

interface Written {
  readonly rows: number;
  readonly kept: number;
  readonly alarms: number;
}

/** What one webhook's object writes, by the runtime's own counter; its table must have been made. */
async function counterOf(id: string): Promise<() => Written> {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const calls = { kept: 0, alarms: 0 };
  await runInDurableObject(objectOf(id), (_, { storage }) => {
    const { sql, kv } = storage;
    const exec = sql.exec.bind(sql);
    Reflect.set(sql, "exec", (...args: Parameters<typeof exec>) => {
      const cursor = exec(...args);
      cursors.push(cursor);
      return cursor;
    });
    const put = kv.put.bind(kv);
    Reflect.set(kv, "put", (key: string, value: unknown) => {
      calls.kept += 1;
      put(key, value);
    });
    const setAlarm = storage.setAlarm.bind(storage);
    Reflect.set(storage, "setAlarm", (at: number) => {
      calls.alarms += 1;
      return setAlarm(at);
    });
  });
  return () => {
    const rows = cursors.splice(0).reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
    const written = { rows, ...calls };
    Object.assign(calls, { kept: 0, alarms: 0 });
    return written;
  };
}

/** A webhook that has delivered already, so that its table is made. */
async function worn(filter: JsonObject = {}) {
  const receiver = new Receiver();
  const { id } = await hookTo(receiver, filter);
  await happen(newTaskId(), ["created"]);
  await settle(id);
  return { id, receiver, written: await counterOf(id) };
}

describe("rows written by a webhook", () => {
  it("are two for an event, with an alarm to deliver it and one to let it go in the end", async () => {
    const { id, written } = await worn();
    await happen(newTaskId(), ["completed"]);
    expect(written()).toEqual({ rows: 1, kept: 0, alarms: 1 });
    await settle(id);
    expect(written()).toEqual({ rows: 1, kept: 0, alarms: 1 });
  });

  it("are two for each of many, which share their alarms", async () => {
    const { id, written } = await worn();
    await happen(newTaskId(), Array(30).fill("progressed"));
    await settle(id);
    expect(await deliveriesOf(id, "?status=delivered")).toHaveLength(31);
    expect(written()).toEqual({ rows: 60, kept: 0, alarms: 2 });
  });

  it("are three for each attempt that fails: the delivery, how the webhook fares, the next alarm", async () => {
    const { id, receiver, written } = await worn();
    await receiver.answers({ status: 500 });
    await happen(newTaskId(), ["completed"]);
    written();
    await wakeHook(id);
    expect(written()).toEqual({ rows: 1, kept: 1, alarms: 1 });
    passTime(6_000);
    await wakeHook(id);
    expect(written()).toEqual({ rows: 1, kept: 1, alarms: 1 });
  });

  it("are none for an event that does not pass, and for whoever looks", async () => {
    const { id, written } = await worn({ types: ["created"] });
    await happen(newTaskId(), ["completed"]);
    await deliveriesOf(id, "?status=failed");
    await shown(id);
    expect(written()).toEqual({ rows: 0, kept: 0, alarms: 0 });
    await happen(newTaskId(), ["created"]);
    expect(written()).toEqual({ rows: 1, kept: 0, alarms: 1 });
  });
});
