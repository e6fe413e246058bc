import { env } from "cloudflare:workers";
import { listDurableObjectIds } from "cloudflare:test";
import { beforeAll, expect, it } from "vitest";
import { get, patch, post, type Answer } from "../../support/client.ts";
import { create, stopClock } from "../../support/tasks.ts";

beforeAll(stopClock);

const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** Requests that identify a task by its id, except those for workers. */
const REQUESTS: readonly ((id: string) => Promise<Answer>)[] = [
  (id) => get(`/agents/tasks/${id}`),
  (id) => patch(`/agents/tasks/${id}`, { priority: "low" }),
  (id) => get(`/agents/tasks/${id}/events`),
  (id) => post(`/agents/tasks/${id}/cancel`),
  (id) => post(`/agents/tasks/${id}/retry`),
  (id) => post(`/agents/tasks/${id}/respond`, { response: "x" }),
  (id) => post(`/agents/tasks/${id}/review`, { decision: "approve" }),
  (id) => post(`/agents/tasks/${id}/feedback`, { rating: 3 }),
  (id) => get(`/agents/tasks/${id}/deliverables`),
  (id) => get(`/agents/tasks/${id}/deliverables/summary.txt`),
];

async function objectIds(): Promise<string[]> {
  const spaces = await Promise.all([
    listDurableObjectIds(env.TASKS),
    listDurableObjectIds(env.METERS),
  ]);
  return spaces.flat().map(String).toSorted();
}

it.each<[string, (real: string) => string]>([
  ["a random one", randomId],
  ["all zeros", () => "0".repeat(64)],
  ["the id of another kind of object", () => env.METERS.idFromName("table-analyst").toString()],
  ["one digit short", () => randomId().slice(1)],
  ["not hexadecimal", () => "latest"],
  ["a real one in upper case", (real) => real.toUpperCase()],
])("a task id that is %s returns 404 for every request and creates nothing", async (_, made) => {
  const real = await create();
  const before = await objectIds();
  expect(before.length).toBeGreaterThan(0);
  for (const ask of REQUESTS) {
    const id = made(real);
    const answer = await ask(id);
    expect(answer.status).toBe(404);
    expect(answer.body.error).toMatchObject({
      code: "TASK_NOT_FOUND",
      message: expect.stringContaining(id.slice(0, 30)),
    });
  }
  expect(await objectIds()).toEqual(before);
});

it("a real id with one wrong digit returns 404", async () => {
  const id = await create();
  const wrong = `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;
  expect((await get(`/agents/tasks/${wrong}`)).status).toBe(404);
  expect((await get(`/agents/tasks/${id}`)).status).toBe(200);
});
