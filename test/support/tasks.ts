import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/kernel/json.ts";
import type { TaskStatus } from "../../src/tasks/model/task.ts";
import { get, post, type Answer } from "./client.ts";

const DAY_MS = 86_400_000;
/** More than any agent takes: a task that does not get there in these is stuck. */
const WAKES_MAX = 40;

/**
 * Stops the clock of the Worker and its objects a day ahead for one file, so that nothing happens by
 * itself: alarms lie ahead of the runtime's own clock, and a test runs each one when it wants it.
 */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
}

export function passTime(durationMs: number): void {
  vi.setSystemTime(Date.now() + durationMs);
}

/** Moves a stopped clock on to an instant; back it never goes. */
export function setClock(instant: string): void {
  vi.setSystemTime(new Date(instant));
}

/** Runs the alarm of a task, false when it has none. */
export function wake(taskId: string): Promise<boolean> {
  return runDurableObjectAlarm(env.TASKS.get(env.TASKS.idFromString(taskId)));
}

/** Creates a task and gives its id. */
export async function create(body: JsonObject = {}): Promise<string> {
  const answer = await post("/agents/tasks", { task: "Summarise what happened", ...body });
  if (answer.status !== 201) throw new Error(`The task was not created: ${answer.text}`);
  return answer.body.data.taskId;
}

/** What GET shows of a task. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
export async function read(taskId: string): Promise<any> {
  const answer = await get(`/agents/tasks/${taskId}`);
  if (answer.status !== 200) throw new Error(`The task was not found: ${answer.text}`);
  return answer.body.data;
}

/** Runs a task's alarms until it stands at a status. */
export async function untilStatus(taskId: string, status: TaskStatus): Promise<void> {
  for (let wakes = 0; wakes < WAKES_MAX; wakes += 1) {
    if ((await read(taskId)).status === status) return;
    await wake(taskId);
  }
  throw new Error(`The task did not become ${status}: ${JSON.stringify(await read(taskId))}`);
}

const TEXT =
  "The harbour of Bergen was rebuilt in 1702. Fire had taken the wooden wharf. Merchants paid for stone cellars, and the cellars still stand.";

const ROWS = Array.from({ length: 30 }, (_, i) => `${1702 + i},${(i * i) % 97},wharf ${i % 5}`);

/** What a task is asked for whose file is too large for its log, and goes to the store. */
export const LARGE_OUTPUT: JsonObject = {
  task: "港".repeat(4_000),
  context: { csv: ["year,ships,place", ...ROWS].join("\n") },
  deliverables: ["analysis"],
};

/** Creates a task, brings it to a status by what a client and its agent would do, and gives its id. */
export async function taskIn(status: TaskStatus, body: JsonObject = {}): Promise<string> {
  const { context, ...rest } = body;
  const told: JsonObject = { text: TEXT, ...(isJsonObject(context) ? context : {}) };
  switch (status) {
    case "pending":
      return create({ ...rest, context: told });
    case "assigned":
      throw new Error("A task is assigned and started in one breath; read its events instead");
    case "in_progress":
    case "completed": {
      const id = await create({ ...rest, context: told });
      await untilStatus(id, status);
      return id;
    }
    case "blocked": {
      const id = await create({ ...rest, context: { ...told, askFirst: "Which year?" } });
      await untilStatus(id, status);
      return id;
    }
    case "review": {
      const id = await create({ ...rest, context: { ...told, requireReview: true } });
      await untilStatus(id, status);
      return id;
    }
    case "failed": {
      const id = await taskIn("review", body);
      mustSucceed(await post(`/agents/tasks/${id}/review`, { decision: "reject" }));
      return id;
    }
    case "cancelled": {
      const id = await taskIn("pending", body);
      mustSucceed(await post(`/agents/tasks/${id}/cancel`));
      return id;
    }
  }
}

function mustSucceed(answer: Answer): void {
  if (answer.status !== 200) throw new Error(answer.text);
}
