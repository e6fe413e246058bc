import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/domain/json.ts";
import { send, type Answer } from "../support/client.ts";
import { keyWith } from "../support/keys.ts";
import { sendBytes } from "../support/raw.ts";

const VERSION = { "A2A-Version": "1.0" };
const HELLO = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hello" }] };
const NOBODY = "b".repeat(64);

/** What one of the bindings must answer: the code of JSON-RPC, the status of REST, the reason of both. */
interface Refusal {
  readonly code: number;
  readonly status: number;
  readonly reason: string;
  /** Where HTTP itself is concerned JSON-RPC has that status, too. */
  readonly isHttp?: boolean;
}

const INVALID: Refusal = { code: -32_602, status: 400, reason: "INVALID_PARAMS" };
const NOT_FOUND: Refusal = { code: -32_001, status: 404, reason: "TASK_NOT_FOUND" };
const NO_TYPE: Refusal = { code: -32_005, status: 400, reason: "CONTENT_TYPE_NOT_SUPPORTED" };

/** The `error` of a JSON-RPC answer, after everything else about it has been looked at. */
function expectRpcError(answer: Answer, { code, status, reason, isHttp = false }: Refusal) {
  expect([answer.text, answer.status]).toEqual([answer.text, isHttp ? status : 200]);
  expect(answer.headers.get("Content-Type")).toBe("application/json");
  expect(answer.body).toEqual({
    jsonrpc: "2.0",
    id: answer.body.id,
    error: { code, message: expect.stringMatching(/\S/), data: expect.anything() },
  });
  expect([answer.text, answer.body.error.data[0].reason]).toEqual([answer.text, reason]);
  return answer.body.error;
}

function expectRestError(answer: Answer, { status, reason }: Refusal) {
  expect([answer.text, answer.status]).toEqual([answer.text, status]);
  expect(answer.headers.get("Content-Type")).toBe("application/a2a+json");
  const { error } = JSON.parse(answer.text);
  expect(error).toMatchObject({ code: status, status: expect.stringMatching(/^[A-Z_]+$/) });
  expect([answer.text, error.details[0]]).toEqual([
    answer.text,
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason,
      domain: "a2a-protocol.org",
    },
  ]);
  return error;
}

function rpc(method: string, params: unknown, headers: Record<string, string> = VERSION) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
  return send("POST", "/a2a", body, { headers });
}

function rest(method: string, path: string, body?: JsonObject | string) {
  return send(method, `/a2a/v1${path}`, body, { headers: VERSION });
}

