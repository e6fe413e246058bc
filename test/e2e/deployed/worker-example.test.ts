import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import {
  call,
  end,
  registerWorkerAgent,
  startBundled,
  startWorker,
  until,
  type WorkerProcess,
} from "./processes.ts";

const PATIENCE_MS = 30_000;
const TEXT = "Wind and tide, wind and rain: the harbour. The pier; the wind!";

let bosun: Bosun;
const processes: WorkerProcess[] = [];

beforeAll(async () => {
  bosun = await startBundled();
}, 120_000);

afterAll(async () => {
  await Promise.all(processes.map((worker) => end(worker, "SIGKILL")));
  await bosun.stop();
});

let agents = 0;
type Program = readonly [string, string];
const PYTHON = "python3";
const hasPython = spawnSync(PYTHON, ["--version"]).status === 0;
if (!hasPython && process.env["CI"] === "true") throw new Error("CI needs python3");
if (!hasPython) console.warn("\n  SKIPPED the tests of examples/worker.py: there is no python3.\n");

/** Registers an agent and starts an example worker for it. */
async function startExampleWorker(
  program: Program,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ agentId: string; key: string; worker: WorkerProcess }> {
  agents += 1;
  const agentId = `counter-${agents}`;
  const { key } = await registerWorkerAgent(bosun, agentId);
  const worker = startWorker(bosun, { key, name: agentId, ...settings }, program);
  processes.push(worker);
  return { agentId, key, worker };
}

async function create(agentId: string, context: object): Promise<string> {
  const task = { task: "Count the words", agentId, context };
  return (await call(bosun, "POST", "/agents/tasks", task)).taskId;
}

const read = (id: string) => call(bosun, "GET", `/agents/tasks/${id}`);

const untilStatus = (id: string, status: string) =>
  until(
    () => read(id),
    (task) => task.status === status,
    PATIENCE_MS,
  );

it("the example worker has fewer than 80 lines", () => {
  const lines = readFileSync("examples/worker.ts", "utf8").trimEnd().split("\n");
  expect(lines.length).toBeLessThan(80);
});

describe.each<{ program: Program; skip: boolean }>([
  { program: [process.execPath, "examples/worker.ts"], skip: false },
  { program: [PYTHON, "examples/worker.py"], skip: !hasPython },
])("$program.1", { timeout: 2 * PATIENCE_MS }, ({ program, skip }) => {
  beforeEach(({ skip: skipTest }) => skipTest(skip, "there is no python3"));

  it("the example worker counts words and uploads the complete table", async () => {
    const { agentId, worker } = await startExampleWorker(program);
    const id = await create(agentId, { text: TEXT });
    const { result, progress } = await untilStatus(id, "completed");
    expect(progress).toBe(100);
    expect(result.summary).toBe("12 words, 7 of them distinct.");
    expect(result.insights[0]).toBe('Occurrences of "wind": 3');
    const { deliverables } = await call(bosun, "GET", `/agents/tasks/${id}/deliverables`);
    const [file] = deliverables;
    const bytes = Buffer.from(await (await fetch(file.downloadUrl)).arrayBuffer());
    expect(bytes.toString().split("\n").slice(0, 3)).toEqual(["word,count", "wind,3", "the,3"]);
    expect(file).toMatchObject({
      name: "words.csv",
      format: "text/csv",
      size: bytes.byteLength,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    });
    expect(worker.errorOutput()).toBe("");
  });

  it("the example worker asks first if required, and continues with the answer", async () => {
    const { agentId } = await startExampleWorker(program);
    const id = await create(agentId, { text: TEXT, askFirst: "Shall I?" });
    const { blocked } = await untilStatus(id, "blocked");
    expect(blocked.question).toBe("Shall I?");
    await call(bosun, "POST", `/agents/tasks/${id}/respond`, { response: "Yes." });
    await untilStatus(id, "completed");
  });

  it("the example worker repeats its work when a reviewer requests changes", async () => {
    const { agentId } = await startExampleWorker(program);
    await call(bosun, "PATCH", `/agents/${agentId}`, { requireReview: true });
    const id = await create(agentId, { text: TEXT });
    await untilStatus(id, "review");
    const changes = { decision: "request_changes", comment: "Once more." };
    await call(bosun, "POST", `/agents/tasks/${id}/review`, changes);
    await untilStatus(id, "review");
    await call(bosun, "POST", `/agents/tasks/${id}/review`, { decision: "approve" });
    expect((await untilStatus(id, "completed")).result.summary).toMatch(/^12 words/);
  });

  it.each([{}, { text: "…" }, { text: 7 }])(
    "the example worker fails a task with the context %j and reports an error",
    async (context) => {
      const { agentId, worker } = await startExampleWorker(program);
      const id = await create(agentId, context);
      const { error } = await untilStatus(id, "failed");
      expect(error.code).toBe("AGENT_ERROR");
      expect(error.message).toMatch(/\S/);
      expect(worker.errorOutput()).toContain(id);
    },
  );

  it("the example worker stops when its task is cancelled, and claims the next one", async () => {
    const { agentId } = await startExampleWorker(program, {
      LEASE_SECONDS: "5",
      PAUSE_MS: "60000",
    });
    const id = await create(agentId, { text: TEXT });
    await until(
      () => read(id),
      (task) => task.progress > 0,
      PATIENCE_MS,
    );
    await call(bosun, "POST", `/agents/tasks/${id}/cancel`, {});
    const { events } = await call(bosun, "GET", `/agents/tasks/${id}/events`);
    const next = await create(agentId, { text: TEXT });
    await until(
      () => read(next),
      (task) => task.lease !== undefined,
      PATIENCE_MS,
    );
    expect((await call(bosun, "GET", `/agents/tasks/${id}/events`)).events).toEqual(events);
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "on %s, the example worker returns its task, and another worker completes the same attempt",
    async (signal) => {
      const { agentId, key, worker } = await startExampleWorker(program, { PAUSE_MS: "60000" });
      const id = await create(agentId, { text: TEXT });
      const { progress } = await until(
        () => read(id),
        (task) => task.progress > 0,
        PATIENCE_MS,
      );
      await end(worker, signal);
      expect([worker.child.exitCode, worker.errorOutput()]).toEqual([0, ""]);
      const returned = await read(id);
      expect(returned).toMatchObject({ status: "in_progress", attempt: 1, progress });
      expect(returned).not.toHaveProperty("lease");

      processes.push(startWorker(bosun, { key, name: agentId }, program));
      expect((await untilStatus(id, "completed")).attempts).toEqual([]);
    },
  );

  it("the example worker stops on SIGTERM while the service cannot be reached", async () => {
    const unreachable = { ...bosun, origin: "http://127.0.0.1:1" };
    const worker = startWorker(unreachable, { key: "bsn_none", name: "nobody" }, program);
    processes.push(worker);
    await once(worker.child, "spawn");
    await until(
      async () => worker.output(),
      (output) => output.includes("retrying"),
      PATIENCE_MS,
    );
    await end(worker, "SIGTERM");
    expect([worker.child.exitCode, worker.errorOutput()]).toEqual([0, ""]);
  });

  it("the example worker reports a problem with its key and exits", async () => {
    const worker = startWorker(bosun, { key: "bsn_none", name: "nobody" }, program);
    processes.push(worker);
    const [code] = await once(worker.child, "exit");
    expect(code).toBe(1);
    expect(worker.errorOutput()).toMatch(/key/i);
  });
});
