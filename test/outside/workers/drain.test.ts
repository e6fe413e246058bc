import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PRIORITIES, type Priority } from "../../../src/domain/task.ts";
import { call, end, forAll, hire, startBosun, startWorker, until } from "./crew.ts";
import type { Bosun, WorkerProcess } from "./crew.ts";

const WORKERS = ["north", "east", "south", "west"];
const CONCURRENCY = 5;
const TASKS = 500;
const SPEEDY = 90_000;
const LEASE_SECONDS = 5;
/** What a task may take beyond its lost lease until it is done elsewhere. */
const SLACK_MS = 5_000;

interface SeenEvent {
  readonly type: string;
  readonly at: string;
  readonly data: { readonly lease?: { readonly worker: string } };
}

let bosun: Bosun;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  bosun = await startBosun();
}, 60_000);

afterAll(async () => {
  await Promise.all(workers.map((worker) => end(worker, "SIGKILL")));
  await bosun.stop();
});

/** Starts the four for an agent, each a process. */
async function startAll(key: string, settings: Record<string, string>): Promise<WorkerProcess[]> {
  const started = WORKERS.map((name) =>
    startWorker(bosun, { key, name, CONCURRENCY: String(CONCURRENCY), ...settings }),
  );
  workers.push(...started);
  return started;
}

async function countOf(agentId: string, status: string): Promise<number> {
  const query = `agentId=${agentId}&status=${status}&limit=1`;
  return (await call(bosun, "GET", `/agents/tasks?${query}`)).total;
}

/** Creates tasks that wait for the agent's workers; answers their ids. */
async function createTasks(
  agentId: string,
  bodies: readonly object[],
): Promise<readonly string[]> {
  const ids = await forAll(bodies, 16, async (body) => {
    const made = await call(bosun, "POST", "/agents/tasks", { task: "Count", agentId, ...body });
    return String(made.taskId);
  });
  await until(
    () => countOf(agentId, "assigned"),
    (count) => count === ids.length,
    60_000,
  );
  return ids;
}

async function logOf(id: string): Promise<SeenEvent[]> {
  return (await call(bosun, "GET", `/agents/tasks/${id}/events`)).events;
}

const typesIn = (log: readonly SeenEvent[], type: string) =>
  log.filter((event) => event.type === type);

describe("four worker processes drain the queue of one agent together", () => {
  it("500 tasks: each done exactly once, none lost, the urgent first", { timeout: 180_000 }, async () => {
    const { key } = await hire(bosun, "drained");
    const priorities = Array.from(
      { length: TASKS },
      (_, place): Priority => PRIORITIES[place % PRIORITIES.length] ?? "low",
    );
    const createdAt = Date.now();
    const ids = await createTasks(
      "drained",
      priorities.map((priority, place) => ({ priority, context: { text: `task ${place}` } })),
    );
    const startedAt = Date.now();
    const started = await startAll(key, {});
    await until(() => countOf("drained", "completed"), (count) => count === TASKS, SPEEDY);
    const tookMs = Date.now() - startedAt;
    await Promise.all(started.map((worker) => end(worker, "SIGTERM")));
    console.log(
      `created ${TASKS} tasks in ${startedAt - createdAt} ms; drained in ${tookMs} ms, ${((1_000 * TASKS) / tookMs).toFixed(1)} tasks/s`,
    );

    const logs = await forAll(ids, 16, logOf);
    for (const log of logs) {
      expect(typesIn(log, "completed")).toHaveLength(1);
      expect(typesIn(log, "started")).toHaveLength(1);
      expect(typesIn(log, "retried")).toHaveLength(0);
      expect(log.at(-1)?.type).toBe("completed");
    }
    const starts = logs.map((log, place) => {
      const [start] = typesIn(log, "started");
      return { level: PRIORITIES.indexOf(priorities[place] ?? "low"), at: Date.parse(start?.at ?? ""), worker: start?.data.lease?.worker };
    });
    const shares = WORKERS.map((name) => starts.filter(({ worker }) => worker === name).length);
    console.log(`shares of ${WORKERS.join(", ")}: ${shares.join(", ")}`);
    // by level: first and last start
    for (const level of [3, 2, 1, 0]) {
      const at = starts.filter((one) => one.level === level).map((one) => one.at - startedAt);
      console.log(level, Math.min(...at), Math.max(...at));
    }
    for (const { complaints } of started) expect(complaints()).toBe("");
  });

  it("a worker that is killed half way: its tasks are done elsewhere in time", { timeout: 120_000 }, async () => {
    const { key } = await hire(bosun, "stricken");
    const text = Array.from({ length: 10 }, (_, place) => `word${place}`).join(" ");
    const ids = await createTasks("stricken", Array.from({ length: 60 }, () => ({ context: { text } })));
    const settings = { LEASE_SECONDS: String(LEASE_SECONDS), PAUSE_MS: "150" };
    const [victim, ...others] = await startAll(key, settings);
    if (victim === undefined) throw new Error("There must be a worker to kill");
    await until(() => countOf("stricken", "completed"), (count) => count >= ids.length / 3, 60_000);
    await end(victim, "SIGKILL");
    const killedAt = Date.now();
    const tasks = await forAll(ids, 16, (id) => call(bosun, "GET", `/agents/tasks/${id}`));
    const orphans = tasks.filter(({ lease }) => lease?.worker === victim.name).map(({ taskId }) => String(taskId));
    expect(orphans.length).toBeGreaterThan(0);
    await until(() => countOf("stricken", "completed"), (count) => count === ids.length, 60_000);
    const logs = await forAll(orphans, 8, logOf);
    const lateness = logs.map((log) => Date.parse(typesIn(log, "completed")[0]?.at ?? "") - killedAt);
    console.log(`killed ${victim.name} with ${orphans.length} tasks in hand; they were done elsewhere after ${lateness.map((ms) => `${ms} ms`).join(", ")}`);
    for (const log of logs) {
      expect(typesIn(log, "completed")).toHaveLength(1);
      expect(typesIn(log, "retried")).toHaveLength(1);
    }
    expect(Math.max(...lateness)).toBeLessThan(LEASE_SECONDS * 1_000 + SLACK_MS);
    const all = await forAll(ids, 16, logOf);
    for (const log of all) expect(typesIn(log, "completed")).toHaveLength(1);
    await Promise.all(others.map((worker) => end(worker, "SIGTERM")));
  });
});