/** Messages and parameters that are wrong, the same for both bindings; `field` is where. */
const MESSAGES: readonly (readonly [string, unknown, Refusal, field?: string])[] = [
  ["no message", {}, INVALID, "message"],
  ["a message that is no object", { message: "hi" }, INVALID, "message"],
  ["no id", { message: { ...HELLO, messageId: undefined } }, INVALID, "message.messageId"],
  ["an id that is no text", { message: { ...HELLO, messageId: 5 } }, INVALID, "message.messageId"],
  ["an empty id", { message: { ...HELLO, messageId: "" } }, INVALID, "message.messageId"],
  [
    "an endless id",
    { message: { ...HELLO, messageId: "x".repeat(251) } },
    INVALID,
    "message.messageId",
  ],
  ["no role", { message: { ...HELLO, role: undefined } }, INVALID, "message.role"],
  ["the agent's role", { message: { ...HELLO, role: "ROLE_AGENT" } }, INVALID, "message.role"],
  ["a role of 0.3", { message: { ...HELLO, role: "user" } }, INVALID, "message.role"],
  ["no parts", { message: { ...HELLO, parts: [] } }, INVALID, "message.parts"],
  [
    "too many parts",
    { message: { ...HELLO, parts: Array.from({ length: 101 }, () => ({ text: "a" })) } },
    INVALID,
    "message.parts",
  ],
  ["a part of nothing", { message: { ...HELLO, parts: [{}] } }, INVALID, "message.parts[0]"],
  [
    "a part of 0.3",
    { message: { ...HELLO, parts: [{ kind: "text", text: 5 }] } },
    INVALID,
    "message.parts[0].text",
  ],
  [
    "a part of two things",
    { message: { ...HELLO, parts: [{ text: "a", data: {} }] } },
    INVALID,
    "message.parts[0]",
  ],
  [
    "a part of a scalar",
    { message: { ...HELLO, parts: [{ data: true }] } },
    INVALID,
    "message.parts[0]",
  ],
  ["blank words", { message: { ...HELLO, parts: [{ text: " \n" }] } }, INVALID, "message.parts"],
  [
    "material without words",
    { message: { ...HELLO, parts: [{ data: { text: "a" } }] } },
    INVALID,
    "message.parts",
  ],
  [
    "a page, which the card does not name",
    { message: { ...HELLO, parts: [{ text: "<p>Hello</p>", mediaType: "text/html" }] } },
    NO_TYPE,
  ],
  [
    "long words beside a text that is none",
    { message: { ...HELLO, parts: [{ text: "word ".repeat(900) }, { data: { text: { a: 1 } } }] } },
    INVALID,
    "message.parts",
  ],
  [
    "JSON that is too deep as part of a context",
    {
      message: {
        ...HELLO,
        parts: [
          { text: "Hello" },
          { text: "[".repeat(31) + "]".repeat(31), mediaType: "application/json" },
        ],
      },
    },
    INVALID,
    "message.parts",
  ],
  ["a URL", { message: { ...HELLO, parts: [{ url: "https://example.com/" }] } }, NO_TYPE],
  [
    "a picture",
    { message: { ...HELLO, parts: [{ raw: "AAAA", mediaType: "image/png" }] } },
    NO_TYPE,
  ],
  [
    "settings that are no object",
    { message: { ...HELLO, metadata: { bosun: 1 } } },
    INVALID,
    "message.metadata.bosun",
  ],
  [
    "metadata that is no object",
    { message: { ...HELLO, metadata: [] } },
    INVALID,
    "message.metadata",
  ],
  [
    "a foreign setting",
    { message: { ...HELLO, metadata: { bosun: { x: 1 } } } },
    INVALID,
    "message.metadata.bosun.x",
  ],
  [
    "a history of less than nothing",
    { message: HELLO, configuration: { historyLength: -1 } },
    INVALID,
    "configuration.historyLength",
  ],
  [
    "a wait that is no boolean",
    { message: HELLO, configuration: { returnImmediately: "no" } },
    INVALID,
    "configuration.returnImmediately",
  ],
  [
    "text with a lone surrogate",
    '{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"\\ud800"}]}}',
    INVALID,
  ],
  ["a task of nobody's", { message: { ...HELLO, taskId: NOBODY } }, NOT_FOUND],
  ["a task's id of another form", { message: { ...HELLO, taskId: "../../x" } }, NOT_FOUND],
  [
    "a context of nobody's",
    { message: { ...HELLO, contextId: "mine" } },
    INVALID,
    "message.contextId",
  ],
  [
    "notifications to a private address",
    { message: HELLO, configuration: { taskPushNotificationConfig: { url: "http://10.0.0.1/" } } },
    INVALID,
    "configuration.taskPushNotificationConfig.url",
  ],
];

const WRONG_MESSAGES = MESSAGES.map(([what, params, refusal, field = null]) => {
  const raw = typeof params === "string" ? params : JSON.stringify(params);
  return { what, raw, refusal, field };
});

function fieldsOf(details: { fieldViolations?: { field: string }[] }[]): string[] {
  return details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));
}

describe.each(["SendMessage", "SendStreamingMessage"])("%s over JSON-RPC", (method) => {
  it.each(WRONG_MESSAGES)("$what is refused", async ({ raw, refusal, field }) => {
    const body = `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${raw}}`;
    const answer = await send("POST", "/a2a", body, { headers: VERSION });
    const error = expectRpcError(answer, refusal);
    expect(answer.body.id).toBe(7);
    if (field !== null) expect(fieldsOf(error.data)).toContain(field);
  });
});

describe.each(["/message:send", "/message:stream"])("%s", (path) => {
  it.each(WRONG_MESSAGES)("$what is refused", async ({ raw, refusal, field }) => {
    const error = expectRestError(await rest("POST", path, raw), refusal);
    if (field !== null) expect(fieldsOf(error.details)).toContain(field);
  });
});

