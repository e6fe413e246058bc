// BullMQ behind a Hono server on Node, with a Redis that syncs each write. Each task is one job with five persisted
// steps.
import { Queue, Worker } from "bullmq";
import { Hono } from "hono";
import { Redis } from "ioredis";
import { stateFolder } from "../../scripts/proof/state.ts";
import { serveApp } from "./node-server.ts";
import { serve } from "./serve.ts";
import { startRedis } from "./servers.ts";

const STEPS = 5;
const AT_ONCE = 32;

interface Data {
  readonly task: string;
  readonly step: number;
}

const folder = stateFolder("bench");
const redis = await startRedis(folder.path);
// The worker needs its own connection, because it blocks while it waits for jobs.
const connection = new Redis({ path: redis.path });
const waiting = new Redis({ path: redis.path, maxRetriesPerRequest: null });
const queue = new Queue<Data>("tasks", { connection });
const worker = new Worker<Data>(
  "tasks",
  async (job) => {
    for (let step = job.data.step + 1; step <= STEPS; step += 1) {
      await job.updateData({ ...job.data, step });
      await job.updateProgress((100 * step) / STEPS);
    }
  },
  { connection: waiting, concurrency: AT_ONCE },
);

const delay = Number(process.env["BENCH_PAUSE_MS"] ?? "0");
const app = new Hono();
app.post("/tasks", async (c) => {
  const { task } = await c.req.json<{ task: string }>();
  const job = await queue.add("task", { task, step: 0 }, { delay });
  return c.json({ id: job.id }, 201);
});
app.get("/tasks/:id", async (c) => {
  const job = await queue.getJob(c.req.param("id"));
  if (job === undefined) return c.json({ error: "not found" }, 404);
  return c.json({ status: await job.getState(), progress: job.progress, task: job.data.task });
});

serve(await serveApp(app), {}, async () => {
  await worker.close(true);
  await queue.close();
  connection.disconnect();
  waiting.disconnect();
  await redis.stop();
  folder.remove();
});
