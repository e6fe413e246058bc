import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PRIORITIES, type Priority } from "../../../src/tasks/model/task.ts";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { forAll } from "../../../scripts/proof/read-state.ts";
import {
  call,
  end,
  registerWorkerAgent,
  startBundled,
  startWorker,
  until,
  type WorkerProcess,
} from "./processes.ts";

const WORKERS = ["north", "east", "south", "west"];
const CONCURRENCY = 5;
const AT_ONCE = WORKERS.length * CONCURRENCY;
const TASKS = 500;
const LEASE_SECONDS = 5;
/**
 * The maximum time between the loss of a lease and the completion of the task by another worker.
 */
const SLACK_MS = 5_000;
const PATIENCE_MS = 120_000;
/** The number of requests that this test sends at the same time. */
const CALLS_AT_ONCE = 12;

interface SeenEvent {
  readonly type: string;
  readonly at: string;
  readonly data: { readonly lease?: { readonly worker: string } };
}

let bosun: Bosun;
const processes: WorkerProcess[] = [];

beforeAll(async () => {
  bosun = await startBundled();
}, PATIENCE_MS);

afterAll(async () => {
  await Promise.all(processes.map((worker) => end(worker, "SIGKILL")));
  await bosun.stop();
});

/** Starts an agent's four worker processes. */
function startAll(key: string, settings: Readonly<Record<string, string>>): WorkerProcess[] {
  const started = WORKERS.map((name) =>
    startWorker(bosun, { key, name, CONCURRENCY: String(CONCURRENCY), ...settings }),
  );
  processes.push(...started);
  return started;
}

async function countOf(agentId: string, status: string): Promise<number> {
  const query = `agentId=${agentId}&status=${status}&limit=1`;
  return (await call(bosun, "GET", `/agents/tasks?${query}`)).total;
}

const untilDone = (agentId: string, tasks: number): Promise<number> =>
  until(
    () => countOf(agentId, "completed"),
    (count) => count >= tasks,
    PATIENCE_MS,
  );

/** Creates tasks, waits until all of them can be claimed, and returns their ids. */
async function createTasks(agentId: string, bodies: readonly object[]): Promise<string[]> {
  const ids = await forAll(bodies, CALLS_AT_ONCE, async (body): Promise<string> => {
    const task = { task: "Count the words", agentId, ...body };
    return (await call(bosun, "POST", "/agents/tasks", task)).taskId;
  });
  await until(
    () => countOf(agentId, "assigned"),
    (count) => count === ids.length,
    PATIENCE_MS,
  );
  return ids;
}

const logsOf = (ids: readonly string[]): Promise<SeenEvent[][]> =>
  forAll(
    ids,
    CALLS_AT_ONCE,
    async (id): Promise<SeenEvent[]> =>
      (await call(bosun, "GET", `/agents/tasks/${id}/events`)).events,
  );

const only = (log: readonly SeenEvent[], type: string): readonly SeenEvent[] =>
  log.filter((event) => event.type === type);

const instantOf = (event: SeenEvent | undefined): number => Date.parse(event?.at ?? "");

interface Start {
  readonly level: number;
  readonly at: number;
}

/**
 * Counts, for each task, the more urgent tasks that started after it, and returns the largest count.
 */
function overtaken(starts: readonly Start[]): number {
  const counts = starts.map(
    (start) => starts.filter(({ level, at }) => level > start.level && at > start.at).length,
  );
  return Math.max(...counts);
}

