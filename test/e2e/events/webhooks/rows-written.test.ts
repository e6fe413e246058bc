import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { countWritten } from "../../../support/rows-written.ts";
import { passTime, stopClock } from "../../../support/tasks.ts";
import {
  deliveriesOf,
  publishEvents,
  createWebhook,
  newTaskId,
  objectOf,
  Receiver,
  settle,
  shown,
  wakeHook,
} from "./fixtures.ts";

beforeAll(stopClock);

/** Creates a webhook that has already made a delivery, so its table exists. */
async function worn(filter: JsonObject = {}) {
  const receiver = new Receiver();
  const { id } = await createWebhook(receiver, filter);
  await publishEvents(newTaskId(), ["created"]);
  await settle(id);
  return { id, receiver, written: await countWritten(objectOf(id)) };
}

describe("rows written by a webhook", () => {
  it("a webhook writes two rows and sets two alarms for an event", async () => {
    const { id, written } = await worn();
    await publishEvents(newTaskId(), ["completed"]);
    expect(written()).toEqual({ rows: 1, kept: 0, alarms: 1 });
    await settle(id);
    expect(written()).toEqual({ rows: 1, kept: 0, alarms: 1 });
  });

  it("a webhook writes two rows for each of many events, and sets only two alarms for all of them", async () => {
    const { id, written } = await worn();
    await publishEvents(newTaskId(), Array(30).fill("progressed"));
    await settle(id);
    expect(await deliveriesOf(id, "?status=delivered")).toHaveLength(31);
    expect(written()).toEqual({ rows: 60, kept: 0, alarms: 2 });
  });

  it("a webhook writes its delivery, its subscription and the next alarm for each failed attempt", async () => {
    const { id, receiver, written } = await worn();
    await receiver.answers({ status: 500 });
    await publishEvents(newTaskId(), ["completed"]);
    written();
    await wakeHook(id);
    expect(written()).toEqual({ rows: 1, kept: 1, alarms: 1 });
    passTime(6_000);
    await wakeHook(id);
    expect(written()).toEqual({ rows: 1, kept: 1, alarms: 1 });
  });

  it("a webhook writes no rows for an event outside its filter or for a read of its log", async () => {
    const { id, written } = await worn({ types: ["created"] });
    await publishEvents(newTaskId(), ["completed"]);
    await deliveriesOf(id, "?status=failed");
    await shown(id);
    expect(written()).toEqual({ rows: 0, kept: 0, alarms: 0 });
    await publishEvents(newTaskId(), ["created"]);
    expect(written()).toEqual({ rows: 1, kept: 0, alarms: 1 });
  });
});
