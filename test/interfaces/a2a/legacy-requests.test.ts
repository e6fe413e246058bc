import { beforeAll, describe, expect, it } from "vitest";
import { get, send } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import {
  type ExpectedError,
  expectRpcError,
  INVALID,
  NO_TYPE,
  NOBODY,
  NOT_FOUND,
  rpc,
} from "./expect-errors.ts";

const TEXT = { kind: "text", text: "Hello" };
const MESSAGE = { kind: "message", messageId: "m", role: "user", parts: [TEXT] };
const PUSH = { url: "https://93.184.216.34/" };

function withParts(...parts: unknown[]) {
  return { message: { ...MESSAGE, parts } };
}

function withFile(file: unknown) {
  return withParts(TEXT, { kind: "file", file });
}

const MESSAGES: readonly (readonly [string, unknown, ExpectedError, field?: string])[] = [
  ["no message", {}, INVALID, "message"],
  ["a message that is a string", { message: "hi" }, INVALID, "message"],
  ["no id", { message: { ...MESSAGE, messageId: undefined } }, INVALID, "message.messageId"],
  ["an A2A 1.0 role", { message: { ...MESSAGE, role: "ROLE_USER" } }, INVALID, "message.role"],
  ["the agent's role", { message: { ...MESSAGE, role: "agent" } }, INVALID, "message.role"],
  ["no parts", withParts(), INVALID, "message.parts"],
  ["101 parts", withParts(...Array.from({ length: 101 }, () => TEXT)), INVALID, "message.parts"],
  ["a part that is null", withParts(null), INVALID, "message.parts[0]"],
  ["an A2A 1.0 part", withParts({ text: "Hello" }), INVALID, "message.parts[0].kind"],
  [
    "a text that is an object",
    withParts({ kind: "text", text: {} }),
    INVALID,
    "message.parts[0].text",
  ],
  ["a file part without a file", withParts({ kind: "file" }), INVALID, "message.parts[0].file"],
  ["a file without content", withFile({ name: "a.txt" }), INVALID, "message.parts[1].file"],
  ["bytes that are a number", withFile({ bytes: 5 }), INVALID, "message.parts[1].file"],
  ["bytes that are not base64", withFile({ bytes: "!!" }), INVALID, "message.parts[1].file.bytes"],
  ["a file given by its URL", withFile({ uri: "https://example.com/a.csv" }), NO_TYPE],
  ["a picture", withFile({ bytes: "AAAA", mimeType: "image/png" }), NO_TYPE],
  [
    "data that is a list",
    withParts(TEXT, { kind: "data", data: [1] }),
    INVALID,
    "message.parts[1].data",
  ],
  ["no text", withParts({ kind: "data", data: { text: "a" } }), INVALID, "message.parts"],
  [
    "metadata that is a list",
    { message: { ...MESSAGE, metadata: [] } },
    INVALID,
    "message.metadata",
  ],
  [
    "an unknown setting",
    { message: { ...MESSAGE, metadata: { bosun: { x: 1 } } } },
    INVALID,
    "message.metadata.bosun.x",
  ],
  [
    "a blocking field that is not a boolean",
    { message: MESSAGE, configuration: { blocking: "no" } },
    INVALID,
    "configuration.blocking",
  ],
  [
    "notifications to a private address",
    { message: MESSAGE, configuration: { pushNotificationConfig: { url: "http://10.0.0.1/" } } },
    INVALID,
    "configuration.pushNotificationConfig.url",
  ],
  ["the id of a missing task", { message: { ...MESSAGE, taskId: NOBODY } }, NOT_FOUND],
  ["the context of a missing task", { message: { ...MESSAGE, contextId: NOBODY } }, INVALID],
];