describe("four worker processes of one agent", () => {
  it(
    `four worker processes complete each of ${TASKS} tasks exactly once, urgent tasks first`,
    { timeout: 3 * PATIENCE_MS },
    async () => {
      const { key } = await registerWorkerAgent(bosun, "drained");
      const priorities = Array.from(
        { length: TASKS },
        (_, place): Priority => PRIORITIES[place % PRIORITIES.length] ?? "low",
      );
      const ids = await createTasks(
        "drained",
        priorities.map((priority, place) => ({ priority, context: { text: `word ${place}` } })),
      );
      const startedAt = Date.now();
      const workers = startAll(key, {});
      await untilDone("drained", TASKS);
      const tookMs = Date.now() - startedAt;
      await Promise.all(workers.map((worker) => end(worker, "SIGTERM")));
      expect(workers.map(({ errorOutput }) => errorOutput())).toEqual(["", "", "", ""]);
      expect(workers.map(({ child }) => child.exitCode)).toEqual([0, 0, 0, 0]);

      const logs = await logsOf(ids);
      const shares = new Map(WORKERS.map((name) => [name, 0]));
      const starts = logs.map((log, place): Start => {
        const counts = ["started", "completed", "retried"].map((type) => only(log, type).length);
        expect(counts).toEqual([1, 1, 0]);
        expect(log.at(-1)?.type).toBe("completed");
        const [start] = only(log, "started");
        const worker = start?.data.lease?.worker ?? "";
        shares.set(worker, (shares.get(worker) ?? 0) + 1);
        return { level: PRIORITIES.indexOf(priorities[place] ?? "low"), at: instantOf(start) };
      });
      const rate = ((1_000 * TASKS) / tookMs).toFixed(1);
      console.log(
        `${TASKS} tasks in ${tookMs} ms: ${rate} per second, done by`,
        Object.fromEntries(shares),
        `, at most ${overtaken(starts)} more urgent ones started after a task`,
      );
      expect([...shares.keys()]).toEqual(WORKERS);
      // Tasks handed out at the same time can start in any order.
      expect(overtaken(starts)).toBeLessThanOrEqual(AT_ONCE);
    },
  );

  it(
    "a killed worker process's tasks are completed by the others soon after their leases expire",
    { timeout: 2 * PATIENCE_MS },
    async () => {
      const { key } = await registerWorkerAgent(bosun, "stricken");
      const bodies = Array.from({ length: 60 }, () => ({ context: { text: "word" } }));
      const ids = await createTasks("stricken", bodies);
      const settings = { LEASE_SECONDS: String(LEASE_SECONDS), PAUSE_MS: "1500" };
      const [victim] = startAll(key, settings);
      if (victim === undefined) throw new Error("There must be a worker to kill");
      // Only the few tasks in progress are read, so the worker has no time to complete its task meanwhile.
      const heldBy = async (name: string): Promise<string[]> => {
        const path = "/agents/tasks?agentId=stricken&status=in_progress&limit=100";
        const listed: { taskId: string }[] = (await call(bosun, "GET", path)).tasks;
        const tasks = await forAll(listed, CALLS_AT_ONCE, ({ taskId }) =>
          call(bosun, "GET", `/agents/tasks/${taskId}`),
        );
        return tasks.flatMap(({ taskId, lease }) => (lease?.worker === name ? [taskId] : []));
      };
      await untilDone("stricken", ids.length / 3);
      // Wait until the worker holds a lease, because it holds none between two tasks.
      await until(
        () => heldBy(victim.name),
        (mine) => mine.length > 0,
        PATIENCE_MS,
      );
      await end(victim, "SIGKILL");
      const killedAt = Date.now();
      const held = await heldBy(victim.name);
      await untilDone("stricken", ids.length);

      const orphans = await logsOf(held);
      const laterMs = orphans.map((log) => instantOf(only(log, "completed")[0]) - killedAt);
      console.log(
        `killed while holding ${held.length} tasks with leases of ${LEASE_SECONDS} s, which another worker completed after ${laterMs.join(", ")} ms`,
      );
      expect(held.length).toBeGreaterThan(0);
      expect(Math.max(...laterMs)).toBeLessThan(LEASE_SECONDS * 1_000 + SLACK_MS);
      for (const log of orphans) {
        expect(only(log, "retried")).toHaveLength(1);
        expect(only(log, "started").at(-1)?.data.lease?.worker).not.toBe(victim.name);
      }
      for (const log of await logsOf(ids)) expect(only(log, "completed")).toHaveLength(1);
    },
  );
});
