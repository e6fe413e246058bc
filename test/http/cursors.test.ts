import { beforeAll, describe, expect, it } from "vitest";
import { get, post } from "../support/client.ts";
import { expectProblems } from "../support/expect-errors.ts";
import { create, passTime, stopClock } from "../support/tasks.ts";

const TASKS = 7;
const ids = (data: { tasks: { taskId: string }[] }) => data.tasks.map(({ taskId }) => taskId);

async function list(query: string) {
  return (await get(`/agents/tasks?${query}`)).body.data;
}

const swapped = (text: string, at: number) =>
  text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);

describe("cursor", () => {
  beforeAll(async () => {
    stopClock();
    for (let index = 0; index < TASKS; index += 1) {
      // Every second task has the same timestamp as the previous one, so that their ids determine
      // the order.
      if (index % 2 === 0) passTime(10);
      await create({ priority: index < 5 ? "high" : "low" });
    }
  });

  it.each([1, 2, 3, 6])(
    "pages of %d tasks return every task once, in the order of the list",
    async (limit) => {
      const all = ids(await list("limit=100"));
      const seen: string[] = [];
      let query = `limit=${limit}`;
      for (let page = 0; page <= TASKS; page += 1) {
        const data = await list(query);
        seen.push(...ids(data));
        if (data.nextCursor === null) break;
        expect(data.tasks).toHaveLength(limit);
        query = `limit=${limit}&cursor=${data.nextCursor}`;
      }
      expect(seen).toEqual(all);
      expect(seen).toHaveLength(TASKS);
    },
  );

  it("the cursor of the last page is null, even if the page is full", async () => {
    expect((await list(`limit=${TASKS}`)).nextCursor).toBeNull();
    expect((await list(`limit=${TASKS - 1}`)).nextCursor).toEqual(expect.any(String));
  });

  it("a cursor keeps its position when a new task is created", async () => {
    const first = await list("limit=3&priority=high");
    passTime(10);
    const [all, rest] = [
      await list("limit=100&priority=high"),
      await list(`limit=3&priority=high&cursor=${first.nextCursor}`),
    ];
    await create({ priority: "high" });
    expect(ids(await list(`limit=3&priority=high&cursor=${first.nextCursor}`))).toEqual(ids(rest));
    expect([...ids(first), ...ids(rest)]).toEqual(ids(all));
  });

  it.each([
    ["another filter", "priority=low"],
    ["no filters", ""],
    ["an additional filter", "priority=high&status=pending"],
    ["another date", "priority=high&startDate=2025-01-01"],
  ])("a cursor used with %s is rejected", async (_, filter) => {
    const { nextCursor } = await list("limit=2&priority=high");
    expect(nextCursor).toEqual(expect.any(String));
    expectProblems(await get(`/agents/tasks?${filter}&cursor=${nextCursor}`), {
      cursor: `got "${nextCursor.slice(0, 40)}`,
    });
  });

  it("a cursor can be used with another limit", async () => {
    const { nextCursor } = await list("limit=2");
    expect(ids(await list(`limit=3&cursor=${nextCursor}`))).toHaveLength(3);
  });

  it("an offset counts from the position of the cursor", async () => {
    const all = ids(await list("limit=100"));
    const { nextCursor } = await list("limit=2");
    expect(ids(await list(`limit=3&offset=1&cursor=${nextCursor}`))).toEqual(all.slice(3, 6));
  });

  it("a cursor with a changed character is rejected", async () => {
    const { nextCursor } = await list("limit=2");
    for (let at = 0; at < nextCursor.length - 1; at += 7) {
      const cursor = swapped(nextCursor, at);
      expectProblems(await get(`/agents/tasks?cursor=${cursor}`), { cursor: /nextCursor/ });
    }
  });

  it.each(["x", "MTIzLmFiYy5kZWY", "%F0%9F%98%80", "..", "null", "e30", "A".repeat(512)])(
    "the forged cursor %s is rejected",
    async (cursor) => {
      expectProblems(await get(`/agents/tasks?cursor=${cursor}`), { cursor: /nextCursor/ });
    },
  );

  it("an oversized cursor is rejected", async () => {
    expectProblems(await get(`/agents/tasks?cursor=${"A".repeat(2_049)}`), { cursor: "got 2049" });
  });

  it("a cursor of one key's list is rejected for a key that sees other tasks", async () => {
    const wanted = { name: "bound", scopes: ["tasks:read"], agentId: "researcher" };
    const { key } = (await post("/agents/keys", wanted)).body.data;
    const { nextCursor } = await list("limit=2");
    expectProblems(await get(`/agents/tasks?cursor=${nextCursor}`, { key }), {
      cursor: /nextCursor/,
    });
  });
});
