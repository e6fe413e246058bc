import { env } from "cloudflare:workers";
import { evictAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RateLimit } from "../../../src/tools/model/tool.ts";
import { jsonWorkbench } from "../../../src/builtin/tools/json-workbench/definition.ts";
import { registerTools } from "../../support/catalogue.ts";
import { post, type Answer } from "../../support/client.ts";
import { passTime, setClock, stopClock } from "../../support/tasks.ts";

const HOUR_MS = 3_600_000;

beforeAll(stopClock);
// All tests in this file use the same meter, so each test starts in a new hour and a new month.
beforeEach(() => passTime(40 * 24 * HOUR_MS));

async function terms(rateLimit: RateLimit, free = 1_000, overage = 0.5): Promise<void> {
  await registerTools({ ...jsonWorkbench, rateLimit, pricing: { model: "usage", free, overage } });
}

const GOOD = { capability: "query", parameters: { document: "[5]", path: "$[0]" } };

function invoke(change: Record<string, string | Record<string, string>> = {}): Promise<Answer> {
  return post("/agents/tools/json-workbench/invoke", { ...GOOD, ...change });
}

const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);
const costs = (answers: readonly Answer[]): number[] =>
  answers.map(({ body }) => body.data.usage.cost);

/** Makes calls one after another and returns the responses. */
async function inTurn(count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let call = 0; call < count; call += 1) answers.push(await invoke());
  return answers;
}

