import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import worker from "../../src/index.ts";
import { interceptCalls } from "../fault-injection/interpose-bindings.ts";
import { del, ORIGIN, patch, post } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { expectError } from "../support/expect-errors.ts";
import { create, passTime, read, stopClock, wake } from "../support/tasks.ts";
import { waitingTask, workerAgent } from "../tasks/workers/fixtures.ts";

beforeAll(stopClock);

/**
 * The maximum time until a revocation takes effect. These tests spend most of their time waiting
 * for it.
 */
const END_MAX_MS = 10_000;

interface Stream {
  /** Returns the next chunk of the stream, or null at its end. */
  next(): Promise<string | null>;
  /** Measures how long the stream takes to end; Infinity if longer than END_MAX_MS. */
  endMs(): Promise<number>;
}

async function streamOf(response: Response): Promise<Stream> {
  expect(response.status).toBe(200);
  if (response.body === null) throw new Error("The response has no body");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  onTestFinished(() => reader.cancel().catch(() => {}));
  const next = async (): Promise<string | null> => {
    const { done, value } = await reader.read();
    return done ? null : value;
  };
  return {
    next,
    endMs: async () => {
      const from = performance.now();
      const ended = async (): Promise<number> => {
        while ((await next()) !== null);
        return performance.now() - from;
      };
      return Promise.race([ended(), scheduler.wait(END_MAX_MS).then(() => Infinity)]);
    },
  };
}

/** Opens a task's event stream and reads up to its snapshot. */
async function follow(id: string, key: string): Promise<Stream> {
  const headers = { Authorization: `Bearer ${key}`, Accept: "text/event-stream" };
  const request = new Request(`${ORIGIN}/agents/tasks/${id}/events?after=1`, { headers });
  const stream = await streamOf(await worker.fetch(request, env, createExecutionContext()));
  while (!(await stream.next())?.includes("snapshot"));
  return stream;
}

/** Opens a stream of the feed and reads up to its live mark. */
async function followFeed(_: string, key: string): Promise<Stream> {
  const headers = { Authorization: `Bearer ${key}`, Accept: "text/event-stream" };
  const request = new Request(`${ORIGIN}/agents/events?from=latest`, { headers });
  const stream = await streamOf(await worker.fetch(request, env, createExecutionContext()));
  while (!(await stream.next())?.includes("live"));
  return stream;
}

async function subscribe(taskId: string, key: string): Promise<Stream> {
  const headers = {
    Authorization: `Bearer ${key}`,
    "A2A-Version": "1.0",
    "Content-Type": "application/json",
  };
  const body = { jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: taskId } };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const request = new Request(`${ORIGIN}/a2a`, init);
  const stream = await streamOf(await worker.fetch(request, env, createExecutionContext()));
  for (;;) if ((await stream.next())?.includes(taskId)) return stream;
}

const revoke = (key: string) => del(`/agents/keys/${keyId(key)}`);
/**
 * Revokes a key as another isolate would. This isolate is not notified, so its cache is outdated.
 */
async function revokeElsewhere(key: string): Promise<void> {
  await env.DB.prepare("UPDATE keys SET revoked_at = ? WHERE id = ?")
    .bind(Date.now(), keyId(key))
    .run();
  passTime(1_000);
}

describe("an open stream", () => {
  it.each([
    ["a task's events end", follow, revoke],
    ["a task's events end, even if another isolate revoked the key,", follow, revokeElsewhere],
    ["a stream of the feed ends", followFeed, revoke],
    ["an A2A subscription ends", subscribe, revoke],
  ])("%s within ten seconds of the key's revocation", async (_, open, end) => {
    const key = await keyWith(["tasks:read"]);
    const stream = await open(await create(), key);
    await end(key);
    expect(await stream.endMs()).toBeLessThan(END_MAX_MS);
  });

  it("an open stream ends within ten seconds of the key's expiry, even if D1 cannot be reached", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const stream = await follow(await create(), await keyWith(["tasks:read"], { expiresAt }));
    await withoutKeys(async () => {
      passTime(60_000);
      expect(await stream.endMs()).toBeLessThan(END_MAX_MS);
    });
  });

  it("an open stream stays open while D1 cannot be reached, because its key may still be valid", async () => {
    const id = await create();
    const stream = await follow(id, await keyWith(["tasks:read"]));
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => warned.mockRestore());
    await withoutKeys(async () => {
      passTime(1_000);
      await vi.waitFor(
        () =>
          expect(warned).toHaveBeenCalledWith(
            expect.objectContaining({ event: "key_check_failed" }),
          ),
        { timeout: END_MAX_MS },
      );
      await patch(`/agents/tasks/${id}`, { notes: "still there" });
      expect(await stream.next()).toContain("still there");
    });
  });
});

/** Runs `work` while the keys table cannot be read. */
async function withoutKeys(work: () => Promise<void>): Promise<void> {
  await env.DB.prepare("ALTER TABLE keys RENAME TO keys_away").run();
  try {
    await work();
  } finally {
    await env.DB.prepare("ALTER TABLE keys_away RENAME TO keys").run();
  }
}

describe("a waiting claim", () => {
  const claim = (agentId: string, key: string, waitSeconds = 20) =>
    post("/agents/tasks/claim", { agentId, waitSeconds }, { key });

  it("a waiting claim ends with 401 within ten seconds of the key's revocation, and gets no task", async () => {
    const agentId = await workerAgent();
    const key = await keyWith(["tasks:work"], { agentId });
    const waiting = Promise.withResolvers<void>();
    const restore = interceptCalls((binding, real) => {
      if (binding === "QUEUES") waiting.resolve();
      return real();
    });
    onTestFinished(restore);
    const claiming = claim(agentId, key);
    await waiting.promise;
    const from = performance.now();
    await revokeElsewhere(key);
    expectError(await claiming, 401, "AUTHENTICATION_FAILED");
    expect(performance.now() - from).toBeLessThan(END_MAX_MS);
    const id = await waitingTask(agentId);
    expect((await read(id)).status).toBe("assigned");
  });

  it("a claim gets 401 and no task if another isolate has revoked the key, even if this isolate has it cached", async () => {
    const agentId = await workerAgent();
    const key = await keyWith(["tasks:work", "tasks:read"], { agentId });
    const id = await waitingTask(agentId);
    expect((await post("/agents/tasks/claim", { agentId, max: 0 }, { key })).status).toBe(400);
    await env.DB.prepare("UPDATE keys SET revoked_at = ? WHERE id = ?")
      .bind(Date.now(), keyId(key))
      .run();
    expectError(await claim(agentId, key, 0), 401, "AUTHENTICATION_FAILED");
    await wake(id);
    expect((await read(id)).status).toBe("assigned");
  });
});
