import { beforeAll, describe, expect, it } from "vitest";
import { get, patch, post, send } from "../support/client.ts";
import { stopClock, taskIn } from "../support/tasks.ts";

describe("the error envelope", () => {
  beforeAll(stopClock);

  it("an error without details has a code, a message, retryable and metadata", async () => {
    const { headers, body } = await get("/agents/tools/sextant");
    expect(headers.get("Content-Type")).toMatch(/^application\/json\b/);
    expect(body).toEqual({
      success: false,
      error: {
        code: "TOOL_NOT_FOUND",
        message: 'There is no tool "sextant".',
        retryable: false,
      },
      metadata: {
        requestId: headers.get("X-Request-Id"),
        timestamp: new Date().toISOString(),
      },
    });
  });

  it("a 400 names every problem in details, and the first in its message", async () => {
    const { error } = (await post("/agents/tasks", { priority: "asap", colour: "red" })).body;
    expect(error.details).toEqual([
      { path: "task", message: "is required: a string" },
      { path: "priority", message: 'must be one of low, medium, high, urgent; got "asap"' },
      {
        path: "colour",
        message: expect.stringMatching(/^is not a known field; known fields: task, /),
      },
    ]);
    expect(error.message).toBe("task is required: a string (and 2 more).");
    expect(error).not.toHaveProperty("context");
  });

  it("a 409 contains the task's status and the allowed actions in its context", async () => {
    const id = await taskIn("cancelled");
    const { error } = (await post(`/agents/tasks/${id}/retry`)).body;
    expect(error.context).toEqual({ status: "cancelled", allowed: [] });
    expect(error).not.toHaveProperty("details");
  });
});

describe("X-Request-Id", () => {
  const longest = "x".repeat(128);

  it.each(["a", "2026-11-21.req_42", longest])(
    "the X-Request-Id %s becomes the requestId",
    async (id) => {
      const { headers, body } = await get("/health", { headers: { "X-Request-Id": id } });
      expect(headers.get("X-Request-Id")).toBe(id);
      expect(body.metadata.requestId).toBe(id);
    },
  );

  it.each([
    ["empty", ""],
    ["longer than 128 characters", `${longest}x`],
    ["with a space", "a b"],
    ["with a slash", "a/b"],
    ["with a colon", "a:b"],
    ["with markup", "<b>"],
    ["beyond ASCII", "\u00e9"],
    ["two headers that the runtime joins", "a, b"],
  ])("an invalid X-Request-Id is replaced by a generated one: %s", async (_, id) => {
    const { status, headers, body } = await get("/health", { headers: { "X-Request-Id": id } });
    expect(status).toBe(200);
    expect(body.metadata.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get("X-Request-Id")).toBe(body.metadata.requestId);
  });

  it("each request without an X-Request-Id gets an id of its own", async () => {
    const ids = [await get("/health"), await get("/health")].map(({ headers }) =>
      headers.get("X-Request-Id"),
    );
    expect(new Set(ids).size).toBe(2);
  });

  const headers = { "X-Request-Id": "echo-me" };

  it.each([
    ["200", () => get("/agents/tools", { headers })],
    ["201", () => post("/agents/tasks", { task: "Look around" }, { headers })],
    ["204", () => send("OPTIONS", "/agents/tools", undefined, { headers })],
    ["400", () => post("/agents/tasks", {}, { headers })],
    ["401", () => get("/agents/tools", { key: null, headers })],
    ["404", () => get("/agents/nowhere", { headers })],
    ["405", () => patch("/agents/tools", {}, { headers })],
    ["414", () => get(`/agents/tools?x=${"x".repeat(9_000)}`, { headers })],
  ])("a response with the status %s echoes the X-Request-Id", async (status, request) => {
    const answer = await request();
    expect(String(answer.status)).toBe(status);
    expect(answer.headers.get("X-Request-Id")).toBe("echo-me");
    if (answer.body !== null) expect(answer.body.metadata.requestId).toBe("echo-me");
  });
});
