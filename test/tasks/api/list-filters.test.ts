import { beforeAll, describe, expect, it } from "vitest";
import { TASK_STATUSES } from "../../../src/tasks/model/task.ts";
import { get } from "../../support/client.ts";
import { create, passTime, stopClock, taskIn } from "../../support/tasks.ts";

beforeAll(stopClock);

interface Page {
  readonly tasks: readonly { readonly taskId: string; readonly status: string }[];
  readonly total: number;
  readonly nextCursor: string | null;
}

async function list(query: string): Promise<Page> {
  const answer = await get(`/agents/tasks?${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
}

const idsIn = ({ tasks }: Page): string[] => tasks.map(({ taskId }) => taskId);

/** Reads a whole list in pages of two, with cursors. */
async function walk(query: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await list(`${query}&limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
    ids.push(...idsIn(page));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return ids;
}

describe("several statuses", () => {
  const ids = new Map<string, string>();
  beforeAll(async () => {
    for (const status of ["pending", "blocked", "review", "failed", "cancelled"] as const) {
      passTime(1_000);
      ids.set(status, await taskIn(status));
      passTime(1_000);
      await create({ priority: "low" });
    }
  });

  it("repeated and comma-separated statuses list the tasks with any of them, newest first", async () => {
    const expected = [ids.get("failed"), ids.get("review"), ids.get("blocked")];
    for (const query of [
      "status=blocked,review,failed",
      "status=failed&status=blocked&status=review",
      "status=review,failed&status=blocked,review",
    ]) {
      expect(idsIn(await list(query))).toEqual(expected);
      expect((await list(query)).total).toBe(3);
      expect(await walk(query)).toEqual(expected);
    }
    expect(idsIn(await list("status=blocked,review,failed&limit=1&offset=1"))).toEqual([
      expected[1],
    ]);
  });

  it("any number of statuses can be combined, also with other filters", async () => {
    const all = await walk("");
    for (let count = 1; count <= TASK_STATUSES.length; count += 1) {
      const statuses = TASK_STATUSES.slice(0, count);
      const page = await list(`status=${statuses.join(",")}&limit=100`);
      const whole = await list("limit=100");
      const expected = whole.tasks.filter(({ status }) => statuses.some((one) => one === status));
      expect(idsIn(page)).toEqual(expected.map(({ taskId }) => taskId));
      expect(await walk(`status=${statuses.join(",")}`)).toEqual(idsIn(page));
    }
    expect(await walk(`status=${TASK_STATUSES.join(",")}`)).toEqual(all);
    const low = await list("status=pending,assigned,in_progress,failed&priority=low");
    expect(low.total).toBe(5);
  });

  it("a cursor is valid for the same statuses in any order, and for no others", async () => {
    const { nextCursor } = await list("status=blocked,failed&limit=1");
    expect(idsIn(await list(`status=failed,blocked&limit=1&cursor=${nextCursor}`))).toEqual([
      ids.get("blocked"),
    ]);
    for (const status of ["failed", "failed,review"]) {
      const answer = await get(`/agents/tasks?status=${status}&cursor=${nextCursor}`);
      expect(answer.status).toBe(400);
    }
  });

  it.each(["done", "blocked,done", "blocked,", "blocked&status=done", "blocked&status="])(
    "the status list %s is rejected",
    async (status) => {
      const answer = await get(`/agents/tasks?status=${status}`);
      expect(answer.status).toBe(400);
      expect(answer.body.error.details).toMatchObject([{ path: "status" }]);
    },
  );
});

describe("external ids and labels", () => {
  it("the list filters by external id, which several tasks can have", async () => {
    const first = await create({ externalId: "order 1:2" });
    passTime(1_000);
    const second = await create({ externalId: "order 1:2", agentId: "storyteller" });
    await create({ externalId: "order" });
    const query = `externalId=${encodeURIComponent("order 1:2")}`;
    expect(await walk(query)).toEqual([second, first]);
    expect(await walk(`${query}&agentId=storyteller&status=pending,failed`)).toEqual([second]);
  });

  it("the list filters by labels, all of which a task must have", async () => {
    const both = await create({ labels: { a: "1", b: "x:y" } });
    passTime(1_000);
    const one = await create({ labels: { a: "1", b: "" }, externalId: "labelled" });
    await create({ labels: { a: "2" } });
    expect(await walk("label=a:1")).toEqual([one, both]);
    expect(await walk("label=a:1&label=b:x:y")).toEqual([both]);
    expect(await walk("label=b:&label=a:1")).toEqual([one]);
    expect(await walk("label=a:1&label=a:2")).toEqual([]);
    expect((await list("label=a:1&status=pending,failed&limit=1")).total).toBe(2);
    expect(await walk("label=a:1&externalId=labelled&label=b:")).toEqual([one]);
    expect(await walk(`label=a:1&startDate=${new Date().toISOString()}`)).toEqual([one]);
  });

  it.each(["a", ":x", "a b:x", `${"k".repeat(64)}:x`, `a:${"x".repeat(201)}`])(
    "the label filter %s is rejected",
    async (label) => {
      const answer = await get(`/agents/tasks?label=${encodeURIComponent(label)}`);
      expect(answer.status).toBe(400);
      expect(answer.body.error.details).toMatchObject([{ path: "label" }]);
    },
  );
});
