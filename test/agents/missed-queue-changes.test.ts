import { ROOT_ACTOR } from "../support/actor.ts";
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { queueStub, type QueueRpc } from "../../src/agents/queue/queue.rpc.ts";
import { changeAgent, registerAgent } from "../../src/agents/manage-agents.ts";
import { registerAgentBody } from "../../src/agents/schemas.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { del, patch, post } from "../support/client.ts";
import { expectError } from "../support/expect-errors.ts";
import { silenceTable } from "../support/silent-database.ts";
import { create, passTime, read, stopClock, wake } from "../support/tasks.ts";
import { typesOf } from "../support/task-state.ts";
import { putTeam, queuesWhere, registerNewAgent } from "./fixtures.ts";

beforeAll(stopClock);

const WORKER = { executor: { type: "worker" } } as const;
const PULLED = { limit: null, isPulled: true };

const wakeQueue = (agentId: string) =>
  runDurableObjectAlarm(env.QUEUES.get(env.QUEUES.idFromName(agentId)));

/**
 * Whether the queue of a worker agent is open. A claim that does not wait returns null if the queue
 * is closed.
 */
async function isOpen(agentId: string): Promise<boolean> {
  const claim = { id: "look", worker: null, keyId: null, tasksMax: 1, leaseSeconds: 5, waitMs: 0 };
  return (await queueStub(env.QUEUES, agentId).claim(claim)) !== null;
}

async function assigned(body: JsonObject): Promise<string> {
  const id = await create(body);
  await wake(id);
  return id;
}

/** Queues whose `configure` fails after `changes` calls, as if the Worker had ended. */
function queuesReceiving(changes: number): Env["QUEUES"] {
  let left = changes;
  const configure: QueueRpc["configure"] = async (agentId, terms, open) => {
    if (left === 0) throw new Error("The Worker has ended");
    left -= 1;
    await queueStub(env.QUEUES, agentId).configure(agentId, terms, open);
  };
  return queuesWhere({ configure });
}

describe("a queue that missed a change to its agent", () => {
  it("a closed queue of an enabled agent opens when a task arrives, and the task keeps waiting in it", async () => {
    await registerNewAgent({ id: "missed", ...WORKER });
    await putTeam("alone", { agents: ["missed"] });
    await queueStub(env.QUEUES, "missed").configure("missed", PULLED, false);
    const id = await assigned({ teamId: "alone" });
    for (let wakes = 0; wakes < 5; wakes += 1) {
      passTime(1_000);
      await wake(id);
      await wakeQueue("missed");
    }
    expect(await typesOf(id)).toEqual(["created", "assigned"]);
    expect(await isOpen("missed")).toBe(true);
  });

  it("a queue that missed its agent's new executor reads it when a task arrives, and the next task starts", async () => {
    await registerNewAgent({ id: "turned", ...WORKER });
    await env.DB.prepare(
      "UPDATE agents SET executor = 'builtin', max_concurrent_tasks = 1 WHERE id = 'turned'",
    ).run();
    await assigned({ agentId: "turned" });
    await wakeQueue("turned");
    const next = await assigned({ agentId: "turned" });
    expect((await typesOf(next)).slice(0, 3)).toEqual(["created", "assigned", "started"]);
  });

  it("the alarm of a queue ends with a warning if D1 does not respond", async () => {
    await registerNewAgent({ id: "asking", ...WORKER });
    await putTeam("asked", { agents: ["asking"] });
    await queueStub(env.QUEUES, "asking").configure("asking", PULLED, false);
    await assigned({ teamId: "asked" });
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    const { DB: real } = env;
    const { DB, isStruck } = silenceTable("agents");
    Object.assign(env, { DB });
    onTestFinished(() => void Object.assign(env, { DB: real }));
    expect(await Promise.race([wakeQueue("asking"), scheduler.wait(8_000)])).toBe(true);
    expect(isStruck()).toBe(true);
    const warning = expect.objectContaining({ event: "queue_sync_failed", agentId: "asking" });
    expect(warned).toHaveBeenCalledWith(warning);
  });

  it("a claim opens the closed queue of an enabled agent, waits, and gets the next task", async () => {
    await registerNewAgent({ id: "claimed", ...WORKER });
    await queueStub(env.QUEUES, "claimed").configure("claimed", PULLED, false);
    const claiming = post("/agents/tasks/claim", { agentId: "claimed", waitSeconds: 20 });
    const id = await assigned({ agentId: "claimed" });
    expect((await claiming).body.data.tasks).toMatchObject([{ taskId: id }]);
  });

  it("a change to an agent's name opens the agent's closed queue", async () => {
    await registerNewAgent({ id: "renamed", ...WORKER });
    await queueStub(env.QUEUES, "renamed").configure("renamed", PULLED, false);
    expect(await isOpen("renamed")).toBe(false);
    expect((await patch("/agents/renamed", { name: "New" })).status).toBe(200);
    expect(await isOpen("renamed")).toBe(true);
  });

  it("repeating an interrupted registration returns 409 and opens the closed queue", async () => {
    await queueStub(env.QUEUES, "reborn").configure("reborn", PULLED, false);
    const body = { id: "reborn", ...WORKER };
    const broken = registerAgent(
      { ...env, QUEUES: queuesReceiving(0) },
      registerAgentBody.parse(body),
      ROOT_ACTOR,
    );
    await expect(broken).rejects.toThrow("The Worker has ended");
    expect(await isOpen("reborn")).toBe(false);
    expectError(await post("/agents", body), 409, "AGENT_EXISTS");
    expect(await isOpen("reborn")).toBe(true);
  });
});

describe("a queue that its agent no longer uses", () => {
  it("a waiting task goes back to pending even if the change to its agent's executor is interrupted", async () => {
    await registerNewAgent({
      id: "half-turned",
      executor: { type: "builtin" },
      maxConcurrentTasks: 1,
    });
    await assigned({ agentId: "half-turned" });
    const waiting = await assigned({ agentId: "half-turned" });
    expect((await read(waiting)).status).toBe("assigned");
    const executor = { type: "worker" } as const;
    const broken = changeAgent(
      { ...env, QUEUES: queuesReceiving(1) },
      "half-turned",
      { executor },
      ROOT_ACTOR,
    );
    await expect(broken).rejects.toThrow("The Worker has ended");
    await wakeQueue("half-turned");
    expect((await read(waiting)).status).toBe("pending");
    expect((await patch("/agents/half-turned", { executor })).status).toBe(200);
    expect(await isOpen("half-turned")).toBe(true);
  });

  it("deleting an agent closes its queue even if the agent's limit was removed earlier", async () => {
    await registerNewAgent({ id: "unbound", maxConcurrentTasks: 1 });
    const id = await assigned({ agentId: "unbound", context: { askFirst: "Which year?" } });
    while ((await read(id)).status !== "blocked") await wake(id);
    await patch("/agents/unbound", { maxConcurrentTasks: null });
    expect((await del("/agents/unbound")).status).toBe(200);
    expect((await post(`/agents/tasks/${id}/respond`, { response: "1702" })).status).toBe(200);
    await wakeQueue("unbound");
    // The queue releases the task, which then waits until an agent is assigned again.
    expect((await typesOf(id)).slice(-2)).toEqual(["responded", "retried"]);
    expect((await read(id)).status).toBe("pending");
  });
});
