import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { KnownTasks } from "../known-tasks.ts";
import type { Rng } from "../rng.ts";
import type { Client } from "../client.ts";
import { keyOf } from "../history.ts";
import { WORKER_AGENTS } from "../task-requests.ts";
import { rest } from "../pace.ts";
import type { ClaimShape } from "../responses.ts";

const LEASE_SECONDS_MIN = 5;
const LEASE_SECONDS_MAX = 7;
const WAIT_SECONDS_MAX = 2;

/** How the workers behave. */
export interface WorkerProfile {
  readonly tasksPerClaimMax: number;
  readonly stepMaxMs: number;
  readonly stepsMax: number;
  /** The share of tasks for which the worker uploads a file. */
  readonly files: number;
  /** Draws how the work on a task ends. */
  readonly drawEnd: () => WorkEnd;
}

/** A worker that vanishes stops reporting. */
type WorkEnd = "completed" | "review" | "blocked" | "failed" | "vanish";

/** After the load, workers upload a file for each task that they claim, and complete the task. */
const LAST_WORK = { stepsMax: 0, files: 1, drawEnd: (): WorkEnd => "completed" };

type Held = ClaimShape["tasks"][number];

/**
 * Claims tasks and works on them until `leaving` aborts. Once `knownTasks.isOver` is true, uploads a file for each
 * claimed task and completes the task immediately.
 */
export async function workOn(
  client: Client,
  rng: Rng,
  knownTasks: KnownTasks,
  profile: WorkerProfile,
  leaving: AbortSignal,
): Promise<void> {
  for (let claims = 1; !leaving.aborted; claims += 1) {
    const worker = `${client.name}.${claims}`;
    for (const task of await claim(client, rng, worker, profile)) {
      knownTasks.add(task.taskId);
      client.history.claimedTasks.push({ taskId: task.taskId, worker });
      const last = { ...profile, ...LAST_WORK };
      await workAt(client, rng, task, knownTasks.isOver ? last : profile);
    }
    await rest(rng.integer(0, profile.stepMaxMs), leaving);
  }
}

async function claim(client: Client, rng: Rng, worker: string, profile: WorkerProfile) {
  client.history.workers.add(worker);
  const body = {
    agentId: rng.pick(WORKER_AGENTS),
    worker,
    max: rng.integer(1, profile.tasksPerClaimMax),
    leaseSeconds: rng.integer(LEASE_SECONDS_MIN, LEASE_SECONDS_MAX),
    waitSeconds: rng.integer(0, WAIT_SECONDS_MAX),
  };
  const path = "/agents/tasks/claim";
  const { data } = await client.ask<ClaimShape>({ kind: "claim", method: "POST", path, body });
  return data?.tasks ?? [];
}

async function workAt(
  client: Client,
  rng: Rng,
  task: Held,
  { stepMaxMs, stepsMax, files, drawEnd }: WorkerProfile,
): Promise<void> {
  let { progress } = task;
  for (let steps = rng.integer(0, stepsMax); steps > 0; steps -= 1) {
    await pause(rng.integer(0, stepMaxMs));
    progress = Math.min(99, progress + rng.integer(0, 30));
    const mark = client.newMark();
    if (!(await report(client, task, "progress", mark, { progress, phase: mark }))) return;
  }
  if (rng.isHit(files) && !(await handIn(client, task))) return;
  const end = drawEnd();
  if (end === "vanish") {
    client.history.vanished += 1;
    return;
  }
  const mark = client.newMark();
  const result = { summary: mark };
  const bodies = {
    completed: { result },
    review: { result },
    blocked: { question: mark },
    failed: { error: { message: mark } },
  };
  await report(client, task, end, mark, bodies[end]);
}

/**
 * Sends a report and retries while the outcome is unknown; false if it was not acknowledged, for example because the
 * worker has lost the task.
 */
async function report(
  client: Client,
  { taskId, lease }: Held,
  type: string,
  mark: string,
  more: object,
): Promise<boolean> {
  const body = { type, lease: lease.token, ...more };
  const path = `/agents/tasks/${taskId}/report`;
  // Reporting the end of the work twice is harmless, but progress without a key would count twice.
  const key = type === "progress" ? { key: keyOf(mark) } : {};
  const ask = { kind: `report ${type}`, method: "POST", path, body, mark, taskId, ...key } as const;
  const response = await client.sendWithRetries<{ stop: boolean }>(ask);
  return response.exchange.result === "acknowledged";
}

/**
 * Uploads a file with a unique name. The request is sent only once, because a repeat would be stored as another event.
 */
async function handIn(client: Client, { taskId, lease }: Held): Promise<boolean> {
  const mark = client.newMark();
  const name = `${mark}.csv`;
  const body = `word,count\n${mark},${"1".repeat(2_000)}\n`;
  const path = `/agents/tasks/${taskId}/deliverables/${encodeURIComponent(name)}`;
  const headers = { "Bosun-Lease": lease.token, "Content-Type": "text/csv" };
  const ask = { kind: "upload", method: "PUT", path, body, mark, taskId, headers } as const;
  const { exchange } = await client.ask(ask);
  if (exchange.result !== "acknowledged") return exchange.result === "unknown";
  const sha256 = createHash("sha256").update(body).digest("hex");
  client.history.uploads.push({ taskId, name, sha256 });
  return true;
}