describe("a rate limit of 5 calls an hour", () => {
  beforeEach(() => terms({ requests: 5, period: "hour" }));

  it("a limit of 5 calls an hour admits exactly 5 of 100 concurrent calls", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => invoke()));
    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([passed.length, refused.length]).toEqual([5, 95]);
    const left = passed.map(({ headers }) => headers.get("RateLimit"));
    expect(new Set(left)).toEqual(
      new Set([0, 1, 2, 3, 4].map((remaining) => `"tool";r=${remaining};t=3600`)),
    );
    for (const { headers, body } of refused) {
      expect(Object.fromEntries(headers)).toMatchObject({
        "retry-after": "3600",
        ratelimit: '"tool";r=0;t=3600',
        "ratelimit-policy": '"tool";q=5;w=3600',
      });
      expect(body.error).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", retryable: true });
    }
  });

  it("a full window admits calls again after the announced wait, and not before", async () => {
    expect(statuses(await inTurn(6))).toEqual([200, 200, 200, 200, 200, 429]);
    passTime(HOUR_MS / 2 + 250);
    const refused = await invoke();
    const waitSeconds = Number(refused.headers.get("Retry-After"));
    expect(waitSeconds).toBe(1_800);
    passTime(waitSeconds * 1_000 - 251);
    expect((await invoke()).status).toBe(429);
    passTime(251);
    expect(statuses(await inTurn(6))).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it("a rate limit counts the calls of all agents together, and no calls to other tools", async () => {
    for (const agentId of ["one", "two"]) {
      await post("/agents/tools/access", { agentId, toolId: "json-workbench" });
    }
    const calls = ["one", "two", "one", "two"].map((agentId) => invoke({ agentId }));
    expect(new Set(statuses(await Promise.all(calls)))).toEqual(new Set([200]));
    // The last call of a shared window is reserved for a caller that has not made one.
    expect((await invoke({ agentId: "one" })).status).toBe(429);
    expect((await invoke()).status).toBe(200);
    expect((await invoke({ agentId: "two" })).status).toBe(429);
    expect((await invoke()).status).toBe(429);
    const other = { capability: "readability", parameters: { text: "The cat sat on the mat." } };
    expect((await post("/agents/tools/text-analyst/invoke", other)).status).toBe(200);
  });

  it.each<[string, () => Promise<Answer>, number]>([
    ["an unknown capability", () => invoke({ capability: "compile" }), 404],
    ["parameters of the wrong type", () => invoke({ parameters: {} }), 400],
    [
      "parameters that the capability rejects",
      () => invoke({ parameters: { document: "{", path: "$" } }),
      400,
    ],
    ["an agent without a grant", () => invoke({ agentId: "researcher" }), 403],
    ["an unknown agent", () => invoke({ agentId: "stranger" }), 404],
  ])("a call with %s does not use up the limit", async (_, call, status) => {
    for (let time = 0; time < 8; time += 1) expect((await call()).status).toBe(status);
    expect(statuses(await inTurn(6))).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it("a used-up limit persists after the meter's object is evicted", async () => {
    await inTurn(5);
    await evictAllDurableObjects();
    expect((await invoke()).status).toBe(429);
  });

  it("a changed limit applies from the next call", async () => {
    await inTurn(5);
    await terms({ requests: 7, period: "hour" });
    expect(statuses(await inTurn(3))).toEqual([200, 200, 429]);
    await terms({ requests: 2, period: "hour" });
    expect((await invoke()).headers.get("RateLimit")).toBe('"tool";r=0;t=3600');
  });
});

describe("the price of a call", () => {
  const ROOMY: RateLimit = { requests: 1_000, period: "hour" };

  it("calls cost nothing while free calls last, and then cost the overage", async () => {
    await terms(ROOMY, 3, 0.25);
    expect(costs(await inTurn(5))).toEqual([0, 0, 0, 0.25, 0.25]);
  });

  it("exactly the free calls among many concurrent calls cost nothing", async () => {
    await terms(ROOMY, 10, 0.25);
    const answers = await Promise.all(Array.from({ length: 50 }, () => invoke()));
    expect(costs(answers).filter((cost) => cost === 0)).toHaveLength(10);
    expect(costs(answers).filter((cost) => cost === 0.25)).toHaveLength(40);
  });

  it("calls that are rejected with 400 cost nothing and use up no free call", async () => {
    await terms(ROOMY, 2, 0.25);
    for (let call = 0; call < 5; call += 1) {
      const failed = await invoke({ parameters: { document: "{", path: "$" } });
      expect(failed.status).toBe(400);
      expect(failed.body).not.toHaveProperty("data");
    }
    expect(costs(await inTurn(3))).toEqual([0, 0, 0.25]);
  });

  it("free calls start again with the calendar month in UTC", async () => {
    const year = new Date().getUTCFullYear() + 1;
    setClock(`${year}-01-31T23:59:59.999Z`);
    await terms(ROOMY, 1, 0.25);
    expect(costs(await inTurn(2))).toEqual([0, 0.25]);
    passTime(1);
    expect(costs(await inTurn(2))).toEqual([0, 0.25]);
  });
});

it("a rejected call leaves the meter unchanged", async () => {
  await terms({ requests: 3, period: "hour" });
  const meter = env.METERS.get(env.METERS.idFromName("json-workbench"));
  const stored = () => runInDurableObject(meter, (_, { storage }) => storage.kv.get("ledger"));
  await inTurn(3);
  const full = await stored();
  expect(full).toMatchObject({ state: { windowCalls: 3 }, usage: [{ calls: expect.any(Number) }] });
  await inTurn(2);
  expect(await stored()).toEqual(full);
});

it("a meter stored by the first release keeps its count", async () => {
  await registerTools({
    ...jsonWorkbench,
    id: "veteran",
    rateLimit: { requests: 3, period: "hour" },
  });
  const meter = env.METERS.get(env.METERS.idFromName("veteran"));
  const month = new Date().toISOString().slice(0, 7);
  const earlier = { windowStartedAt: Date.now(), windowCalls: 3, month, monthCalls: 3 };
  await runInDurableObject(meter, (_, { storage }) => storage.kv.put("meter", earlier));
  await evictAllDurableObjects();
  expect((await post("/agents/tools/veteran/invoke", GOOD)).status).toBe(429);
});
