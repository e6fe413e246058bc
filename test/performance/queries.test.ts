import { afterAll, beforeAll, expect, it } from "vitest";
import { evictAllDurableObjects } from "cloudflare:test";
import { invalidateAgents } from "../../src/agents/agent-cache.ts";
import { get, patch, post, type Answer, type Options } from "../support/client.ts";
import { stopClock, taskIn } from "../support/tasks.ts";
import { startCounting, type Counters } from "./counters.ts";

let counters: Counters;
let completed: string;
let blocked: string;

beforeAll(async () => {
  stopClock();
  completed = await taskIn("completed", { deliverables: ["summary"] });
  blocked = await taskIn("blocked");
  counters = await startCounting();
});
afterAll(() => counters.stop());

const QUERY = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
const REQUESTS: readonly [
  name: string,
  queries: number,
  ask: (options: Options) => Promise<Answer>,
][] = [
  ["get a task by id", 0, (options) => get(`/agents/tasks/${completed}`, options)],
  ["list a task's events", 0, (options) => get(`/agents/tasks/${completed}/events`, options)],
  [
    "list a task's deliverables",
    0,
    (options) => get(`/agents/tasks/${completed}/deliverables`, options),
  ],
  ["get a missing task", 0, (options) => get(`/agents/tasks/${"0".repeat(64)}`, options)],
  ["create a task", 2, (options) => post("/agents/tasks", { task: "Count" }, options)],
  ["update a task", 1, (options) => patch(`/agents/tasks/${blocked}`, { notes: "x" }, options)],
  ["list tasks", 2, (options) => get("/agents/tasks?status=completed", options)],
  ["invoke a tool", 1, (options) => post("/agents/tools/json-workbench/invoke", QUERY, options)],
  [
    "invoke a tool as an agent",
    1,
    (options) =>
      post("/agents/tools/json-workbench/invoke", { ...QUERY, agentId: "integrator" }, options),
  ],
];

it.each(REQUESTS)("the request '%s' makes %d D1 queries", async (_, queries, ask) => {
  await evictAllDurableObjects();
  invalidateAgents();
  counters.reset();
  const answer = await ask({});
  expect(answer.status).toBeLessThan(500);
  expect(counters.queries().map(({ sql }) => sql)).toHaveLength(queries);
});

it("a task created within a second after another costs one query", async () => {
  const create = () => post("/agents/tasks", { task: "Count" });
  await create();
  counters.reset();
  expect((await create()).status).toBe(201);
  expect(counters.queries()).toHaveLength(1);
});

it("a stored key costs one query to read and one to record its use, and later requests cost none", async () => {
  const made = await post("/agents/keys", { name: "counted", scopes: ["tasks:read"] });
  const { key } = made.body.data;
  const counted: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    counters.reset();
    expect((await get(`/agents/tasks/${completed}`, { key })).status).toBe(200);
    counted.push(counters.queries().length);
  }
  // The second query of the first request runs after the response is sent.
  expect(counted).toEqual([2, 0, 0]);
});
