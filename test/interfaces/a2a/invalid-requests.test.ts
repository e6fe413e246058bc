import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { send } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { sendBytes } from "../../support/raw-request.ts";
import {
  type ExpectedError,
  VERSION,
  NOBODY,
  INVALID,
  NOT_FOUND,
  NO_TYPE,
  expectRpcError,
  expectRestError,
  rpc,
  rest,
} from "./expect-errors.ts";

const CALLS: readonly (readonly [string, JsonObject, string, string, ExpectedError])[] = [
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

describe("invalid parameters", () => {
  it.each(CALLS)("%s %j and %s %s are rejected", async (name, params, method, path, rejection) => {
    expectRpcError(await rpc(name, params), rejection);
    const hasBody = method === "POST" && !path.includes(":");
    expectRestError(await rest(method, path, hasBody ? params : undefined), rejection);
  });
});

const ENVELOPE: ExpectedError = { code: -32_600, status: 400, reason: "INVALID_REQUEST" };

describe("an invalid JSON-RPC request", () => {
  it.each([
    ["a batch", [{ jsonrpc: "2.0", id: 1, method: "ListTasks" }], ENVELOPE],
    ["a text", "hello", ENVELOPE],
    ["null", null, ENVELOPE],
    ["another version", { jsonrpc: "1.0", id: 1, method: "ListTasks" }, ENVELOPE],
    ["no version", { id: 1, method: "ListTasks" }, ENVELOPE],
    ["no method", { jsonrpc: "2.0", id: 1 }, ENVELOPE],
    ["a method that is not a string", { jsonrpc: "2.0", id: 1, method: 5 }, ENVELOPE],
    ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "ListTasks" }, ENVELOPE],
    ["an id with a fraction", { jsonrpc: "2.0", id: 1.5, method: "ListTasks" }, ENVELOPE],
    [
      "a method of A2A 0.3",
      { jsonrpc: "2.0", id: 1, method: "message/send" },
      { code: -32_601, status: 404, reason: "METHOD_NOT_FOUND" },
    ],
    [
      "a method named like an inherited property",
      { jsonrpc: "2.0", id: 1, method: "constructor" },
      { code: -32_601, status: 404, reason: "METHOD_NOT_FOUND" },
    ],
    ["parameters as a list", { jsonrpc: "2.0", id: 1, method: "GetTask", params: ["x"] }, INVALID],
    ["parameters as a string", { jsonrpc: "2.0", id: 1, method: "GetTask", params: "x" }, INVALID],
  ])("an invalid body is rejected: %s", async (_what, body, rejection) => {
    expectRpcError(
      await send("POST", "/a2a", JSON.stringify(body), { headers: VERSION }),
      rejection,
    );
  });
});

it("the error for a batch says that batches are not supported", async () => {
  const { body } = await send("POST", "/a2a", "[]", { headers: VERSION });
  expect(body.error.message).toContain("A2A does not support batches");
});

const BROKEN: ExpectedError = { code: -32_700, status: 400, reason: "INVALID_JSON" };
const LARGE: ExpectedError = {
  code: -32_600,
  status: 413,
  reason: "PAYLOAD_TOO_LARGE",
  isHttp: true,
};

