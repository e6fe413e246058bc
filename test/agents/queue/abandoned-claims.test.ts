import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi, type MockInstance } from "vitest";
import { AgentQueue } from "../../../src/agents/queue/queue.object.ts";
import worker from "../../../src/index.ts";
import { TaskObject } from "../../../src/tasks/runtime/task.object.ts";
import type { AdmissionResult } from "../../../src/tasks/task.rpc.ts";
import { OFFERS_AT_ONCE_MAX } from "../../../src/agents/limits.ts";
import { ORIGIN, ROOT } from "../../support/client.ts";
import { read, stopClock } from "../../support/tasks.ts";
import {
  agent,
  claimed,
  claimOf,
  tasksWithStatus,
  createTaskFor,
  createTasksFor,
  type Agent,
} from "./fixtures.ts";

beforeAll(stopClock);
afterEach(() => {
  vi.restoreAllMocks();
});

/** Yields until a method of the agent's queue has been called. */
async function untilCalled({ queue }: Agent, method: MockInstance): Promise<void> {
  do await queue.readCounts();
  while (method.mock.calls.length === 0);
}

function claimRequest({ id: agentId }: Agent, signal: AbortSignal): Request {
  return new Request(`${ORIGIN}/agents/tasks/claim`, {
    method: "POST",
    headers: { Authorization: `Bearer ${ROOT}`, "Content-Type": "application/json" },
    body: JSON.stringify({ agentId, waitSeconds: 20 }),
    signal,
  });
}

describe("a claim whose client disconnects", () => {
  it("a claim whose client disconnects stops waiting, and the next claim gets the next task", async () => {
    const workers = await agent("worker", null);
    const client = new AbortController();
    const context = createExecutionContext();
    const claims = vi.spyOn(AgentQueue.prototype, "claim");
    const claiming = worker.fetch(claimRequest(workers, client.signal), env, context);
    await untilCalled(workers, claims);
    client.abort();
    await waitOnExecutionContext(context);
    expect((await claiming).status).toBe(200);

    const id = await createTaskFor(workers);
    expect((await read(id)).status).toBe("assigned");
    expect(await claimed(workers)).toEqual([id]);
  });

  it("a disconnect that the platform reports cancels the claim in the queue", async () => {
    const workers = await agent("worker", null);
    const client = new AbortController();
    const claims = vi.spyOn(AgentQueue.prototype, "claim");
    const givenUp = vi.spyOn(AgentQueue.prototype, "cancelClaim");
    const claiming = exports.default
      .fetch(claimRequest(workers, client.signal))
      .catch(() => "aborted");
    await untilCalled(workers, claims);
    client.abort();
    expect(await claiming).toBe("aborted");
    await untilCalled(workers, givenUp);

    const id = await createTaskFor(workers);
    expect((await read(id)).status).toBe("assigned");
    expect(await claimed(workers)).toEqual([id]);
  });

  it("a claim whose client disconnects before the queue is called gets no task", async () => {
    const workers = await agent("worker", null);
    const id = await createTaskFor(workers);
    const claims = vi.spyOn(AgentQueue.prototype, "claim");
    const gone = claimRequest(workers, AbortSignal.abort());
    const answer = await worker.fetch(gone, env, createExecutionContext());
    expect(await answer.json()).toMatchObject({ data: { tasks: [] } });
    expect(claims).not.toHaveBeenCalled();
    expect((await read(id)).status).toBe("assigned");
  });

  it("a claim that is cancelled while tasks are being offered gets only the tasks already offered", async () => {
    const workers = await agent("worker", null);
    const ids = await createTasksFor(workers, 2 * OFFERS_AT_ONCE_MAX);
    const claim = claimOf({ tasksMax: ids.length });
    // Each offer calls the real `admit`, but only after the claim is cancelled.
    const { value: admit } = Object.getOwnPropertyDescriptor(TaskObject.prototype, "admit") ?? {};
    vi.spyOn(TaskObject.prototype, "admit").mockImplementation(async function call(
      this: TaskObject,
      ...offer
    ): Promise<AdmissionResult> {
      await workers.queue.cancelClaim(claim.id);
      return admit.apply(this, offer);
    });
    const given = (await workers.queue.claim(claim)) ?? [];
    expect(given).toHaveLength(OFFERS_AT_ONCE_MAX);
    expect(await tasksWithStatus("assigned", ids)).toHaveLength(ids.length - OFFERS_AT_ONCE_MAX);
    vi.restoreAllMocks();
    expect(await claimed(workers, { tasksMax: ids.length })).toHaveLength(OFFERS_AT_ONCE_MAX);
  });

  it("cancelling an unknown claim does not affect a waiting claim", async () => {
    const workers = await agent("worker", null);
    const waiting = claimed(workers, { waitMs: 60_000 });
    await workers.queue.cancelClaim(crypto.randomUUID());
    const id = await createTaskFor(workers);
    expect(await waiting).toEqual([id]);
  });
});
