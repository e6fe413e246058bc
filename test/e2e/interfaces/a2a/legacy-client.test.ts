import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Message, MessageSendParams, Part, Task } from "a2a-sdk-v03";
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  type Client,
} from "a2a-sdk-v03/client";
import { beforeAll, expect, it } from "vitest";
import worker from "../../../../src/index.ts";
import { get, ORIGIN, post, ROOT } from "../../../support/client.ts";
import { Receiver } from "../../events/webhooks/fixtures.ts";
import { TEXT } from "../../../interfaces/a2a/fixtures.ts";

/**
 * The A2A 0.3 SDK creates its client from a card, as in its users' code. Only `fetch` is replaced.
 */
const fetchImpl: typeof fetch = async (input, init) => {
  const asked = new Request(input, init);
  asked.headers.set("Authorization", `Bearer ${ROOT}`);
  expect(asked.headers.has("A2A-Version")).toBe(false);
  return worker.fetch(asked, env, createExecutionContext());
};
const factory = new ClientFactory(
  ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }),
);
let client: Client;

beforeAll(async () => {
  await post("/agents", { id: "idle", executor: { type: "worker" } });
  client = await factory.createFromUrl(ORIGIN);
});

interface Options extends Partial<Omit<Message, "kind" | "role">> {
  readonly blocking?: boolean;
}

function request(text: string, { blocking = true, parts = [], ...rest }: Options = {}) {
  const first: Part = { kind: "text", text };
  return {
    message: {
      kind: "message",
      role: "user",
      messageId: crypto.randomUUID(),
      parts: [first, ...parts],
      ...rest,
    },
    configuration: { blocking },
  } satisfies MessageSendParams;
}

async function sent(params: MessageSendParams): Promise<Task> {
  const answer = await client.sendMessage(params);
  if (answer.kind !== "task") throw new Error("The answer must be a task");
  return answer;
}

function data(context: Record<string, unknown>): Part {
  return { kind: "data", data: { text: TEXT, ...context } };
}

it("an A2A 0.3 client sends a message with text, a file and data, and gets the completed task", async () => {
  const bytes = btoa("month,sales\nJan,10\nFeb,12");
  const file: Part = { kind: "file", file: { bytes, name: "sales.csv", mimeType: "text/csv" } };
  const params = request("Describe the sales", { parts: [file] });
  const task = await sent(params);
  expect(task).toMatchObject({ kind: "task", status: { state: "completed" } });
  expect(task.artifacts?.[0]).toMatchObject({
    artifactId: "result",
    parts: [
      { kind: "text", text: expect.any(String) },
      { kind: "data", data: { insights: expect.any(Array) } },
    ],
  });
  expect(task.history?.[0]).toMatchObject({
    role: "user",
    parts: [{ text: "Describe the sales" }],
  });
  const made = await get(`/agents/tasks/${task.id}`);
  expect(made.body.data.context).toMatchObject({ csv: "month,sales\nJan,10\nFeb,12" });
  // If the message is repeated, the response contains the same task.
  expect((await sent(params)).id).toBe(task.id);
});

it("an A2A 0.3 client streams a task up to its question, answers it, and subscribes to the rest", async () => {
  const kinds: string[] = [];
  const states: string[] = [];
  let last: Task | undefined;
  const parts = [data({ askFirst: "Which year?" })];
  for await (const event of client.sendMessageStream(request("Summarise the text", { parts }))) {
    kinds.push(event.kind);
    if (event.kind === "task") last = event;
    if (event.kind === "status-update") states.push(event.status.state);
    if (event.kind === "status-update" && event.final)
      expect(event.status.state).toBe("input-required");
  }
  expect(kinds[0]).toBe("task");
  expect(states.at(-1)).toBe("input-required");
  const taskId = last?.id ?? "";
  const asked = await client.getTask({ id: taskId, historyLength: 1 });
  expect(asked).toMatchObject({
    status: {
      state: "input-required",
      message: { parts: [{ kind: "text", text: "Which year?" }] },
    },
  });
  expect(asked.history).toHaveLength(1);
  const rest: string[] = [];
  const stream = client.resubscribeTask({ id: taskId });
  expect((await stream.next()).value).toMatchObject({ kind: "task", id: taskId });
  await sent(request("1702", { taskId, blocking: false }));
  for await (const event of stream) {
    if (event.kind === "status-update") rest.push(event.status.state);
  }
  expect(rest.at(-1)).toBe("completed");
});

it("an A2A 0.3 client gets and cancels a task, and receives A2A 0.3 errors", async () => {
  const metadata = { bosun: { agentId: "idle" } };
  const { id } = await sent(request("Wait", { metadata, blocking: false }));
  expect(await client.getTask({ id })).toMatchObject({ id, status: { state: "submitted" } });
  expect(await client.cancelTask({ id })).toMatchObject({ id, status: { state: "canceled" } });
  await expect(client.cancelTask({ id })).rejects.toMatchObject({ name: "TaskNotCancelableError" });
  const unknown = client.getTask({ id: "b".repeat(64) });
  await expect(unknown).rejects.toMatchObject({ name: "TaskNotFoundError" });
});

it("an A2A 0.3 client gets the extended card", async () => {
  const card = await client.getAgentCard();
  expect(card.skills.map(({ id }) => id)).toContain("researcher");
  expect(card).toMatchObject({ url: `${ORIGIN}/a2a`, preferredTransport: "JSONRPC" });
});

it("A2A 0.3 push configurations are stored, and the receiver gets tasks in the A2A 0.3 format", async () => {
  const receiver = new Receiver();
  const metadata = { bosun: { agentId: "idle" } };
  const { id: taskId } = await sent(request("Wait", { metadata, blocking: false }));
  const authentication = { schemes: ["Bearer"], credentials: "let-me-in" };
  const pushNotificationConfig = { id: "mine", url: receiver.url, token: "t", authentication };
  const config = { taskId, pushNotificationConfig };
  const shown = { id: "mine", url: receiver.url, authentication: { schemes: ["Bearer"] } };
  expect(await client.setTaskPushNotificationConfig(config)).toEqual({
    taskId,
    pushNotificationConfig: shown,
  });
  const named = { id: taskId, pushNotificationConfigId: "mine" };
  expect(await client.getTaskPushNotificationConfig(named)).toMatchObject({ taskId });
  const unnamed = await client.getTaskPushNotificationConfig({ id: taskId });
  expect(unnamed.pushNotificationConfig.id).toBe("mine");
  expect(await client.listTaskPushNotificationConfig({ id: taskId })).toHaveLength(1);
  await client.cancelTask({ id: taskId });
  await expect.poll(() => receiver.seen(), { timeout: 15_000 }).not.toHaveLength(0);
  const [first] = await receiver.seen();
  expect(first?.headers).toMatchObject({
    "content-type": "application/json",
    "x-a2a-notification-token": "t",
    authorization: "Bearer let-me-in",
  });
  expect(JSON.parse(first?.body ?? "")).toMatchObject({ kind: "task", id: taskId });
  await client.deleteTaskPushNotificationConfig(named);
  expect(await client.listTaskPushNotificationConfig({ id: taskId })).toEqual([]);
});
