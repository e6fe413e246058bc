import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import {
  queueStub,
  type ClaimRequest,
  type QueueRpc,
} from "../../../src/agents/queue/queue.rpc.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { create, passTime, read, wake } from "../../support/tasks.ts";

/** An agent that only one test uses, and its queue. */
export interface Agent {
  readonly id: string;
  /**
   * A new stub for each access, because a stub becomes unusable when the object instance behind it
   * ends.
   */
  readonly queue: QueueRpc;
}

/** Inserts an agent directly into the registry. */
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

/**
 * Creates a task for the agent, a minute after the previous one. The task waits, or starts if a
 * slot is free.
 */
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

/** Returns the given ids whose tasks have this status, in the same order. */
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

/** The worker of `claimOf` as its queue lists it, if it was last seen now. */
export function workerHolding(taskIds: readonly (string | undefined)[]) {
  return { worker: "test", keyId: null, lastSeenAt: Date.now(), isWaiting: false, taskIds };
}

export function queueObject({ id }: Agent): DurableObjectStub {
  return env.QUEUES.get(env.QUEUES.idFromName(id));
}

/** Runs the queue's alarm; false if none is set. */
export function wakeQueue(of: Agent): Promise<boolean> {
  return runDurableObjectAlarm(queueObject(of));
}

export function alarmOf(of: Agent): Promise<number | null> {
  return runInDurableObject(queueObject(of), (_, { storage }) => storage.getAlarm());
}

/**
 * Corrupts a task's log, so that every call to its object throws. Returns a function that restores
 * the log.
 */
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
  // Without an eviction, the instance would still have the log in memory.
  await evictDurableObject(stub);
  return async () => {
    await say(whole);
  };
}
