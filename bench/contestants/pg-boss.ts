// pg-boss on PostgreSQL behind a Hono server on Node. Each task is a job and a row of a table that is used for lists.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import { Pool, type PoolClient } from "pg";
import { PgBoss } from "pg-boss";
import { stateFolder } from "../../scripts/proof/state.ts";
import { pageQuery } from "../page-query.ts";
import { serveApp } from "./node-server.ts";
import { serve } from "./serve.ts";
import { startPostgres } from "./servers.ts";

const STEPS = 5;
const QUEUE = "tasks";
const CONNECTIONS = 16;

const folder = stateFolder("bench");
const postgres = await startPostgres(folder.path);
const address = { host: postgres.path, user: "bench", database: "postgres" };
const pool = new Pool({ ...address, max: CONNECTIONS });
// Ignored, because connections fail when the server stops.
pool.on("error", () => {});
await pool.query(readFileSync(join(import.meta.dirname, "pg-tasks.sql"), "utf8"));
const boss = new PgBoss({ ...address, useListenNotify: true });
boss.on("error", (error) => console.error(error));
await boss.start();
await boss.createQueue(QUEUE, { notify: true });
const settings = { localConcurrency: 4, batchSize: 8, burstWhenBatchFull: true };
await boss.work<{ id: string }>(QUEUE, settings, async (jobs) => {
  await Promise.all(jobs.map(({ data }) => runSteps(data.id)));
});

async function runSteps(id: string): Promise<void> {
  for (let step = 1; step <= STEPS; step += 1) {
    const status = step === STEPS ? "completed" : "in_progress";
    const progress = (100 * step) / STEPS;
    await pool.query("UPDATE tasks SET status = $2, progress = $3 WHERE id = $1", [
      id,
      status,
      progress,
    ]);
  }
}

const startAfter = Number(process.env["BENCH_PAUSE_MS"] ?? "0") / 1_000;
const app = new Hono();
app.post("/tasks", async (c) => {
  const { task } = await c.req.json<{ task: string }>();
  const id = await inTransaction(async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO tasks (status, task, agent_id, agent_name, priority, attempt, created_at)
       VALUES ('pending', $1, 'researcher', 'Researcher', 'medium', 1, $2) RETURNING id`,
      [task, Date.now()],
    );
    const [row] = rows;
    const db = {
      executeSql: (text: string, values?: unknown[]) => client.query(text, values),
    };
    await boss.send(QUEUE, { id: row?.id }, { db, startAfter });
    return row?.id;
  });
  return c.json({ id }, 201);
});
app.get("/tasks/:id", async (c) => {
  const { rows } = await pool.query("SELECT * FROM tasks WHERE id = $1", [c.req.param("id")]);
  return rows.length === 0 ? c.json({ error: "not found" }, 404) : c.json(rows[0]);
});
app.get("/tasks", async (c) => {
  const { sql, values } = pageQuery("tasks", Object.entries(c.req.query()), (n) => `$${n}`);
  const { rows } = await pool.query(sql, values);
  return c.json({ tasks: rows });
});

async function inTransaction<Value>(work: (client: PoolClient) => Promise<Value>): Promise<Value> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const value = await work(client);
    await client.query("COMMIT");
    return value;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

/** The number of rows written since the start, from PostgreSQL's own statistics. */
async function rowsWritten(): Promise<number> {
  const { rows } = await pool.query<{ written: string }>(
    `SELECT tup_inserted + tup_updated + tup_deleted AS written FROM pg_stat_database
     WHERE datname = 'postgres'`,
  );
  return Number(rows[0]?.written);
}

const run = (sql: string): Promise<null> => pool.query(sql).then(() => null);
serve(await serveApp(app), { run, rowsWritten }, async () => {
  // There is no need to finish pending jobs.
  await boss.stop({ graceful: false });
  await pool.end();
  await postgres.stop();
  folder.remove();
});
