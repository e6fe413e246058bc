import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import {
  queueStub,
  type ClaimRequest,
  type QueueRpc,
} from "../../../src/agents/queue/queue.rpc.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { create, passTime, read, wake } from "../../support/tasks.ts";

/** An agent of this test alone, with its queue. */
export interface Agent {
  readonly id: string;
  /** Found anew each time: a stub does not outlive the object that it has reached. */
  readonly queue: QueueRpc;
}

/** Puts an agent into the registry as it would be after `POST /agents`, which this test is not about. */
export async function agent(
  executor: "builtin" | "worker",
  maxConcurrentTasks: number | null,
): Promise<Agent> {
  const id = `agent-${crypto.randomUUID()}`;
  const inAgents = env.DB.prepare(
    "INSERT INTO agents (id, name, executor, max_concurrent_tasks, created_at) VALUES (?, ?, ?, ?, ?)",
  );
  const inGrants = env.DB.prepare(
    "INSERT INTO grants (agent_id, tool_id, proficiency, granted_at) VALUES (?, ?, 'expert', ?)",
  );
  await env.DB.batch([
    inAgents.bind(id, id, executor, maxConcurrentTasks, Date.now()),
    inGrants.bind(id, "text-analyst", Date.now()),
  ]);
  return {
    id,
    get queue() {
      return queueStub(env.QUEUES, id);
    },
  };
}

const MINUTE_MS = 60_000;
const TEXT = "The harbour of Bergen was rebuilt in 1702. Fire had taken the wooden wharf.";

/** A task that has come to the agent, a minute after the last: it waits, or has a place that was free. */
export async function createTaskFor(
  { id: agentId }: Agent,
  body: JsonObject = {},
): Promise<string> {
  passTime(MINUTE_MS);
  const id = await create({ agentId, context: { text: TEXT }, deliverables: ["summary"], ...body });
  await wake(id);
  return id;
}

export async function createTasksFor(to: Agent, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await createTaskFor(to));
  return ids;
}

/** Which of these tasks stand at a status, in their order. */
export async function tasksWithStatus(status: string, ids: readonly string[]): Promise<string[]> {
  const all = await Promise.all(ids.map(async (id) => ({ id, ...(await read(id)) })));
  return all.filter((task) => task.status === status).map(({ id }) => id);
}

export function claimOf(given: Partial<ClaimRequest> = {}): ClaimRequest {
  return {
    id: crypto.randomUUID(),
    worker: "test",
    keyId: null,
    tasksMax: 1,
    leaseSeconds: 60,
    waitMs: 0,
    ...given,
  };
}

export async function claimed(
  { queue }: Agent,
  given: Partial<ClaimRequest> = {},
): Promise<string[]> {
  return ((await queue.claim(claimOf(given))) ?? []).map(({ taskId }) => taskId);
}

export function queueObject({ id }: Agent): DurableObjectStub {
  return env.QUEUES.get(env.QUEUES.idFromName(id));
}

/** Runs the alarm of the queue, false when it has none. */
export function wakeQueue(of: Agent): Promise<boolean> {
  return runDurableObjectAlarm(queueObject(of));
}

export function alarmOf(of: Agent): Promise<number | null> {
  return runInDurableObject(queueObject(of), (_, { storage }) => storage.getAlarm());
}

/** Breaks the log of a task, so that every call of its object throws; answers how to mend it. */
export async function breakTaskLog(taskId: string): Promise<() => Promise<void>> {
  const stub = env.TASKS.get(env.TASKS.idFromString(taskId));
  const say = (data: string): Promise<string> =>
    runInDurableObject(stub, (_, { storage: { sql } }) => {
      const { data: before } = sql
        .exec<{ data: string }>("SELECT data FROM events WHERE seq = 1")
        .one();
      sql.exec("UPDATE events SET data = ? WHERE seq = 1", data);
      return before;
    });
  const whole = await say("{");
  // What it had read before it would go on to know.
  await evictDurableObject(stub);
  return async () => {
    await say(whole);
  };
}
