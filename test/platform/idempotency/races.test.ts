import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AgentQueue } from "../../../src/agents/queue/queue.object.ts";
import worker from "../../../src/index.ts";
import { jsonWorkbench } from "../../../src/builtin/tools/json-workbench/definition.ts";
import { registerTools } from "../../support/catalogue.ts";
import { answerOf, get, ORIGIN, post, ROOT, type Answer } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";
import { passTime, stopClock } from "../../support/tasks.ts";
import { agent, createTaskFor } from "../../agents/queue/fixtures.ts";
import { isReplay, keyed, keysNamed, stored } from "./fixtures.ts";

beforeAll(stopClock);
afterEach(() => {
  vi.restoreAllMocks();
});

const HUNDRED = Array.from({ length: 100 }, (_, index) => index);
const QUERY = { capability: "query", parameters: { document: "[5]", path: "$[0]" } };
const INVOKE = "/agents/tools/json-workbench/invoke";

/**
 * Asserts that one response is original, and that all others repeat it or report that the request
 * is in progress.
 */
function expectOneExecution(answers: readonly Answer[]): void {
  const first = answers.filter((one) => one.status < 400 && !isReplay(one));
  expect(first).toHaveLength(1);
  for (const one of answers) {
    if (one === first[0]) continue;
    if (isReplay(one)) expect(one.body.data).toEqual(first[0]?.body.data);
    else {
      expectError(one, 409, "IDEMPOTENCY_KEY_IN_USE");
      expect([one.body.error.retryable, one.headers.get("Retry-After")]).toEqual([true, "1"]);
    }
  }
}

describe("a hundred concurrent requests with one key", () => {
  it("exactly one of a hundred concurrent requests with one key creates an API key", async () => {
    const body = { name: "hundred", scopes: ["tools:read"] };
    const answers = await Promise.all(
      HUNDRED.map(() => keyed("hundred-keys", "/agents/keys", body)),
    );
    expectOneExecution(answers);
    expect(await keysNamed("hundred")).toBe(1);
    const again = await keyed("hundred-keys", "/agents/keys", body);
    expect([again.status, isReplay(again)]).toEqual([201, true]);
  });

  it("exactly one of a hundred concurrent requests with one key invokes the tool", async () => {
    const answers = await Promise.all(HUNDRED.map(() => keyed("hundred-calls", INVOKE, QUERY)));
    expectOneExecution(answers);
    const { body } = await get("/agents/tools/json-workbench/usage");
    expect(body.data.total.calls).toBe(1);
  });

  it("concurrent requests whose bodies differ from that of the first request are rejected", async () => {
    const body = (name: number) => ({ name: `mixed-${name % 2}`, scopes: ["tools:read"] });
    const answers = await Promise.all(
      HUNDRED.map((name) => keyed("mixed", "/agents/keys", body(name))),
    );
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(50);
    expect((await keysNamed("mixed-0")) + (await keysNamed("mixed-1"))).toBe(1);
  });

  it("after retryable errors the key is free again, and exactly one of the next requests is executed", async () => {
    const calls = async () => {
      const { body } = await get("/agents/tools/json-workbench/usage");
      return body.data.total.calls;
    };
    await registerTools({ ...jsonWorkbench, rateLimit: { requests: 1, period: "hour" } });
    await post(INVOKE, QUERY);
    const before = await calls();
    const limited = await Promise.all(HUNDRED.map(() => keyed("passing", INVOKE, QUERY)));
    expect(new Set(limited.map(({ status }) => status))).toEqual(new Set([409, 429]));
    expect(await calls()).toBe(before);
    passTime(3_600_000);
    const answers = await Promise.all(HUNDRED.map(() => keyed("passing", INVOKE, QUERY)));
    await registerTools(jsonWorkbench);
    expectOneExecution(answers);
    expect(await calls()).toBe(before + 1);
  });
});

describe("requests while the first one is in progress", () => {
  const claimRequest = (agentId: string, signal?: AbortSignal) =>
    new Request(`${ORIGIN}/agents/tasks/claim`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${ROOT}`,
        "Content-Type": "application/json",
        "Idempotency-Key": `claim-of-${agentId}`,
      },
      body: JSON.stringify({ agentId, waitSeconds: 20 }),
      ...(signal === undefined ? {} : { signal }),
    });

  it("a concurrent second request is asked to retry, and then gets the response", async () => {
    const workers = await agent("worker", null);
    const claims = vi.spyOn(AgentQueue.prototype, "claim");
    const claiming = worker.fetch(claimRequest(workers.id), env, createExecutionContext());
    while (claims.mock.calls.length === 0) await workers.queue.readCounts();
    const second = await answerOf(
      await worker.fetch(claimRequest(workers.id), env, createExecutionContext()),
    );
    expectError(second, 409, "IDEMPOTENCY_KEY_IN_USE");
    expect([second.body.error.retryable, second.headers.get("Retry-After")]).toEqual([true, "1"]);
    const id = await createTaskFor(workers);
    const first = await answerOf(await claiming);
    expect(first.body.data.tasks).toMatchObject([{ taskId: id }]);
    passTime(1_000);
    const third = await answerOf(
      await worker.fetch(claimRequest(workers.id), env, createExecutionContext()),
    );
    expect([third.body.data, isReplay(third)]).toEqual([first.body.data, true]);
    expect(claims).toHaveBeenCalledTimes(1);
  });

  it("the response to a client that disconnects is kept and replayed", async () => {
    const workers = await agent("worker", null);
    const client = new AbortController();
    const claims = vi.spyOn(AgentQueue.prototype, "claim");
    const claiming = exports.default
      .fetch(claimRequest(workers.id, client.signal))
      .catch(() => "gone");
    while (claims.mock.calls.length === 0) await workers.queue.readCounts();
    client.abort();
    expect(await claiming).toBe("gone");
    while ((await stored(`claim-of-${workers.id}`)).length < 2) await workers.queue.readCounts();
    const again = await answerOf(
      await worker.fetch(claimRequest(workers.id), env, createExecutionContext()),
    );
    expect([again.status, isReplay(again), again.body.data.tasks]).toEqual([200, true, []]);
  });
});