/** Other methods with what is wrong in their parameters: JSON-RPC's, then the same by path and query. */
const CALLS: readonly (readonly [string, JsonObject, string, string, Refusal])[] = [
  ["GetTask", { id: NOBODY }, "GET", `/tasks/${NOBODY}`, NOT_FOUND],
  ["GetTask", { id: "x" }, "GET", "/tasks/x", NOT_FOUND],
  ["GetTask", { id: "x".repeat(129) }, "GET", `/tasks/${"x".repeat(129)}`, INVALID],
  ["GetTask", { id: "x", historyLength: -1 }, "GET", "/tasks/x?historyLength=-1", INVALID],
  ["GetTask", { id: "x", historyLength: "1" }, "GET", "/tasks/x?historyLength=one", INVALID],
  ["GetTask", { id: "x", historyLength: 1.5 }, "GET", "/tasks/x?historyLength=1.5", INVALID],
  ["CancelTask", { id: NOBODY }, "POST", `/tasks/${NOBODY}:cancel`, NOT_FOUND],
  ["SubscribeToTask", { id: NOBODY }, "POST", `/tasks/${NOBODY}:subscribe`, NOT_FOUND],
  ["SubscribeToTask", { id: NOBODY }, "GET", `/tasks/${NOBODY}:subscribe`, NOT_FOUND],
  ["ListTasks", { pageSize: 0 }, "GET", "/tasks?pageSize=0", INVALID],
  ["ListTasks", { pageSize: 101 }, "GET", "/tasks?pageSize=101", INVALID],
  ["ListTasks", { pageSize: "1" }, "GET", "/tasks?pageSize=1&pageSize=2", INVALID],
  ["ListTasks", { pageToken: "x" }, "GET", "/tasks?pageToken=x", INVALID],
  ["ListTasks", { status: "RUNNING" }, "GET", "/tasks?status=TASK_STATE_RUNNING", INVALID],
  ["ListTasks", { status: 3 }, "GET", "/tasks?status=3", INVALID],
  ["ListTasks", { statusTimestampAfter: "x" }, "GET", "/tasks?statusTimestampAfter=x", INVALID],
  ["ListTasks", { includeArtifacts: 1 }, "GET", "/tasks?includeArtifacts=yes", INVALID],
  [
    "CreateTaskPushNotificationConfig",
    { taskId: NOBODY, url: "https://93.184.216.34/" },
    "POST",
    `/tasks/${NOBODY}/pushNotificationConfigs`,
    NOT_FOUND,
  ],
  [
    "GetTaskPushNotificationConfig",
    { taskId: NOBODY, id: "x" },
    "GET",
    `/tasks/${NOBODY}/pushNotificationConfigs/x`,
    NOT_FOUND,
  ],
  [
    "ListTaskPushNotificationConfigs",
    { taskId: NOBODY },
    "GET",
    `/tasks/${NOBODY}/pushNotificationConfigs`,
    NOT_FOUND,
  ],
  [
    "DeleteTaskPushNotificationConfig",
    { taskId: NOBODY, id: "x" },
    "DELETE",
    `/tasks/${NOBODY}/pushNotificationConfigs/x`,
    NOT_FOUND,
  ],
];

describe("other methods", () => {
  it.each(CALLS)("%s %j and %s %s are refused", async (name, params, method, path, refusal) => {
    expectRpcError(await rpc(name, params), refusal);
    const hasBody = method === "POST" && !path.includes(":");
    expectRestError(await rest(method, path, hasBody ? params : undefined), refusal);
  });
});

const ENVELOPE: Refusal = { code: -32_600, status: 400, reason: "INVALID_REQUEST" };

describe("what is no request of JSON-RPC", () => {
  it.each([
    ["a batch", [{ jsonrpc: "2.0", id: 1, method: "ListTasks" }], ENVELOPE],
    ["a text", "hello", ENVELOPE],
    ["null", null, ENVELOPE],
    ["another version", { jsonrpc: "1.0", id: 1, method: "ListTasks" }, ENVELOPE],
    ["no version", { id: 1, method: "ListTasks" }, ENVELOPE],
    ["no method", { jsonrpc: "2.0", id: 1 }, ENVELOPE],
    ["a method that is no text", { jsonrpc: "2.0", id: 1, method: 5 }, ENVELOPE],
    ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "ListTasks" }, ENVELOPE],
    ["an id with a fraction", { jsonrpc: "2.0", id: 1.5, method: "ListTasks" }, ENVELOPE],
    [
      "a method of 0.3",
      { jsonrpc: "2.0", id: 1, method: "message/send" },
      { code: -32_601, status: 404, reason: "METHOD_NOT_FOUND" },
    ],
    [
      "a method that every object has",
      { jsonrpc: "2.0", id: 1, method: "constructor" },
      { code: -32_601, status: 404, reason: "METHOD_NOT_FOUND" },
    ],
    ["parameters in order", { jsonrpc: "2.0", id: 1, method: "GetTask", params: ["x"] }, INVALID],
    [
      "parameters that are a text",
      { jsonrpc: "2.0", id: 1, method: "GetTask", params: "x" },
      INVALID,
    ],
  ])("%s", async (_what, body, refusal) => {
    expectRpcError(await send("POST", "/a2a", JSON.stringify(body), { headers: VERSION }), refusal);
  });
});

