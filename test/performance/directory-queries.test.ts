import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { invalidateAgents } from "../../src/agents/agent-cache.ts";
import { TASK_STATUSES } from "../../src/tasks/model/task.ts";
import { clearCountCache } from "../../src/tasks/directory/sharded-directory.store.ts";
import { get, post } from "../support/client.ts";
import { startCounting, type Counters } from "./counters.ts";

const ROWS = 1_000_000;
const AGENTS = 50;
const TEAMS = 10;
/** Inserting a million rows takes many seconds. */
const SEED_TIMEOUT_MS = 120_000;

let counters: Counters;

/**
 * Spreads the tasks evenly and independently over statuses, agents and teams. Tasks are a second
 * apart.
 */
beforeAll(async () => {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS - 1})
     INSERT INTO directory (id, seq, status, task, agent_id, agent_name, team_id, priority, attempt, created_at)
     SELECT printf('%064x', i), 9, json_extract(?, '$[' || (i % ${TASK_STATUSES.length}) || ']'), 'Task ' || i,
            'agent-' || (i / 8 % ${AGENTS}), 'Agent', 'team-' || (i / 400 % ${TEAMS}), 'medium', 1, 1700000000000 + i * 1000
     FROM n`,
  )
    .bind(JSON.stringify(TASK_STATUSES))
    .run();
  counters = await startCounting();
}, SEED_TIMEOUT_MS);
afterAll(() => counters.stop());

/** Requests a page, and returns it with the number of rows that its own statement read. */
async function page(query: string) {
  counters.reset();
  const answer = await get(`/agents/tasks?${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  const [rows] = counters.queries();
  return { ...answer.body.data, rowsRead: rows?.rowsRead ?? Infinity };
}

const FILTERS = [
  "",
  ...TASK_STATUSES.map((status) => `status=${status}`),
  "agentId=agent-0",
  `agentId=agent-${AGENTS - 1}`,
  "teamId=team-0",
  `teamId=team-${TEAMS - 1}`,
];
/** Each status has its own part of an index, from which SQLite reads one row more. */
const STATUS_LISTS = [2, 5, 7].map((count) => TASK_STATUSES.slice(0, count));

