import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { patch, post } from "../../support/client.ts";
import { create, read, stopClock, taskIn } from "../../support/tasks.ts";
import { eventsOf, rowOf } from "../../support/task-state.ts";

beforeAll(stopClock);

const NAMES = {
  title: "Harbour sales",
  labels: { project: "harbour", "team/owner": "", __proto: "x" },
  externalId: "order-17",
};

async function labelRowsOf(id: string): Promise<unknown[]> {
  const rows = env.DB.prepare("SELECT key, value FROM task_labels WHERE id = ? ORDER BY key");
  return (await rows.bind(id).all()).results;
}

describe("title, labels and external id", () => {
  it("a new task has its title, labels and external id in every view, its log and its row", async () => {
    const answer = await post("/agents/tasks", { task: "Analyse the sales", ...NAMES });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject(NAMES);
    const id: string = answer.body.data.taskId;
    expect(await read(id)).toMatchObject(NAMES);
    const [created] = await eventsOf(id);
    expect(created?.data).toMatchObject(NAMES);
    const { title, externalId } = NAMES;
    const labels = '{"__proto":"x","project":"harbour","team/owner":""}';
    expect(await rowOf(id)).toMatchObject({ title, labels, external_id: externalId });
    expect(await labelRowsOf(id)).toHaveLength(3);
  });

  it("a task without title, labels and external id has none of the fields", async () => {
    const id = await create({ labels: {} });
    const task = await read(id);
    for (const field of Object.keys(NAMES)) expect(task).not.toHaveProperty(field);
    expect(await rowOf(id)).toMatchObject({ title: null, labels: null, external_id: null });
  });

  it("spaces at the ends of a title are removed", async () => {
    const id = await create({ title: "  Harbour sales\n" });
    expect(await read(id)).toMatchObject({ title: "Harbour sales" });
  });

  it("a label can have the key __proto__", async () => {
    const id = await create({ labels: JSON.parse('{"__proto__": "x"}') });
    expect(Object.entries((await read(id)).labels)).toEqual([["__proto__", "x"]]);
    expect(await labelRowsOf(id)).toEqual([{ key: "__proto__", value: "x" }]);
  });

  it.each([
    [{ title: " " }, "title", /^must not be empty/],
    [{ title: "x".repeat(201) }, "title", /^must be at most 200 characters/],
    [{ title: "Two\nlines" }, "title", /^must not contain line breaks/],
    [{ title: null }, "title", /^must be a string/],
    [{ externalId: "" }, "externalId", /^must not be empty/],
    [{ externalId: "x".repeat(201) }, "externalId", /^must be at most 200 characters/],
    [{ labels: [] }, "labels", /^must be an object/],
    [{ labels: { "a b": "x" } }, "labels.a b", /^must have a key of 1 to 63 letters/],
    [{ labels: { "": "x" } }, "labels.", /^must have a key/],
    [{ labels: { ["k".repeat(64)]: "x" } }, `labels.${"k".repeat(64)}`, /^must have a key/],
    [{ labels: { a: 1 } }, "labels.a", /^must be a string of at most 200 characters, got 1/],
    [{ labels: { a: "x".repeat(201) } }, "labels.a", /got 201 characters$/],
    [
      { labels: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, ""])) },
      "labels",
      /^must have at most 20 labels, got 21/,
    ],
  ])("a task with %j is rejected at %s", async (fields, path, message) => {
    const answer = await post("/agents/tasks", { task: "Count", ...fields });
    expect(answer.status).toBe(400);
    expect(answer.body.error.details).toEqual([{ path, message: expect.stringMatching(message) }]);
  });
});

describe("PATCH of title, labels, external id, deliverables and budget", () => {
  it.each(["pending", "in_progress", "blocked", "review", "failed"] as const)(
    "a PATCH replaces these fields of a task that is %s",
    async (status) => {
      const id = await taskIn(status);
      const change = { ...NAMES, deliverables: ["chart"], budget: { maxToolCalls: 500 } };
      const { body } = await patch(`/agents/tasks/${id}`, change);
      expect(body.data).toMatchObject({ status, ...NAMES, budget: { maxToolCalls: 500 } });
      const events = await eventsOf(id);
      expect(events.at(-1)).toMatchObject({ type: "updated", data: change });
      expect(await rowOf(id)).toMatchObject({ title: NAMES.title, external_id: "order-17" });
    },
  );

  it("null removes the title and the external id, and new labels replace all earlier ones", async () => {
    const id = await create(NAMES);
    const labels = { project: "harbour", season: "winter" };
    const change = { title: null, externalId: null, labels };
    const { body } = await patch(`/agents/tasks/${id}`, change);
    expect(body.data).toMatchObject({ labels });
    expect(body.data).not.toHaveProperty("title");
    expect(body.data).not.toHaveProperty("externalId");
    expect(await labelRowsOf(id)).toEqual([
      { key: "project", value: "harbour" },
      { key: "season", value: "winter" },
    ]);
    await patch(`/agents/tasks/${id}`, { labels: {} });
    expect(await read(id)).not.toHaveProperty("labels");
    expect(await labelRowsOf(id)).toEqual([]);
  });

  it("a PATCH with the current values writes no event", async () => {
    const fields = { ...NAMES, deliverables: ["chart"], budget: { maxCost: 1, note: "x" } };
    const id = await create(fields);
    const log = await eventsOf(id);
    const { status } = await patch(`/agents/tasks/${id}`, fields);
    expect(status).toBe(200);
    expect(await eventsOf(id)).toEqual(log);
  });

  it("an empty budget removes all limits", async () => {
    const id = await create({ budget: { maxCost: 1 } });
    const { body } = await patch(`/agents/tasks/${id}`, { budget: {} });
    expect(body.data.budget).toEqual({});
  });

  it("a task that has ended keeps its title", async () => {
    const id = await taskIn("completed");
    const { status, body } = await patch(`/agents/tasks/${id}`, { title: "Late" });
    expect([status, body.error.code]).toEqual([409, "INVALID_STATE"]);
    expect(await read(id)).not.toHaveProperty("title");
  });

  it("a key bound to an agent can lower, but not raise or remove a limit of its agent's task", async () => {
    const id = await create({ agentId: "researcher", budget: { maxCost: 2, maxToolCalls: 5 } });
    const scopes = ["tasks:read", "tasks:write"];
    const made = await post("/agents/keys", { name: "r", scopes, agentId: "researcher" });
    const key: string = made.body.data.key;
    for (const budget of [{ maxCost: 3, maxToolCalls: 5 }, { maxCost: 2 }, {}]) {
      const answer = await patch(`/agents/tasks/${id}`, { budget }, { key });
      expect([answer.status, answer.body.error.code]).toEqual([403, "BUDGET_RAISE_DENIED"]);
    }
    const budget = { maxCost: 1, maxToolCalls: 5, maxDurationSeconds: 60 };
    const lowered = await patch(`/agents/tasks/${id}`, { budget }, { key });
    expect(lowered.body.data.budget).toEqual(budget);
  });
});