const CALLS: readonly (readonly [string, unknown, ExpectedError])[] = [
  ["tasks/get", { id: NOBODY }, NOT_FOUND],
  ["tasks/get", {}, INVALID],
  ["tasks/get", { id: "x", historyLength: "all" }, INVALID],
  ["tasks/get", ["x"], INVALID],
  ["tasks/cancel", { id: NOBODY }, NOT_FOUND],
  ["tasks/cancel", { id: 5 }, INVALID],
  ["tasks/resubscribe", { id: NOBODY }, NOT_FOUND],
  ["tasks/resubscribe", null, INVALID],
  ["tasks/pushNotificationConfig/set", { taskId: NOBODY }, INVALID],
  ["tasks/pushNotificationConfig/set", { taskId: NOBODY, pushNotificationConfig: PUSH }, NOT_FOUND],
  [
    "tasks/pushNotificationConfig/set",
    {
      taskId: NOBODY,
      pushNotificationConfig: { ...PUSH, authentication: { schemes: ["Basic", "Bearer"] } },
    },
    INVALID,
  ],
  ["tasks/pushNotificationConfig/get", { id: NOBODY }, NOT_FOUND],
  ["tasks/pushNotificationConfig/list", { id: NOBODY }, NOT_FOUND],
  ["tasks/pushNotificationConfig/delete", { id: NOBODY }, INVALID],
  ["tasks/pushNotificationConfig/delete", { id: NOBODY, pushNotificationConfigId: "x" }, NOT_FOUND],
];

const fieldsOf = (error: { data: { fieldViolations?: { field: string }[] }[] }) =>
  error.data.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));

const WRONG_MESSAGES = MESSAGES.map(([what, params, rejection, field = null]) => ({
  what,
  params,
  rejection,
  field,
}));

describe.each(["message/send", "message/stream"])("%s of A2A 0.3", (method) => {
  it.each(WRONG_MESSAGES)(
    "an invalid message is rejected: $what",
    async ({ params, rejection, field }) => {
      const error = expectRpcError(await rpc(method, params, {}), rejection);
      if (field !== null) expect(fieldsOf(error)).toContain(field);
    },
  );
});

it.each(CALLS)("%s %j of A2A 0.3 is rejected", async (method, params, rejection) => {
  expectRpcError(await rpc(method, params, {}), rejection);
});

it("no rejected message has created a task", async () => {
  expect((await get("/agents/tasks")).body.data.tasks).toEqual([]);
});

it("a message without a blocking field waits like a message without a configuration", async () => {
  const text = "The harbour of Bergen was rebuilt in 1702. Merchants paid for stone cellars.";
  const data = { kind: "data", data: { text } };
  for (const configuration of [undefined, {}, { historyLength: 1 }, { blocking: null }]) {
    const messageId = crypto.randomUUID();
    const parts = [{ kind: "text", text: "Summarise the text" }, data];
    const params = { message: { ...MESSAGE, messageId, parts }, configuration };
    const { body } = await rpc("message/send", params, {});
    expect(body.result.status.state).toBe("completed");
  }
});

describe("scopes of A2A 0.3", () => {
  let reader: string;
  let writer: string;
  beforeAll(async () => {
    reader = await keyWith(["tasks:read"]);
    writer = await keyWith(["tasks:write"]);
  });

  it.each([
    ["message/send", "reader"],
    ["message/send", "writer"],
    ["message/stream", "reader"],
    ["message/stream", "writer"],
    ["tasks/get", "writer"],
    ["tasks/cancel", "reader"],
    ["tasks/cancel", "writer"],
    ["tasks/resubscribe", "writer"],
    ["tasks/pushNotificationConfig/set", "reader"],
    ["tasks/pushNotificationConfig/set", "writer"],
    ["tasks/pushNotificationConfig/get", "writer"],
    ["tasks/pushNotificationConfig/list", "writer"],
    ["tasks/pushNotificationConfig/delete", "reader"],
    ["agent/getAuthenticatedExtendedCard", "reader"],
  ])("the method %s is rejected for a %s's key", async (method, who) => {
    const key = who === "reader" ? reader : writer;
    const call = { jsonrpc: "2.0", id: 1, method, params: {} };
    expectRpcError(await send("POST", "/a2a", call, { key }), {
      code: -32_000,
      status: 403,
      reason: "PERMISSION_DENIED",
      isHttp: true,
    });
  });
});