describe(`a directory of ${ROWS} tasks`, () => {
  it.each(FILTERS)(
    "the first and second page filtered by '%s' each read at most twice as many rows as their limit",
    async (filter) => {
      for (const limit of [2, 50, 100]) {
        const first = await page(`${filter}&limit=${limit}`);
        expect(first.tasks).toHaveLength(limit);
        expect(first.rowsRead).toBeLessThanOrEqual(2 * limit);
        const later = await page(`${filter}&limit=${limit}&cursor=${first.nextCursor}`);
        expect(later.tasks).toHaveLength(limit);
        expect(later.tasks[0].createdAt < first.tasks.at(-1).createdAt).toBe(true);
        expect(later.rowsRead).toBeLessThanOrEqual(2 * limit);
      }
    },
  );

  it.each(STATUS_LISTS)(
    "the first and second page of several statuses each read at most a page of rows for each status",
    async (...statuses) => {
      for (const limit of [2, 50, 100]) {
        const filter = `status=${statuses.join(",")}`;
        const first = await page(`${filter}&limit=${limit}`);
        expect(first.tasks).toHaveLength(limit);
        const rowsMax = statuses.length > 5 ? 4 * limit : 2 * limit;
        expect(first.rowsRead).toBeLessThanOrEqual(rowsMax + 2 * statuses.length);
        const later = await page(`${filter}&limit=${limit}&cursor=${first.nextCursor}`);
        expect(later.tasks).toHaveLength(limit);
        expect(later.tasks[0].createdAt < first.tasks.at(-1).createdAt).toBe(true);
        expect(later.rowsRead).toBeLessThanOrEqual(rowsMax + 2 * statuses.length);
      }
    },
  );

  it("pages of a label read two rows for each task, whatever the number of tasks with the label", async () => {
    await env.DB.prepare(
      `UPDATE directory SET labels = '{"place":"here","size":"large"}', external_id = 'order-' || (seq + created_at % 2)
       WHERE created_at >= ? AND created_at < ?`,
    )
      .bind(1_700_000_000_000, 1_700_000_000_000 + 3_000 * 1_000)
      .run();
    for (const filter of ["label=size:large", "label=size:large&status=failed,pending,review"]) {
      const isFiltered = filter.includes("status");
      const first = await page(`${filter}&limit=50`);
      expect(first.tasks).toHaveLength(50);
      const later = await page(`${filter}&limit=50&cursor=${first.nextCursor}`);
      expect(later.tasks).toHaveLength(50);
      for (const { rowsRead } of [first, later]) {
        expect(rowsRead).toBeLessThanOrEqual(isFiltered ? 300 : 110);
      }
    }
    const both = await page("label=size:large&label=place:here&limit=50");
    expect(both.rowsRead).toBeLessThanOrEqual(160);
    const external = await page(
      "externalId=order-9&status=failed,pending&agentId=agent-0&limit=50",
    );
    expect(external.rowsRead).toBeLessThanOrEqual(6_010);
  });

  it("pages of tasks created in one millisecond read at most twice as many rows as their limit and miss no task", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
       INSERT INTO directory (id, seq, status, task, team_id, priority, attempt, created_at)
       SELECT printf('f%063x', i), 9, 'failed', 'Task ' || i, 'team-tied', 'medium', 1, 1600000000000 FROM n`,
    ).run();
    const seen = new Set<string>();
    let cursor: string | null = null;
    do {
      const query = cursor === null ? "" : `&cursor=${cursor}`;
      const { tasks, rowsRead, nextCursor } = await page(`teamId=team-tied&limit=100${query}`);
      expect(rowsRead).toBeLessThanOrEqual(200);
      for (const { taskId } of tasks) seen.add(taskId);
      cursor = nextCursor;
    } while (cursor !== null);
    expect(seen.size).toBe(5_000);
  });

  it("a search that the newest tasks match reads at most twice as many rows as its page needs", async () => {
    const first = await page("search=TASK%209&limit=50");
    expect(first.tasks).toHaveLength(50);
    expect(first.rowsRead).toBeLessThanOrEqual(100);
    const later = await page(`search=TASK%209&limit=50&cursor=${first.nextCursor}`);
    expect(later.tasks).toHaveLength(50);
    expect(later.rowsRead).toBeLessThanOrEqual(102);
  });

  it("a search and a list sorted by title read only the tasks that match an indexed filter", async () => {
    const rowsMax = 2 * (ROWS / AGENTS) + 200;
    for (const query of ["sort=title", "sort=-title&search=task", "search=no%20such%20task"]) {
      const { rowsRead } = await page(`agentId=agent-3&limit=50&${query}`);
      expect(rowsRead, query).toBeLessThanOrEqual(rowsMax);
    }
  });

  it("the count of matches stops at 10,000, and the next page reuses the count", async () => {
    clearCountCache();
    const { total, totalExact } = await page("status=pending");
    expect([total, totalExact]).toEqual([10_000, false]);
    const counted = counters.queries()[1]?.rowsRead ?? Infinity;
    expect(counted).toBeGreaterThan(10_000);
    expect(counted).toBeLessThanOrEqual(2 * 10_001);
    const again = await page("status=pending");
    expect([again.total, again.totalExact]).toEqual([10_000, false]);
    expect(counters.queries()).toHaveLength(1);
  });

  it("a day's tasks are found without reading the tasks of the years before or after", async () => {
    const day = new Date(1_700_000_000_000 + (ROWS / 2) * 1_000).toISOString().slice(0, 10);
    const { tasks, rowsRead, total, totalExact } = await page(`startDate=${day}&endDate=${day}`);
    expect(tasks).toHaveLength(50);
    expect(rowsRead).toBeLessThanOrEqual(100);
    expect([total, totalExact]).toEqual([10_000, false]);
  });

  it("creating a task reads fewer than 10,000 rows to choose its agent", async () => {
    counters.reset();
    invalidateAgents();
    expect((await post("/agents/tasks", { task: "Count" })).status).toBe(201);
    const [candidates] = counters.queries();
    expect(candidates?.rowsRead).toBeLessThan(10_000);
  });
});
