import { env } from "cloudflare:workers";
import { evictAllDurableObjects } from "cloudflare:test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { invalidateAgents } from "../../../../src/agents/agent-cache.ts";
import { listDirectoryDatabases } from "../../../../src/platform/d1/client.ts";
import { PAGE_OFFSET_MAX } from "../../../../src/kernel/limits.ts";
import { TASK_STATUSES } from "../../../../src/tasks/model/task.ts";
import { clearCountCache } from "../../../../src/tasks/directory/sharded-directory.store.ts";
import { startCounting, type Counters, type Query } from "../../../performance/counters.ts";
import { get, patch, post } from "../../../support/client.ts";
import { create, stopClock, taskIn, untilStatus } from "../../../support/tasks.ts";
import { createTaskInEachShard, shardOf, SHARDS } from "./each-shard.ts";

const ROWS_A_SHARD = 100_000;
const AGENTS = 50;
const TEAMS = 10;
/** Seeding takes seconds. */
const SEED_TIMEOUT_MS = 60_000;

let counters: Counters;
let blocked: string[];

beforeAll(async () => {
  stopClock();
  blocked = await createTaskInEachShard(() => taskIn("blocked"));
  for (const [shard, database] of listDirectoryDatabases(env).entries()) {
    await database
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS_A_SHARD - 1})
         INSERT INTO directory (id, seq, status, task, agent_id, agent_name, team_id, priority, attempt, created_at)
         SELECT printf('%x%063x', ?2, i), 9, json_extract(?1, '$[' || (i % ${TASK_STATUSES.length}) || ']'), 'Task ' || i,
                'agent-' || (i / 8 % ${AGENTS}), 'Agent', 'team-' || (i / 400 % ${TEAMS}), 'medium', 1, 1700000000000 + i * 1000
         FROM n`,
      )
      .bind(JSON.stringify(TASK_STATUSES), shard)
      .run();
  }
  counters = await startCounting();
}, SEED_TIMEOUT_MS);
afterAll(() => counters.stop());

async function counted(ask: () => Promise<{ readonly status: number }>): Promise<readonly Query[]> {
  await evictAllDurableObjects();
  // Start with empty caches, like a new isolate.
  invalidateAgents();
  clearCountCache();
  counters.reset();
  expect((await ask()).status).toBeLessThan(300);
  return [...counters.queries()];
}

const isPage = ({ sql }: Query): boolean => /\border by\b/i.test(sql);

describe(`a directory of ${SHARDS} times ${ROWS_A_SHARD} tasks`, () => {
  it.each([
    "",
    "status=failed",
    "status=pending",
    "agentId=agent-7",
    "teamId=team-3",
    "priority=medium",
  ])(
    "each page filtered by '%s' reads at most twice its limit plus two rows from each shard",
    async (filter) => {
      for (const limit of [2, 50, 100]) {
        let cursor = "";
        for (let page = 0; page < 3; page += 1) {
          const path = `/agents/tasks?${filter}&limit=${limit}${cursor}`;
          let data = { tasks: [], nextCursor: "" };
          const queries = await counted(async () => {
            const answer = await get(path);
            ({ data } = answer.body);
            return answer;
          });
          expect(data.tasks).toHaveLength(limit);
          expect(queries).toHaveLength(2 * SHARDS);
          const pages = queries.filter(isPage);
          expect(pages).toHaveLength(SHARDS);
          for (const { rowsRead } of pages) {
            expect(rowsRead).toBeGreaterThanOrEqual(limit);
            expect(rowsRead).toBeLessThanOrEqual(2 * (limit + 1));
          }
          cursor = `&cursor=${data.nextCursor}`;
        }
      }
    },
  );

  it("a page at an offset reads at most the skipped rows and twice its size, plus two rows, per shard", async () => {
    const [limit, offset] = [50, 2_000];
    const queries = await counted(() => get(`/agents/tasks?limit=${limit}&offset=${offset}`));
    expect(queries).toHaveLength(3 * SHARDS);
    const read = queries.filter(isPage).map(({ rowsRead }) => rowsRead ?? Infinity);
    expect(read).toHaveLength(2 * SHARDS);
    const most = SHARDS * (offset + 2 * (limit + 1));
    expect(read.reduce((sum, rows) => sum + rows, 0)).toBeLessThanOrEqual(most);
    // The isolate has cached that there are too many rows to count.
    counters.reset();
    await get(`/agents/tasks?limit=${limit}&offset=${offset}`);
    expect(counters.queries()).toHaveLength(2 * SHARDS);
  });

  it("the largest offset returns a full page", async () => {
    const { body } = await get(`/agents/tasks?limit=100&offset=${PAGE_OFFSET_MAX}`);
    expect(body.data.tasks).toHaveLength(100);
  });
});

describe("D1 queries over three databases", () => {
  it.each<[string, number, () => Promise<{ readonly status: number }>]>([
    ["get a task by id", 0, () => get(`/agents/tasks/${blocked[1]}`)],
    ["list a task's events", 0, () => get(`/agents/tasks/${blocked[2]}/events`)],
    // One query reads the agents, two read loads from the other databases, and one writes the row.
    ["create a task", 4, () => post("/agents/tasks", { task: "Count" })],
    ["update a task", 1, () => patch(`/agents/tasks/${blocked[2]}`, { notes: "x" })],
    ["list tasks", 6, () => get("/agents/tasks?status=completed")],
    ["invoke a tool", 1, () => invoke()],
  ])("the request '%s' makes %d D1 queries over three databases", async (_, queries, ask) => {
    expect((await counted(ask)).map(({ sql }) => sql)).toHaveLength(queries);
  });

  it("a task writes the same number of rows in any shard, and its rating writes one more in shards other than the first", async () => {
    const written = new Map<number, number[]>();
    await createTaskInEachShard(async () => {
      counters.reset();
      const id = await create({ context: { text: "Two wharves." } });
      await untilStatus(id, "completed");
      const rows = [counters.rowsWritten().d1];
      for (const rating of [4, 2]) {
        counters.reset();
        expect((await post(`/agents/tasks/${id}/feedback`, { rating })).status).toBeLessThan(300);
        rows.push(counters.rowsWritten().d1);
      }
      written.set(shardOf(id), rows);
      return id;
    });
    // A rating updates the row, the agent and, in shards other than the first, the record of the
    // counted rating.
    const [life = 0] = written.get(0) ?? [];
    expect(life).toBeGreaterThan(3);
    expect(written.get(0)).toEqual([life, 2, 2]);
    for (const shard of [1, 2]) expect(written.get(shard)).toEqual([life, 3, 3]);
  });
});

function invoke(): Promise<{ readonly status: number }> {
  const parameters = { document: "[1]", path: "$[0]" };
  return post("/agents/tools/json-workbench/invoke", { capability: "query", parameters });
}