const BROKEN: Refusal = { code: -32_700, status: 400, reason: "INVALID_JSON" };
const LARGE: Refusal = {
  code: -32_600,
  status: 413,
  reason: "PAYLOAD_TOO_LARGE",
  isHttp: true,
};

describe("bodies", () => {
  const encoder = new TextEncoder();
  it.each([
    ["nothing", "", { "Content-Type": "application/json" }, BROKEN],
    ["half an object", "{", { "Content-Type": "application/json" }, BROKEN],
    ["bytes that are not UTF-8", "\u00ff", { "Content-Type": "application/json" }, BROKEN],
    ["a form", "a=b", { "Content-Type": "application/x-www-form-urlencoded" }, NO_TYPE],
    ["plain text", "{}", { "Content-Type": "text/plain" }, NO_TYPE],
    [
      "a packed body",
      "{}",
      { "Content-Type": "application/json", "Content-Encoding": "gzip" },
      NO_TYPE,
    ],
    [
      "more than a MiB",
      `"${"x".repeat(1024 * 1024)}"`,
      { "Content-Type": "application/json" },
      LARGE,
    ],
    ["33 levels", "[".repeat(33) + "]".repeat(33), { "Content-Type": "application/json" }, INVALID],
  ] as const)("%s", async (_what, body, headers, refusal) => {
    const bytes = body === "\u00ff" ? new Uint8Array([0xff]) : encoder.encode(body);
    const given = { ...VERSION, ...headers };
    expectRpcError(await sendBytes("POST", "/a2a", bytes, given), refusal);
    // An empty body of REST is one without fields.
    const ofRest = bytes.byteLength === 0 ? INVALID : refusal;
    expectRestError(await sendBytes("POST", "/a2a/v1/message:send", bytes, given), ofRest);
  });

  it("takes the media type of A2A for REST", async () => {
    const answer = await send("POST", "/a2a/v1/message:send", "{}", {
      headers: { ...VERSION, "Content-Type": "application/a2a+json" },
    });
    expectRestError(answer, INVALID);
  });
});

const WRONG_VERSION: Refusal = { code: -32_009, status: 400, reason: "VERSION_NOT_SUPPORTED" };

describe("versions", () => {
  it.each(["", "0.3", "0.5", "1", "1.1", "2.0", "one", "1.0, 0.3", " "])(
    "A2A-Version: %j is not spoken here",
    async (version) => {
      const headers = version === "" ? {} : { "A2A-Version": version };
      const error = expectRpcError(await rpc("ListTasks", {}, headers), WRONG_VERSION);
      expect(error.message).toContain("must be 1.0");
      expectRestError(await send("GET", "/a2a/v1/tasks", undefined, { headers }), WRONG_VERSION);
    },
  );

  it.each([{ "A2A-Version": "1.0" }, { "A2A-Version": "1.0.1" }])("%j is", async (headers) => {
    expect((await rpc("ListTasks", {}, headers)).body.result.tasks).toEqual([]);
    const answer = await send("GET", "/a2a/v1/tasks", undefined, { headers });
    expect(JSON.parse(answer.text)).toMatchObject({ tasks: [], nextPageToken: "", totalSize: 0 });
  });

  it("the version may come in the query", async () => {
    expect((await send("GET", "/a2a/v1/tasks?A2A-Version=1.0")).status).toBe(200);
  });
});