describe("bodies", () => {
  const encoder = new TextEncoder();
  it.each([
    ["nothing", "", { "Content-Type": "application/json" }, BROKEN],
    ["an incomplete object", "{", { "Content-Type": "application/json" }, BROKEN],
    ["bytes that are not UTF-8", "\u00ff", { "Content-Type": "application/json" }, BROKEN],
    ["a form", "a=b", { "Content-Type": "application/x-www-form-urlencoded" }, NO_TYPE],
    ["plain text", "{}", { "Content-Type": "text/plain" }, NO_TYPE],
    [
      "a compressed body",
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
    [
      "33 nested levels",
      "[".repeat(33) + "]".repeat(33),
      { "Content-Type": "application/json" },
      INVALID,
    ],
  ] as const)("an invalid body is rejected: %s", async (_what, body, headers, rejection) => {
    const bytes = body === "\u00ff" ? new Uint8Array([0xff]) : encoder.encode(body);
    const given = { ...VERSION, ...headers };
    expectRpcError(await sendBytes("POST", "/a2a", bytes, given), rejection);
    // The REST binding treats an empty body as an object without fields.
    const ofRest = bytes.byteLength === 0 ? INVALID : rejection;
    expectRestError(await sendBytes("POST", "/a2a/v1/message:send", bytes, given), ofRest);
  });

  it("the REST binding accepts the A2A media type", async () => {
    const answer = await send("POST", "/a2a/v1/message:send", "{}", {
      headers: { ...VERSION, "Content-Type": "application/a2a+json" },
    });
    expectRestError(answer, INVALID);
  });
});

const WRONG_VERSION: ExpectedError = {
  code: -32_009,
  status: 400,
  reason: "VERSION_NOT_SUPPORTED",
};

describe("versions", () => {
  it.each(["0.2", "0.5", "1", "1.1", "2.0", "one", "1.0, 0.3"])(
    "A2A-Version: %j is rejected as unsupported",
    async (version) => {
      const headers = { "A2A-Version": version };
      const error = expectRpcError(await rpc("ListTasks", {}, headers), WRONG_VERSION);
      expect(error.message).toContain("must be 1.0 or 0.3");
      expectRestError(await send("GET", "/a2a/v1/tasks", undefined, { headers }), WRONG_VERSION);
    },
  );

  it.each(["", "0.3", "0.3.0", " "])(
    "A2A-Version: %j is version 0.3, which only JSON-RPC supports",
    async (version) => {
      const headers = version === "" ? {} : { "A2A-Version": version };
      const unknown = { code: -32_601, status: 404, reason: "METHOD_NOT_FOUND" };
      const { message } = expectRpcError(await rpc("ListTasks", {}, headers), unknown);
      expect(message).toContain("A2A 0.3 methods: message/send");
      const missing = await rpc("tasks/get", { id: NOBODY }, headers);
      expectRpcError(missing, NOT_FOUND);
      const options = { headers };
      const error = expectRestError(
        await send("GET", "/a2a/v1/tasks", undefined, options),
        WRONG_VERSION,
      );
      expect(error.message).toContain("must be 1.0 here");
    },
  );

  it.each([{ "A2A-Version": "1.0" }, { "A2A-Version": "1.0.1" }])(
    "a request with the headers %j is accepted",
    async (headers) => {
      expect((await rpc("ListTasks", {}, headers)).body.result.tasks).toEqual([]);
      const answer = await send("GET", "/a2a/v1/tasks", undefined, { headers });
      expect(JSON.parse(answer.text)).toMatchObject({ tasks: [], nextPageToken: "", totalSize: 0 });
    },
  );

  it("a request can state its version in the query", async () => {
    expect((await send("GET", "/a2a/v1/tasks?A2A-Version=1.0")).status).toBe(200);
  });
});

describe("keys", () => {
  const UNKNOWN: ExpectedError = {
    code: -32_000,
    status: 401,
    reason: "AUTHENTICATION_FAILED",
    isHttp: true,
  };
  const DENIED: ExpectedError = {
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
    "a request with the headers %j and without a valid key gets 401",
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
  ])("the method %s is rejected for a $3's key", async (name, method, path, who) => {
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
  const NOWHERE: ExpectedError = { code: -32_601, status: 404, reason: "METHOD_NOT_FOUND" };
  const WRONG: ExpectedError = {
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
  ])("the path %s gets 404 for GET, POST and DELETE", async (path) => {
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
  ])("%s %s gets 405 with the allowed methods", async (method, path, allow) => {
    const answer = await rest(method, path);
    expectRestError(answer, WRONG);
    expect(answer.headers.get("Allow")).toBe(allow);
    const options = await rest("OPTIONS", path);
    expect([options.status, options.headers.get("Allow")]).toEqual([204, allow]);
  });

  it("the JSON-RPC endpoint rejects GET, PUT and DELETE with 405", async () => {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await send(method, "/a2a", undefined, { headers: VERSION });
      expectRpcError(answer, WRONG);
      expect(answer.headers.get("Allow")).toBe("POST, OPTIONS");
    }
  });

  it("a path that is not UTF-8 is rejected, and other escapes are decoded", async () => {
    expectRestError(await rest("GET", "/tasks/%ff"), INVALID);
    expectRestError(await rest("GET", "/tasks/%00"), NOT_FOUND);
  });
});
