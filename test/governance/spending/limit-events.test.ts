import { evictAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { EventFeed } from "../../../src/index.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { del, get, patch, post } from "../../support/client.ts";
import { isolateNetwork } from "../../fuzz/openapi/third-parties.ts";
import { divert } from "../../support/divert.ts";
import { keyWith, UNMANAGING } from "../../support/keys.ts";
import { passTime, setClock, stopClock } from "../../support/tasks.ts";
import { workerAgent } from "../../tasks/workers/fixtures.ts";
import { grant, invoke } from "../pause/fixtures.ts";

beforeAll(() => {
  stopClock();
  for (const level of ["warn", "error"] as const) vi.spyOn(console, level).mockReturnValue();
});

let day = 0;
beforeEach(() => {
  day += 1;
  setClock(new Date(Date.UTC(2027, 6, day, 12)).toISOString());
});

let limits = 0;

/** Creates a limit of two calls per day, which warns after the first one, until the test ends. */
async function twoCalls(body: JsonObject = {}, id = `two-calls-${(limits += 1)}`): Promise<string> {
  const rule = { name: "Two", scope: { all: true }, measure: "calls", per: "day", limit: 2 };
  const answer = await post("/agents/limits", { id, warnAt: 0.5, ...rule, ...body });
  expect(answer.status, answer.text).toBe(201);
  onTestFinished(async () => {
    await del(`/agents/limits/${id}`);
  });
  return id;
}

/** Runs the alarm of the object that counts limits. Returns false if none is set. */
function sendEvents(): Promise<boolean> {
  return runDurableObjectAlarm(env.LIMITS.get(env.LIMITS.idFromName("limits")));
}

async function eventsOf(limitId: string, key?: string) {
  const path = "/agents/events?type=limit.warned,limit.exceeded&limit=100";
  const answer = await get(path, key === undefined ? {} : { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.events.filter((event: { limitId: string }) => event.limitId === limitId);
}

const typesOf = async (limitId: string): Promise<string[]> =>
  (await eventsOf(limitId)).map(({ type }: { type: string }) => type);

describe("the events of a limit", () => {
  it("the feed has each event once per period, with the use at that time", async () => {
    const id = await twoCalls();
    for (let call = 0; call < 4; call += 1) await invoke();
    await sendEvents();
    const event = {
      limitId: id,
      at: new Date().toISOString(),
      title: `Limit ${id}`,
      data: {
        scope: { all: true },
        measure: "calls",
        per: "day",
        limit: 2,
        used: 1,
        resetAt: new Date(Date.UTC(2027, 6, day + 1)).toISOString(),
      },
    };
    expect(await eventsOf(id)).toEqual([
      { ...event, type: "limit.warned", seq: expect.any(Number) },
      {
        ...event,
        type: "limit.exceeded",
        seq: expect.any(Number),
        data: { ...event.data, used: 2 },
      },
    ]);
    expect(await sendEvents()).toBe(false);

    passTime(12 * 3_600_000);
    for (let call = 0; call < 3; call += 1) await invoke();
    await sendEvents();
    expect(await typesOf(id)).toEqual([
      "limit.warned",
      "limit.exceeded",
      "limit.warned",
      "limit.exceeded",
    ]);
  });

  it("events that the feed did not accept are sent later, even after an eviction", async () => {
    const id = await twoCalls();
    const repair = divert(EventFeed.prototype, "publish", () => Promise.reject(new Error("down")));
    for (let call = 0; call < 3; call += 1) await invoke();
    await evictAllDurableObjects();
    expect(await sendEvents()).toBe(true);
    await evictAllDurableObjects();
    expect(await typesOf(id)).toEqual([]);
    repair();
    await invoke();
    expect(await sendEvents()).toBe(true);
    expect(await typesOf(id)).toEqual(["limit.warned", "limit.exceeded"]);
    expect(await sendEvents()).toBe(false);
  });

  it("events that the feed stored before the object crashed are not repeated", async () => {
    const id = await twoCalls();
    const repair = divert(EventFeed.prototype, "publish", async (real) => {
      await real();
      throw new Error("The response is lost");
    });
    for (let call = 0; call < 3; call += 1) await invoke();
    await sendEvents();
    repair();
    expect(await sendEvents()).toBe(true);
    expect(await typesOf(id)).toEqual(["limit.warned", "limit.exceeded"]);
  });

  it("an event that occurs while others are sent is sent next", async () => {
    const id = await twoCalls();
    await invoke();
    const repair = divert(EventFeed.prototype, "publish", async (real) => {
      repair();
      for (let call = 0; call < 2; call += 1) await invoke();
      return real();
    });
    await sendEvents();
    expect(await typesOf(id)).toEqual(["limit.warned"]);
    expect(await sendEvents()).toBe(true);
    expect(await typesOf(id)).toEqual(["limit.warned", "limit.exceeded"]);
  });

  it("limits whose ids begin alike have separate events", async () => {
    const ids = ["dotted", "dotted.1"];
    for (const limitId of ids) await twoCalls({}, limitId);
    for (let call = 0; call < 3; call += 1) await invoke();
    await sendEvents();
    for (const limitId of ids) {
      expect(await typesOf(limitId)).toEqual(["limit.warned", "limit.exceeded"]);
    }
  });

  it("a key that is bound to an agent sees the events of the agent's limits only", async () => {
    const agentId = await workerAgent();
    await grant(agentId);
    const key = await keyWith(UNMANAGING, { agentId });
    const own = await twoCalls({ scope: { agentId } });
    const all = await twoCalls();
    for (let call = 0; call < 3; call += 1) await invoke({ agentId });
    await sendEvents();
    expect(await eventsOf(own, key)).toMatchObject([
      { type: "limit.warned", agentId, data: { scope: { agentId } } },
      { type: "limit.exceeded", agentId },
    ]);
    expect(await eventsOf(all, key)).toEqual([]);
    expect(await typesOf(all)).toHaveLength(2);
  });

  it("a webhook receives the events, and its log names the limit", async () => {
    onTestFinished(isolateNetwork());
    const created = await post("/agents/webhooks", {
      url: "https://hooks.example.com/limits",
      types: ["limit.exceeded"],
    });
    expect(created.status, created.text).toBe(201);
    const { id: webhookId } = created.body.data;
    onTestFinished(async () => {
      await del(`/agents/webhooks/${webhookId}`);
    });
    const id = await twoCalls();
    for (let call = 0; call < 3; call += 1) await invoke();
    await sendEvents();
    const path = `/agents/webhooks/${webhookId}/deliveries`;
    await vi.waitUntil(async () => (await get(path)).body.data.deliveries.length > 0);
    const { deliveries } = (await get(path)).body.data;
    expect(deliveries).toMatchObject([{ event: { limitId: id, type: "limit.exceeded" } }]);
    expect(deliveries[0].event.taskId).toBeUndefined();
    const { body } = (await get(`${path}/${deliveries[0].id}`)).body.data;
    expect(body).toMatchObject({
      type: "limit.exceeded",
      data: { limitId: id, data: { used: 2 } },
    });
  });

  it("a higher limit does not repeat an event of the same period", async () => {
    const id = await twoCalls();
    for (let call = 0; call < 3; call += 1) await invoke();
    await patch(`/agents/limits/${id}`, { limit: 3 });
    for (let call = 0; call < 2; call += 1) await invoke();
    await sendEvents();
    expect(await typesOf(id)).toEqual(["limit.warned", "limit.exceeded"]);
  });
});
