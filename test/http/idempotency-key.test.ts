import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { post } from "../support/client.ts";
import { expectProblems, expectError } from "../support/expect-errors.ts";
import { passTime, read, stopClock, untilStatus } from "../support/tasks.ts";

const send = (idempotencyKey: string, body: JsonObject = { task: "x" }, key?: string) =>
  post("/agents/tasks", body, {
    ...(key === undefined ? {} : { key }),
    headers: { "Idempotency-Key": idempotencyKey },
  });

const taskCount = async () => (await listDurableObjectIds(env.TASKS)).length;

describe("Idempotency-Key", () => {
  beforeAll(stopClock);

  it("a replay has the status, data and Location of the first response, and is marked", async () => {
    const first = await send("order-1");
    passTime(1_000);
    const tasks = await taskCount();
    const again = await send("order-1");
    expect(again.status).toBe(201);
    expect(again.body.data).toEqual(first.body.data);
    expect(again.headers.get("Location")).toBe(first.headers.get("Location"));
    expect(first.headers.get("Idempotency-Replayed")).toBeNull();
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(again.body.metadata.requestId).not.toBe(first.body.metadata.requestId);
    expect(await taskCount()).toBe(tasks);
  });

  it("a replay has the data of the first response after the task has completed", async () => {
    const first = await send("order-2");
    await untilStatus(first.body.data.taskId, "completed");
    expect((await send("order-2")).body.data).toEqual(first.body.data);
    expect((await read(first.body.data.taskId)).status).toBe("completed");
  });

  it("a replay returns 201 with the same task after its deadline has passed", async () => {
    const deadline = new Date(Date.now() + 1_000).toISOString();
    const first = await send("order-3", { task: "x", deadline });
    passTime(2_000);
    const again = await send("order-3", { task: "x", deadline });
    expect([again.status, again.body.data.taskId]).toEqual([201, first.body.data.taskId]);
  });

  it("a body with its keys in another order and an explicit default is the same request", async () => {
    const first = await send("order-4", { task: "x", priority: "medium" });
    const again = await send("order-4", { priority: "medium", task: "x", deliverables: [] });
    expect(again.body.data.taskId).toBe(first.body.data.taskId);
  });

  it("another body with the same Idempotency-Key gets 422 and creates no task", async () => {
    await send("order-5");
    const tasks = await taskCount();
    expectError(await send("order-5", { task: "y" }), 422, "IDEMPOTENCY_KEY_REUSED");
    expect(await taskCount()).toBe(tasks);
  });

  it("concurrent requests with one Idempotency-Key create one task", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => send("order-6")));
    expect(new Set(answers.map(({ body }) => body.data.taskId)).size).toBe(1);
    const replayed = answers.filter(({ headers }) => headers.has("Idempotency-Replayed"));
    expect(replayed).toHaveLength(7);
  });

  it("two API keys do not share an Idempotency-Key", async () => {
    const wanted = { name: "other", scopes: ["tasks:write"] };
    const other = (await post("/agents/keys", wanted)).body.data.key;
    const [mine, theirs] = [await send("order-7"), await send("order-7", { task: "x" }, other)];
    expect(theirs.status).toBe(201);
    expect(theirs.body.data.taskId).not.toBe(mine.body.data.taskId);
  });

  it("a rejected request does not use up its Idempotency-Key", async () => {
    expectProblems(await send("order-8", { task: "" }), { task: /\S/ });
    expectError(await send("order-8", { task: "x", agentId: "stranger" }), 404, "AGENT_NOT_FOUND");
    const past = { task: "x", deadline: "2020-01-01T00:00:00Z" };
    expectProblems(await send("order-8", past), { deadline: "must be in the future" });
    const answer = await send("order-8");
    expect(answer.status).toBe(201);
    expect(answer.headers.get("Idempotency-Replayed")).toBeNull();
  });

  it.each(["a", "~!{}|", "k".repeat(255)])(
    "the Idempotency-Key %s is accepted",
    async (idempotencyKey) => {
      expect((await send(idempotencyKey)).status).toBe(201);
    },
  );

  it.each([
    ["empty", "", '""'],
    ["of 256 characters", "k".repeat(256), "kkk"],
    ["with a space", "a b", '"a b"'],
    ["given twice", "a, a", '"a, a"'],
    ["beyond ASCII", "é", "got"],
  ])("the Idempotency-Key %s is rejected", async (_, idempotencyKey, got) => {
    expectProblems(await send(idempotencyKey), { "Idempotency-Key": got });
  });

  it("a request to create a task and one to cancel it can have the same Idempotency-Key", async () => {
    const { taskId } = (await send("order-9")).body.data;
    const headers = { "Idempotency-Key": "order-9" };
    const cancelled = await post(`/agents/tasks/${taskId}/cancel`, undefined, { headers });
    expect([cancelled.status, cancelled.headers.get("Idempotency-Replayed")]).toEqual([200, null]);
    expect((await send("order-9")).body.data.taskId).toBe(taskId);
  });
});
