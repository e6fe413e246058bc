import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAGE_OFFSET_MAX, TOTAL_COUNTED_MAX } from "../../../../src/kernel/limits.ts";
import { PRIORITIES, TASK_STATUSES } from "../../../../src/tasks/model/task.ts";
import worker from "../../../../src/index.ts";
import { HEADERS } from "../../../interfaces/a2a/degraded-service.ts";
import { get, ORIGIN } from "../../../support/client.ts";
import { bindShards } from "../../../support/shards.ts";
import { shardOf, SHARDS } from "./each-shard.ts";
import { AGENTS, replaceDirectoryRows, buildRows, seedTeam, TEAMS } from "./seeded-rows.ts";

const ROWS = buildRows(400);

const FILTERS = [
  "",
  ...TASK_STATUSES.map((status) => `status=${status}`),
  ...AGENTS.map((agentId) => `agentId=${agentId}`),
  ...TEAMS.map((teamId) => `teamId=${teamId}`),
  ...PRIORITIES.map((priority) => `priority=${priority}`),
  "status=failed&agentId=ada",
  "status=pending&teamId=north&priority=high",
  "startDate=2023-11-20&endDate=2023-12-01",
  "agentId=bob&startDate=2023-12-01T10:00:00Z",
  "agentId=nobody",
  "sort=title",
  "sort=-title",
  "sort=title&status=failed,review&startDate=2023-11-20",
  "search=alpha",
  "search=alpha&sort=-title&agentId=ada",
];
const PAGES = ["", "&limit=1", "&limit=100", "&limit=7&offset=3", "&limit=50&offset=149"];
const FAR = ["&limit=9&offset=399", "&limit=9&offset=400", `&offset=${PAGE_OFFSET_MAX}`];

/** Returns the responses by request, following each list's `nextCursor` to the end. */
async function answers(): Promise<Map<string, unknown>> {
  const responses = new Map<string, unknown>();
  for (const filter of FILTERS) {
    for (const page of [...PAGES, ...FAR]) {
      responses.set(`${filter} ${page}`, await dataOf(`${filter}${page}`));
    }
    let cursor = "";
    do {
      const data = await dataOf(`${filter}&limit=37${cursor}`);
      responses.set(`${filter} ${cursor}`, data);
      if (cursor !== "") {
        responses.set(
          `${filter} ${cursor} +5`,
          await dataOf(`${filter}&limit=5&offset=5${cursor}`),
        );
      }
      cursor = data.nextCursor === null ? "" : `&cursor=${data.nextCursor}`;
    } while (cursor !== "");
  }
  for (const params of A2A) responses.set(JSON.stringify(params), await a2aList(params));
  return responses;
}

async function dataOf(query: string) {
  const answer = await get(`/agents/tasks?${query}`);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

const A2A = [
  { pageSize: 20 },
  { pageSize: 100, status: "TASK_STATE_FAILED" },
  { pageSize: 10, status: "TASK_STATE_SUBMITTED" },
];

async function a2aList(params: object): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ListTasks", params });
  const request = new Request(`${ORIGIN}/a2a`, { method: "POST", headers: HEADERS, body });
  const answer = await (await worker.fetch(request, env, createExecutionContext())).json();
  expect(answer).toHaveProperty("result");
  return answer;
}

let overOne: Map<string, unknown>;

beforeAll(async () => {
  await replaceDirectoryRows(ROWS, 1);
  bindShards(1);
  overOne = await answers();
  bindShards(SHARDS);
  await replaceDirectoryRows(ROWS, SHARDS);
}, 60_000);
afterAll(() => bindShards(SHARDS));

it("every list over three databases equals the list over one: filters, pages, cursors, offsets, totals", async () => {
  const held = ROWS.map(({ id }) => shardOf(id));
  expect(new Set(held).size).toBe(SHARDS);
  const overThree = await answers();
  expect([...overThree.keys()]).toEqual([...overOne.keys()]);
  for (const [request, response] of overOne)
    expect(overThree.get(request), request).toEqual(response);
  expect(overOne.size).toBeGreaterThan(FILTERS.length * 10);
}, 60_000);

describe("totals over shards", () => {
  it.each([
    ["exact", [3_333, 3_333, 3_333], 9_999, true],
    ["exact at the limit", [3_333, 3_334, 3_333], 10_000, true],
    ["not exact beyond the limit", [3_334, 3_334, 3_333], 10_000, false],
    ["not exact if one shard alone has more", [10_001, 0, 0], 10_000, false],
    ["exact if one shard has all tasks", [0, 10_000, 0], 10_000, true],
    [
      "not exact if one shard has as many as are counted and another has one more",
      [0, 10_000, 1],
      10_000,
      false,
    ],
  ] as const)("the total over shards is %s", async (name, counts, total, totalExact) => {
    const team = encodeURIComponent(name);
    for (const [shard, count] of counts.entries()) {
      if (count > 0) await seedTeam(shard, name, count);
    }
    expect(await dataOf(`teamId=${team}&limit=1`)).toMatchObject({ total, totalExact });
    expect(await dataOf(`teamId=${team}&limit=1&offset=9000`)).toMatchObject({ total, totalExact });
    expect(total).toBeLessThanOrEqual(TOTAL_COUNTED_MAX);
  });
});

it("pages at the largest offset over several shards contain the right tasks", async () => {
  for (const shard of [0, 1, 2]) await seedTeam(shard, "far", 4_000);
  const ids: string[] = [];
  for (const page of ["offset=9950&limit=50", "offset=10000&limit=100"]) {
    const { tasks } = await dataOf(`teamId=far&${page}`);
    ids.push(...tasks.map(({ taskId }: { taskId: string }) => taskId));
  }
  // Each shard got one task per second. Within a second, the last shard's task comes first.
  const wanted = Array.from({ length: 150 }, (_, place) => {
    const rank = 9_950 + place;
    const shard = 2 - (rank % SHARDS);
    const n = 3_999 - Math.floor(rank / SHARDS);
    return shard.toString(16).padStart(4, "0") + n.toString(16).padStart(60, "0");
  });
  expect(ids).toEqual(wanted);
});
