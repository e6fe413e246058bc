import { beforeAll, describe, it } from "vitest";
import { jsonWorkbench } from "../../src/builtin/tools/json-workbench/definition.ts";
import { registerTools } from "../support/catalogue.ts";
import { get, patch, post, send, type Answer, type Options } from "../support/client.ts";
import { expectProblems, expectError } from "../support/expect-errors.ts";
import { stopClock, taskIn } from "../support/tasks.ts";

const UNKNOWN_TASK = "a".repeat(64);
const HUGE = `{"task":"${"x".repeat(1_048_576)}"}`;
const PLAIN = { "Content-Type": "text/plain" };
const QUERY = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };

const put = ({ headers, ...options }: Options) =>
  send("PUT", `/agents/tasks/${UNKNOWN_TASK}/deliverables/a.txt`, "text", {
    ...options,
    headers: { "Content-Type": "text/plain", ...headers },
  });

let reader = "";
let cancelled = "";

/** Requests with two problems, and the error of the problem that is checked first. */
const CASES: readonly [title: string, () => Promise<Answer>, status: number, code: string][] = [
  [
    "401 before 404 of the route",
    () => get("/agents/nowhere", { key: null }),
    401,
    "AUTHENTICATION_FAILED",
  ],
  [
    "401 before 405",
    () => send("PUT", "/agents/tools", undefined, { key: null }),
    401,
    "AUTHENTICATION_FAILED",
  ],
  [
    "401 before 414",
    () => get(`/agents/tools?x=${"x".repeat(9_000)}`, { key: null }),
    401,
    "AUTHENTICATION_FAILED",
  ],
  ["401 before 400", () => post("/agents/tasks", {}, { key: null }), 401, "AUTHENTICATION_FAILED"],
  [
    "404 of the route before 403 of the scope",
    () => post("/agents/tasks/x/y/z", {}, { key: reader }),
    404,
    "NOT_FOUND",
  ],
  [
    "405 before 403 of the scope",
    () => send("PUT", "/agents/tasks", undefined, { key: reader }),
    405,
    "METHOD_NOT_ALLOWED",
  ],
  [
    "403 of the scope before 415",
    () => post("/agents/tasks", "task", { key: reader, headers: PLAIN }),
    403,
    "INSUFFICIENT_SCOPE",
  ],
  [
    "403 of the scope before 413",
    () => post("/agents/tasks", HUGE, { key: reader }),
    403,
    "INSUFFICIENT_SCOPE",
  ],
  [
    "403 of the scope before 400",
    () => post("/agents/tasks", {}, { key: reader }),
    403,
    "INSUFFICIENT_SCOPE",
  ],
  [
    "403 of the scope before 404 of the task",
    () => get(`/agents/tasks/${UNKNOWN_TASK}`, { key: reader }),
    403,
    "INSUFFICIENT_SCOPE",
  ],
  ["403 of the scope before 400 of a file", () => put({ key: reader }), 403, "INSUFFICIENT_SCOPE"],
  [
    "415 of a file before 400",
    () => put({ headers: { "Content-Type": "text", "Content-Digest": "x" } }),
    415,
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  [
    "413 of a file before 400",
    () => put({ headers: { "Content-Digest": "x", "Content-Length": "104857601" } }),
    413,
    "PAYLOAD_TOO_LARGE",
  ],
  [
    "400 of a file before 404 of the task",
    () => put({ headers: { "Content-Length": "4" } }),
    400,
    "VALIDATION_ERROR",
  ],
  [
    "400 of a report before 404 of the task",
    () => post(`/agents/tasks/${UNKNOWN_TASK}/report`, { type: "heartbeat" }),
    400,
    "VALIDATION_ERROR",
  ],
  [
    "400 of a claim before 404 of the agent",
    () => post("/agents/tasks/claim", { agentId: "stranger", max: 0 }),
    400,
    "VALIDATION_ERROR",
  ],
  [
    "415 before 413",
    () => post("/agents/tasks", HUGE, { headers: PLAIN }),
    415,
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  [
    "415 before 400",
    () => post("/agents/tasks", "{", { headers: PLAIN }),
    415,
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  [
    "413 before 400 of the path",
    () => patch(`/agents/tasks/${"a".repeat(129)}`, HUGE),
    413,
    "PAYLOAD_TOO_LARGE",
  ],
  [
    "400 before 404 of the task",
    () => patch(`/agents/tasks/${UNKNOWN_TASK}`, { priority: "asap" }),
    400,
    "VALIDATION_ERROR",
  ],
  [
    "400 of a deadline that has passed before 404 of the task",
    () => patch(`/agents/tasks/${UNKNOWN_TASK}`, { deadline: "2020-01-01T00:00:00Z" }),
    400,
    "VALIDATION_ERROR",
  ],
  [
    "400 before 404 of the tool",
    () => post("/agents/tools/sextant/invoke", {}),
    400,
    "VALIDATION_ERROR",
  ],
  [
    "400 before 404 of the agent",
    () => post("/agents/tasks", { task: "", agentId: "stranger" }),
    400,
    "VALIDATION_ERROR",
  ],
  [
    "400 of a deadline that has passed before 404 of the agent",
    () =>
      post("/agents/tasks", {
        task: "x",
        agentId: "stranger",
        deadline: "2020-01-01T00:00:00Z",
      }),
    400,
    "VALIDATION_ERROR",
  ],
  [
    "404 of the capability before 403 of the grant",
    () =>
      post("/agents/tools/json-workbench/invoke", {
        ...QUERY,
        capability: "compile",
        agentId: "researcher",
      }),
    404,
    "CAPABILITY_NOT_FOUND",
  ],
  [
    "403 of the grant before 400 of the parameters",
    () =>
      post("/agents/tools/json-workbench/invoke", {
        capability: "query",
        parameters: {},
        agentId: "researcher",
      }),
    403,
    "TOOL_ACCESS_DENIED",
  ],
  [
    "403 of the grant before 429",
    () => post("/agents/tools/text-analyst/invoke", { ...KEYWORDS, agentId: "integrator" }),
    403,
    "TOOL_ACCESS_DENIED",
  ],
  [
    "400 of the parameters before 429",
    () => post("/agents/tools/text-analyst/invoke", { ...KEYWORDS, parameters: { text: 1 } }),
    400,
    "VALIDATION_ERROR",
  ],
  [
    "400 before 409",
    () => post(`/agents/tasks/${cancelled}/cancel`, { reason: "" }),
    400,
    "VALIDATION_ERROR",
  ],
  [
    "400 of a deadline that has passed before 409",
    () => patch(`/agents/tasks/${cancelled}`, { deadline: "2020-01-01T00:00:00Z" }),
    400,
    "VALIDATION_ERROR",
  ],
];

const KEYWORDS = { capability: "keywords", parameters: { text: "wind and tide and wind" } };

describe("the order of validation", () => {
  beforeAll(async () => {
    stopClock();
    const wanted = { name: "reader", scopes: ["tools:read"] };
    reader = (await post("/agents/keys", wanted)).body.data.key;
    cancelled = await taskIn("cancelled");
    const { textAnalyst } = await import("../../src/builtin/tools/text-analyst/definition.ts");
    await registerTools(
      { ...textAnalyst, rateLimit: { requests: 1, period: "day" } },
      jsonWorkbench,
    );
    await post("/agents/tools/text-analyst/invoke", KEYWORDS);
    const spent = await post("/agents/tools/text-analyst/invoke", KEYWORDS);
    expectError(spent, 429, "RATE_LIMIT_EXCEEDED");
  });

  it.each(CASES)(
    "a request with two problems gets the error of the first: %s",
    async (_, request, status, code) => {
      expectError(await request(), status, code);
    },
  );

  it("problems in the path and the query are reported together", async () => {
    const id = "a".repeat(129);
    expectProblems(await get(`/agents/tasks/${id}/events?after=-1&limit=101`), {
      id: "got 129",
      after: 'got "-1"',
      limit: "got 101",
    });
  });

  it("problems in the path and the body are reported together", async () => {
    const id = "a".repeat(129);
    const body = { priority: "asap", deadline: "2020-01-01T00:00:00Z", colour: "red" };
    expectProblems(await patch(`/agents/tasks/${id}`, body), {
      id: "got 129",
      priority: 'got "asap"',
      deadline: "got 2020-01-01T00:00:00.000Z",
      colour: "is not a known field",
    });
  });

  it("problems in strings, numbers and fields are reported together", async () => {
    const body = '{"priority":"asap","context":{"a":"\\u0000","b":1e999}}';
    expectProblems(await post("/agents/tasks", body), {
      task: "is required",
      priority: 'got "asap"',
      "context.a": "U+0000",
      "context.b": "finite",
    });
  });

  it("problems in several query parameters are reported together", async () => {
    const answer = await get("/agents/tasks?limit=0&offset=x&status=done&startDate=soon&agentId=");
    expectProblems(answer, {
      limit: "got 0",
      offset: 'got "x"',
      status: 'got "done"',
      startDate: 'got "soon"',
      agentId: "must not be empty",
    });
  });
});
