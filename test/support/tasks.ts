import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/kernel/json.ts";
import type { TaskStatus } from "../../src/tasks/model/task.ts";
import { get, post, type Answer } from "./client.ts";

const DAY_MS = 86_400_000;
/** More alarms than any test needs. */
const WAKES_MAX = 40;

/**
 * Stops the clock of the Worker and its objects, one day ahead, until the calling test file ends.
 * Alarms are then in the future according to the runtime's own clock, so they run only when a test
 * runs them.
 */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
}

export function passTime(durationMs: number): void {
  vi.setSystemTime(Date.now() + durationMs);
}

/** Moves a stopped clock forward to a given time. */
export function setClock(instant: string): void {
  vi.setSystemTime(new Date(instant));
}

/** Runs a task's alarm. Returns false if there is none. */
export function wake(taskId: string): Promise<boolean> {
  return runDurableObjectAlarm(env.TASKS.get(env.TASKS.idFromString(taskId)));
}

/** Creates a task and returns its id. */
export async function create(body: JsonObject = {}): Promise<string> {
  const answer = await post("/agents/tasks", { task: "Summarise what happened", ...body });
  if (answer.status !== 201) throw new Error(`The task was not created: ${answer.text}`);
  return answer.body.data.taskId;
}

/** Returns a task as GET returns it. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
export async function read(taskId: string): Promise<any> {
  const answer = await get(`/agents/tasks/${taskId}`);
  if (answer.status !== 200) throw new Error(`The task was not found: ${answer.text}`);
  return answer.body.data;
}

/** Runs a task's alarms until the task reaches a status. */
export async function untilStatus(taskId: string, status: TaskStatus): Promise<void> {
  for (let wakes = 0; wakes < WAKES_MAX; wakes += 1) {
    if ((await read(taskId)).status === status) return;
    await wake(taskId);
  }
  throw new Error(
    `The task did not reach the status ${status}: ${JSON.stringify(await read(taskId))}`,
  );
}

const TEXT =
  "The harbour of Bergen was rebuilt in 1702. Fire had taken the wooden wharf. Merchants paid for stone cellars, and the cellars still stand.";

const ROWS = Array.from({ length: 30 }, (_, i) => `${1702 + i},${(i * i) % 97},wharf ${i % 5}`);

/** A task with an output file too large for the log, so the file goes to R2. */
export const LARGE_OUTPUT: JsonObject = {
  task: "港".repeat(4_000),
  context: { csv: ["year,ships,place", ...ROWS].join("\n") },
  deliverables: ["analysis"],
};

/** Creates a task, brings it to a status with client and agent commands, and returns its id. */
export async function taskIn(status: TaskStatus, body: JsonObject = {}): Promise<string> {
  const { context, ...rest } = body;
  const fullContext: JsonObject = { text: TEXT, ...(isJsonObject(context) ? context : {}) };
  switch (status) {
    case "pending":
      return create({ ...rest, context: fullContext });
    case "assigned":
      throw new Error("A task is assigned and started in one transaction; read its events instead");
    case "in_progress":
    case "completed": {
      const id = await create({ ...rest, context: fullContext });
      await untilStatus(id, status);
      return id;
    }
    case "blocked": {
      const id = await create({ ...rest, context: { ...fullContext, askFirst: "Which year?" } });
      await untilStatus(id, status);
      return id;
    }
    case "review": {
      const id = await create({ ...rest, context: { ...fullContext, requireReview: true } });
      await untilStatus(id, status);
      return id;
    }
    case "failed": {
      const id = await taskIn("review", body);
      assertSuccess(await post(`/agents/tasks/${id}/review`, { decision: "reject" }));
      return id;
    }
    case "cancelled": {
      const id = await taskIn("pending", body);
      assertSuccess(await post(`/agents/tasks/${id}/cancel`));
      return id;
    }
  }
}

function assertSuccess(answer: Answer): void {
  if (answer.status !== 200) throw new Error(answer.text);
}
