import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get, patch, post, send } from "../../support/client.ts";
import { sha256Hex } from "../../../src/platform/crypto/hash.ts";
import { IdempotencyLock } from "../../../src/platform/idempotency/idempotency-lock.ts";
import { read } from "../../support/tasks.ts";
import { callWithBindings, divertNamespace, brokenDatabase, takeLog } from "./degraded-service.ts";
import { TEXT } from "./fixtures.ts";

function messageOf(text: string, rest: JsonObject = {}): { message: JsonObject } {
  const messageId = crypto.randomUUID();
  return { message: { messageId, role: "ROLE_USER", parts: [{ text }], ...rest } };
}

/** Creates a task, waits until it needs input, and returns its id. */
async function made(context: JsonObject, bosun: JsonObject = {}): Promise<string> {
  const parts = [{ text: "Summarise the text" }, { data: { text: TEXT, ...context } }];
  const { result } = await callWithBindings(
    "SendMessage",
    messageOf("", { parts, metadata: { bosun } }),
  );
  expect(result.task.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  return result.task.id;
}

async function failed(bosun: JsonObject = {}): Promise<string> {
  const taskId = await made({ requireReview: true }, bosun);
  const no = messageOf("No", { taskId, metadata: { bosun: { decision: "reject" } } });
  const { result } = await callWithBindings("SendMessage", no);
  expect(result.task.status.state).toBe("TASK_STATE_FAILED");
  return taskId;
}

async function types(taskId: string): Promise<string[]> {
  const { body } = await get(`/agents/tasks/${taskId}/events`);
  return body.data.events.map(({ type }: { type: string }) => type);
}

const REASSIGN = { metadata: { bosun: { reassign: true } } };

it("a retry that fails in an outage changes nothing and can be sent again", async () => {
  takeLog();
  const contextId = await failed();
  const again = messageOf("Be brief", { contextId, ...REASSIGN });
  const DB = brokenDatabase();
  const first = await callWithBindings("SendMessage", again, { DB });
  expect(first.error).toMatchObject({ data: [{ reason: "SERVICE_UNAVAILABLE" }] });
  expect((await read(contextId)).notes ?? null).toBeNull();
  const configuration = { returnImmediately: true };
  const second = await callWithBindings("SendMessage", { ...again, configuration });
  expect(second.result.task).toMatchObject({ id: `${contextId}-2`, contextId });
  expect((await read(contextId)).notes).toBe("Be brief");
});

it("a rejected retry writes nothing, even if it is repeated", async () => {
  await post("/agents", { id: "lonely", executor: { type: "builtin" }, teams: [] });
  await send("PUT", "/agents/teams/lone-team", { agents: ["lonely"] });
  const grant = { agentId: "lonely", toolId: "text-analyst", proficiency: "expert" };
  await post("/agents/tools/access", grant);
  const contextId = await failed({ teamId: "lone-team" });
  const before = await types(contextId);
  const again = messageOf("Take care", { contextId, ...REASSIGN });
  for (let times = 0; times < 2; times += 1) {
    const { error } = await callWithBindings("SendMessage", again);
    expect(error).toMatchObject({ message: expect.stringContaining("No other agent") });
  }
  expect(await types(contextId)).toEqual(before);
});

it("a message can be sent again after the response to the registration of its id was lost", async () => {
  takeLog();
  const taskId = await made({ askFirst: "Which year?" });
  const answer = messageOf("1702", { taskId });
  const ONCE = divertNamespace(env.ONCE, "acquire", async (real) => {
    await real();
    throw new Error("Network connection lost.");
  });
  const { error } = await callWithBindings("SendMessage", answer, { ONCE });
  expect(error).toMatchObject({ data: [{ reason: "SERVICE_UNAVAILABLE" }] });
  const { result } = await callWithBindings("SendMessage", answer);
  expect(result.task.status.state).toBe("TASK_STATE_COMPLETED");
});

it("a message whose result is unconfirmed is not applied again, and the error names its messageId", async () => {
  takeLog();
  const taskId = await made({ requireReview: true });
  const changes = messageOf("Shorter", { taskId });
  const TASKS = divertNamespace(env.TASKS, "command", async (real) => {
    await real();
    throw new Error("Network connection lost.");
  });
  const { error } = await callWithBindings("SendMessage", changes, { TASKS });
  expect(error).toMatchObject({ data: [{ reason: "SERVICE_UNAVAILABLE" }] });
  const again = await callWithBindings("SendMessage", changes);
  expect(again.error).toMatchObject({
    message: expect.stringContaining("messageId"),
    data: [{ reason: "ABORTED" }],
  });
  const asked = (await types(taskId)).filter((type) => type === "changes_requested");
  expect(asked).toHaveLength(1);
});

it.each([
  ["an answer", { askFirst: "Which year?" }],
  ["a review", { requireReview: true }],
])(
  "%s to a task that changed in the meantime is rejected and can be sent again",
  async (_what, context) => {
    const taskId = await made(context);
    const answer = messageOf("1702", { taskId });
    const TASKS = divertNamespace(env.TASKS, "command", async (real) => {
      expect((await patch(`/agents/tasks/${taskId}`, { notes: "Mind the year" })).status).toBe(200);
      return real();
    });
    const { error } = await callWithBindings("SendMessage", answer, { TASKS });
    expect(error).toMatchObject({
      message: expect.stringContaining("GetTask"),
      data: [{ reason: "ABORTED" }],
    });
    expect((await types(taskId)).at(-1)).toBe("updated");
    const { result } = await callWithBindings("SendMessage", answer);
    expect(result.task.id).toBe(taskId);
  },
);

it("a retry is rejected if the task has failed again since it was read", async () => {
  const contextId = await failed();
  const again = messageOf("Again", { contextId });
  const TASKS = divertNamespace(env.TASKS, "read", async (real) => {
    expect((await post(`/agents/tasks/${contextId}/retry`)).status).toBe(200);
    const status = async (): Promise<string> => (await read(contextId)).status;
    await expect.poll(status, { timeout: 10_000 }).toBe("review");
    await post(`/agents/tasks/${contextId}/review`, { decision: "reject", comment: "No" });
    return real();
  });
  const { error } = await callWithBindings("SendMessage", again, { TASKS });
  expect(error.data[0].reason).toBe("ABORTED");
  const { result } = await callWithBindings("ListTasks", { contextId });
  expect(result.tasks.map(({ id }: { id: string }) => id)).toEqual([`${contextId}-2`, contextId]);
});

it("Bosun's metadata in a request is part of the message's fingerprint", async () => {
  const taskId = await made({ requireReview: true });
  const { message } = messageOf("Hm", { taskId });
  const changes = { message, metadata: { bosun: { decision: "request_changes" } } };
  expect((await callWithBindings("SendMessage", changes)).error).toBeUndefined();
  const rejection = { message, metadata: { bosun: { decision: "reject" } } };
  const { error } = await callWithBindings("SendMessage", rejection);
  expect(error.message).toContain("message.messageId was already used");
  const { result } = await callWithBindings("SendMessage", changes);
  expect(result.task).toMatchObject({ id: taskId, status: { state: "TASK_STATE_INPUT_REQUIRED" } });
});

it("an answer that an earlier release executed is not executed again", async () => {
  const taskId = await made({ askFirst: "Which year?" });
  const messageId = crypto.randomUUID();
  const text = { text: "1702", filename: "a.txt", mediaType: "text/plain" };
  const parts = [text, { raw: "_-8", filename: "" }, { data: { b: [1], a: null } }];
  const metadata = { z: 1, bosun: {} };
  const earlier = { messageId, contextId: "", taskId, role: "ROLE_USER", parts, metadata };
  const fingerprint = await sha256Hex(JSON.stringify(["root", earlier, {}]));
  const lock = new IdempotencyLock(env.ONCE, "root", `a2a:${messageId}`, () => {});
  expect(await lock.acquire(fingerprint)).toEqual({ kind: "free" });
  const execute = async () => taskId;
  await lock.run({ prepare: async () => null, execute, serialize: (id) => async () => id });
  const { result } = await callWithBindings("SendMessage", { message: earlier });
  expect(result?.task.id).toBe(taskId);
  expect(await types(taskId)).not.toContain("responded");
});
