import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Message, Part, SendMessageRequest, StreamResponse, Task } from "@a2a-js/sdk";
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from "@a2a-js/sdk/client";
import { expect } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import worker from "../../../src/index.ts";
import { ORIGIN, post, ROOT } from "../../support/client.ts";

export const BINDINGS = ["JSONRPC", "HTTP+JSON"] as const;
export type BindingName = (typeof BINDINGS)[number];

export { STATE } from "./states.ts";

export const TEXT =
  "The harbour of Bergen was rebuilt in 1702. Fire had taken the wooden wharf. Merchants paid for stone cellars, and the cellars still stand.";

/**
 * Creates the SDK's client for one binding, from the agent card. Its requests go directly to the
 * Worker.
 */
export function clientOf(binding: BindingName, key: string = ROOT): Promise<Client> {
  const fetchImpl: typeof fetch = async (input, init) => {
    const asked = new Request(input, init);
    asked.headers.set("Authorization", `Bearer ${key}`);
    return worker.fetch(asked, env, createExecutionContext());
  };
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [
        new JsonRpcTransportFactory({ fetchImpl }),
        new RestTransportFactory({ fetchImpl }),
      ],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
      preferredTransports: [binding],
    }),
  );
  return factory.createFromUrl(ORIGIN);
}

interface MessageOptions {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly messageId?: string;
  readonly bosun?: JsonObject;
  readonly more?: readonly Part[];
}

/** A text message, optionally with further parts. */
export function message(text: string, options: MessageOptions = {}): Message {
  const { taskId = "", contextId = "", bosun, more = [] } = options;
  return {
    messageId: options.messageId ?? crypto.randomUUID(),
    contextId,
    taskId,
    role: 1,
    parts: [...(text === "" ? [] : [part({ $case: "text", value: text })]), ...more],
    metadata: bosun === undefined ? undefined : { bosun },
    extensions: [],
    referenceTaskIds: [],
  };
}

export function part(
  content: NonNullable<Part["content"]>,
  { filename = "", mediaType = "" }: { filename?: string; mediaType?: string } = {},
): Part {
  return { content, metadata: undefined, filename, mediaType };
}

export function dataPart(value: JsonObject | JsonObject[]): Part {
  return part({ $case: "data", value });
}

/**
 * A message that asks for a summary of `TEXT`. `context` adds fields such as `askFirst` or
 * `requireReview`.
 */
export function summarize(context: JsonObject = {}, options: MessageOptions = {}): Message {
  return message("Summarise the text", {
    ...options,
    more: [dataPart({ text: TEXT, ...context })],
  });
}

export function request(
  of: Message,
  configuration: Partial<NonNullable<SendMessageRequest["configuration"]>> = {},
): SendMessageRequest {
  return {
    tenant: "",
    message: of,
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
      ...configuration,
    },
    metadata: undefined,
  };
}

/** A client with a task whose state does not change, because the task's agent has no workers. */
export async function idle(binding: BindingName): Promise<{ client: Client; taskId: string }> {
  await post("/agents", { id: "idle", executor: { type: "worker" } });
  const client = await clientOf(binding);
  const of = message("Wait", { bosun: { agentId: "idle" } });
  const { id: taskId } = await sent(client, of, { returnImmediately: true });
  return { client, taskId };
}

/** The parameters for a list of all tasks that a key can see. */
export const ALL_TASKS = {
  tenant: "",
  contextId: "",
  status: 0,
  pageToken: "",
  statusTimestampAfter: undefined,
} as const;

/** A push configuration without secrets. If `id` is empty, the service assigns an id. */
export function pushConfig(taskId: string, url: string, id = "") {
  return { tenant: "", id, taskId, url, token: "", authentication: undefined };
}

/** Sends a message and returns the task. These tests never get a message as the response. */
export async function sent(
  client: Client,
  of: Message,
  configuration: Parameters<typeof request>[1] = {},
): Promise<Task> {
  const answer = await client.sendMessage(request(of, configuration));
  if ("messageId" in answer) throw new Error("The answer must be a task, not a message");
  return answer;
}

export async function collect(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The task states in a stream, in order. */
export function statesIn(events: readonly StreamResponse[]): (number | undefined)[] {
  return events.flatMap(({ payload }) =>
    payload?.$case === "task" || payload?.$case === "statusUpdate"
      ? [payload.value.status?.state]
      : [],
  );
}

/** Sorts states into the order of a task that never returns to an earlier state. */
export function sortStates(states: readonly (number | undefined)[]): (number | undefined)[] {
  return states.toSorted((one = 0, other = 0) => one - other);
}

export function textOf(of: Message | undefined): string {
  return (of?.parts ?? [])
    .map(({ content }) => (content?.$case === "text" ? content.value : ""))
    .join("\n");
}

/** The name and the message of the error with which a promise is rejected. */
export async function errorNameOf(
  work: Promise<unknown>,
): Promise<{ name: string; message: string }> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  const { name, message: words } = error as Error;
  return { name, message: words };
}
