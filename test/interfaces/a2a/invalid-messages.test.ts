import { describe, expect, it } from "vitest";
import { send } from "../../support/client.ts";
import {
  type ExpectedError,
  VERSION,
  MESSAGE,
  NOBODY,
  INVALID,
  NOT_FOUND,
  NO_TYPE,
  expectRpcError,
  expectRestError,
  rest,
} from "./expect-errors.ts";

const MESSAGES: readonly (readonly [string, unknown, ExpectedError, field?: string])[] = [
  ["no message", {}, INVALID, "message"],
  ["a message that is not an object", { message: "hi" }, INVALID, "message"],
  ["no id", { message: { ...MESSAGE, messageId: undefined } }, INVALID, "message.messageId"],
  [
    "an id that is not a string",
    { message: { ...MESSAGE, messageId: 5 } },
    INVALID,
    "message.messageId",
  ],
  ["an empty id", { message: { ...MESSAGE, messageId: "" } }, INVALID, "message.messageId"],
  [
    "an id that is too long",
    { message: { ...MESSAGE, messageId: "x".repeat(251) } },
    INVALID,
    "message.messageId",
  ],
  ["no role", { message: { ...MESSAGE, role: undefined } }, INVALID, "message.role"],
  ["the agent's role", { message: { ...MESSAGE, role: "ROLE_AGENT" } }, INVALID, "message.role"],
  [
    "a role in the form of A2A 0.3",
    { message: { ...MESSAGE, role: "user" } },
    INVALID,
    "message.role",
  ],
  ["no parts", { message: { ...MESSAGE, parts: [] } }, INVALID, "message.parts"],
  [
    "too many parts",
    { message: { ...MESSAGE, parts: Array.from({ length: 101 }, () => ({ text: "a" })) } },
    INVALID,
    "message.parts",
  ],
  ["an empty part", { message: { ...MESSAGE, parts: [{}] } }, INVALID, "message.parts[0]"],
  [
    "a part in the form of A2A 0.3",
    { message: { ...MESSAGE, parts: [{ kind: "text", text: 5 }] } },
    INVALID,
    "message.parts[0].text",
  ],
  [
    "a part with two contents",
    { message: { ...MESSAGE, parts: [{ text: "a", data: {} }] } },
    INVALID,
    "message.parts[0]",
  ],
  [
    "a part with a scalar as data",
    { message: { ...MESSAGE, parts: [{ data: true }] } },
    INVALID,
    "message.parts[0]",
  ],
  ["a blank text", { message: { ...MESSAGE, parts: [{ text: " \n" }] } }, INVALID, "message.parts"],
  [
    "a requireReview that is not a boolean",
    { message: { ...MESSAGE, parts: [{ text: "a" }, { data: { requireReview: "yes" } }] } },
    INVALID,
    "message.parts",
  ],
  [
    "data without a text part",
    { message: { ...MESSAGE, parts: [{ data: { text: "a" } }] } },
    INVALID,
    "message.parts",
  ],
  [
    "an HTML page, which the agent card does not list",
    { message: { ...MESSAGE, parts: [{ text: "<p>Hello</p>", mediaType: "text/html" }] } },
    NO_TYPE,
  ],
  [
    "a long text with an input text that is not a string",
    {
      message: { ...MESSAGE, parts: [{ text: "word ".repeat(900) }, { data: { text: { a: 1 } } }] },
    },
    INVALID,
    "message.parts",
  ],
  [
    "JSON that is too deep as part of a context",
    {
      message: {
        ...MESSAGE,
        parts: [
          { text: "Hello" },
          { text: "[".repeat(31) + "]".repeat(31), mediaType: "application/json" },
        ],
      },
    },
    INVALID,
    "message.parts",
  ],
  ["a URL", { message: { ...MESSAGE, parts: [{ url: "https://example.com/" }] } }, NO_TYPE],
  [
    "an image",
    { message: { ...MESSAGE, parts: [{ raw: "AAAA", mediaType: "image/png" }] } },
    NO_TYPE,
  ],
  [
    "settings that are not an object",
    { message: { ...MESSAGE, metadata: { bosun: 1 } } },
    INVALID,
    "message.metadata.bosun",
  ],
  [
    "metadata that is not an object",
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
    "a negative history length",
    { message: MESSAGE, configuration: { historyLength: -1 } },
    INVALID,
    "configuration.historyLength",
  ],
  [
    "a returnImmediately that is not a boolean",
    { message: MESSAGE, configuration: { returnImmediately: "no" } },
    INVALID,
    "configuration.returnImmediately",
  ],
  [
    "text with a lone surrogate",
    '{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"\\ud800"}]}}',
    INVALID,
  ],
  ["the id of a missing task", { message: { ...MESSAGE, taskId: NOBODY } }, NOT_FOUND],
  ["a malformed task id", { message: { ...MESSAGE, taskId: "../../x" } }, NOT_FOUND],
  [
    "the context of a missing task",
    { message: { ...MESSAGE, contextId: NOBODY } },
    INVALID,
    "message.contextId",
  ],
  [
    "a context id that is too long",
    { message: { ...MESSAGE, contextId: "x".repeat(129) } },
    INVALID,
    "message.contextId",
  ],
  [
    "bytes that are not base64",
    { message: { ...MESSAGE, parts: [{ text: "a" }, { raw: "!!" }] } },
    INVALID,
    "message.parts[1].raw",
  ],
  [
    "notifications to a private address",
    {
      message: MESSAGE,
      configuration: { taskPushNotificationConfig: { url: "http://10.0.0.1/" } },
    },
    INVALID,
    "configuration.taskPushNotificationConfig.url",
  ],
];

const WRONG_MESSAGES = MESSAGES.map(([what, params, rejection, field = null]) => {
  const raw = typeof params === "string" ? params : JSON.stringify(params);
  return { what, raw, rejection, field };
});

function fieldsOf(details: { fieldViolations?: { field: string }[] }[]): string[] {
  return details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));
}

describe.each(["SendMessage", "SendStreamingMessage"])("%s over JSON-RPC", (method) => {
  it.each(WRONG_MESSAGES)(
    "an invalid message is rejected: $what",
    async ({ raw, rejection, field }) => {
      const body = `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${raw}}`;
      const answer = await send("POST", "/a2a", body, { headers: VERSION });
      const error = expectRpcError(answer, rejection);
      expect(answer.body.id).toBe(7);
      if (field !== null) expect(fieldsOf(error.data)).toContain(field);
    },
  );
});

describe.each(["/message:send", "/message:stream"])("%s", (path) => {
  it.each(WRONG_MESSAGES)(
    "an invalid message is rejected: $what",
    async ({ raw, rejection, field }) => {
      const error = expectRestError(await rest("POST", path, raw), rejection);
      if (field !== null) expect(fieldsOf(error.details)).toContain(field);
    },
  );
});

/**
 * Invalid parameters of other methods, first over JSON-RPC, then in the path and query of the REST
 * binding.
 */