describe("keys", () => {
  const UNKNOWN: Refusal = {
    code: -32_000,
    status: 401,
    reason: "AUTHENTICATION_FAILED",
    isHttp: true,
  };
  const DENIED: Refusal = {
    code: -32_000,
    status: 403,
    reason: "PERMISSION_DENIED",
    isHttp: true,
  };
  let reader: string;
  let writer: string;

  beforeAll(async () => {
    reader = await keyWith(["tasks:read"]);
    writer = await keyWith(["tasks:write"]);
  });

  it.each([{}, { Authorization: "Basic eDp5" }, { Authorization: "Bearer bsn_x" }])(
    "%j is nobody's, whatever is asked for and in whatever version",
    async (headers) => {
      const options = { key: null, headers };
      for (const answer of [
        await send("POST", "/a2a", "{", options),
        await send("GET", "/a2a", undefined, options),
      ]) {
        expectRpcError(answer, UNKNOWN);
        expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
      }
      for (const path of ["/tasks", "/nowhere"]) {
        const answer = await send("GET", `/a2a/v1${path}`, undefined, options);
        expectRestError(answer, UNKNOWN);
        expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
      }
    },
  );

  it.each([
    ["SendMessage", "POST", "/message:send", "reader"],
    ["SendMessage", "POST", "/message:send", "writer"],
    ["SendStreamingMessage", "POST", "/message:stream", "reader"],
    ["SendStreamingMessage", "POST", "/message:stream", "writer"],
    ["CancelTask", "POST", "/tasks/x:cancel", "reader"],
    ["CancelTask", "POST", "/tasks/x:cancel", "writer"],
    ["CreateTaskPushNotificationConfig", "POST", "/tasks/x/pushNotificationConfigs", "reader"],
    ["CreateTaskPushNotificationConfig", "POST", "/tasks/x/pushNotificationConfigs", "writer"],
    ["GetExtendedAgentCard", "GET", "/extendedAgentCard", "reader"],
    ["DeleteTaskPushNotificationConfig", "DELETE", "/tasks/x/pushNotificationConfigs/y", "reader"],
    ["GetTask", "GET", "/tasks/x", "writer"],
    ["ListTasks", "GET", "/tasks", "writer"],
    ["SubscribeToTask", "POST", "/tasks/x:subscribe", "writer"],
    ["GetTaskPushNotificationConfig", "GET", "/tasks/x/pushNotificationConfigs/y", "writer"],
    ["ListTaskPushNotificationConfigs", "GET", "/tasks/x/pushNotificationConfigs", "writer"],
  ])("%s is not for a %4$s's key", async (name, method, path, who) => {
    const key = who === "reader" ? reader : writer;
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: {} });
    expectRpcError(await send("POST", "/a2a", call, { key, headers: VERSION }), DENIED);
    expectRestError(
      await send(method, `/a2a/v1${path}`, undefined, { key, headers: VERSION }),
      DENIED,
    );
  });
});

describe("paths and methods", () => {
  const NOWHERE: Refusal = { code: -32_601, status: 404, reason: "METHOD_NOT_FOUND" };
  const WRONG: Refusal = {
    code: -32_600,
    status: 405,
    reason: "METHOD_NOT_ALLOWED",
    isHttp: true,
  };

  it.each([
    "/",
    "/tasks/",
    "/tasks/x/y",
    "/tasks/x:retry",
    "/tasks/x:cancel:cancel/",
    "/message",
    "/message:delete",
    "/tenant/tasks",
    "/tasks/x/pushNotificationConfigs/y/z",
    "/card",
  ])("%s is nowhere", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      expectRestError(await rest(method, path), NOWHERE);
    }
  });

  it.each([
    ["PUT", "/tasks", "GET, OPTIONS"],
    ["DELETE", "/tasks/x", "GET, OPTIONS"],
    ["GET", "/message:send", "POST, OPTIONS"],
    ["GET", "/tasks/x:cancel", "POST, OPTIONS"],
    ["PATCH", "/tasks/x/pushNotificationConfigs/y", "GET, DELETE, OPTIONS"],
  ])("%s %s is not allowed", async (method, path, allow) => {
    const answer = await rest(method, path);
    expectRestError(answer, WRONG);
    expect(answer.headers.get("Allow")).toBe(allow);
    const options = await rest("OPTIONS", path);
    expect([options.status, options.headers.get("Allow")]).toEqual([204, allow]);
  });

  it("JSON-RPC is posted", async () => {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await send(method, "/a2a", undefined, { headers: VERSION });
      expectRpcError(answer, WRONG);
      expect(answer.headers.get("Allow")).toBe("POST, OPTIONS");
    }
  });

  it("a path that is not UTF-8 is refused, and other escapes are read", async () => {
    expectRestError(await rest("GET", "/tasks/%ff"), INVALID);
    expectRestError(await rest("GET", "/tasks/%00"), NOT_FOUND);
  });
});
