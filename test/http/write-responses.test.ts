import { beforeAll, describe, expect, it } from "vitest";
import { jsonWorkbench } from "../../src/builtin/tools/json-workbench/definition.ts";
import { registerTools } from "../support/catalogue.ts";
import { del, get, ORIGIN, patch, post } from "../support/client.ts";
import { create, passTime, read, stopClock, taskIn } from "../support/tasks.ts";

beforeAll(stopClock);

describe("responses to writes", () => {
  it("creating a task returns 201 with its Location", async () => {
    const { status, headers, body } = await post("/agents/tasks", { task: "x" });
    expect(status).toBe(201);
    expect(headers.get("Location")).toBe(`${ORIGIN}/agents/tasks/${body.data.taskId}`);
  });

  it("a new grant returns 201, a replaced grant 200, and a revocation 200, then 404", async () => {
    const grant = { agentId: "answers", toolId: "json-workbench" };
    const at = `/agents/tools/access/${grant.agentId}/${grant.toolId}`;
    const answers = [
      await post("/agents/tools/access", grant),
      await post("/agents/tools/access", grant),
      await del(at),
      await del(at),
      await post("/agents/tools/access", grant),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 404, 201]);
  });

  it("the first feedback returns 201, and the second 200", async () => {
    const id = await taskIn("completed");
    const rate = (rating: number) => post(`/agents/tasks/${id}/feedback`, { rating });
    expect([(await rate(4)).status, (await rate(5)).status]).toEqual([201, 200]);
  });

  it.each([
    ["update", () => create(), (id: string) => patch(id, { notes: "n" })],
    ["cancel", () => create(), (id: string) => post(`${id}/cancel`)],
    ["retry", () => taskIn("failed"), (id: string) => post(`${id}/retry`)],
    ["respond", () => taskIn("blocked"), (id: string) => post(`${id}/respond`, { response: "a" })],
    [
      "respond with an object",
      () => taskIn("blocked"),
      (id: string) => post(`${id}/respond`, { response: { year: 2025 } }),
    ],
    [
      "review, approve",
      () => taskIn("review"),
      (id: string) => post(`${id}/review`, { decision: "approve" }),
    ],
    [
      "review, request_changes",
      () => taskIn("review"),
      (id: string) => post(`${id}/review`, { decision: "request_changes", comment: "Shorter." }),
    ],
    [
      "review, reject",
      () => taskIn("review"),
      (id: string) => post(`${id}/review`, { decision: "reject" }),
    ],
  ] as const)(
    "the action '%s' returns 200 with the whole task, as GET returns it",
    async (_, make, write) => {
      const id = await make();
      const { status, body } = await write(`/agents/tasks/${id}`);
      expect(status).toBe(200);
      expect(body.data).toEqual(await read(id));
    },
  );

  it.each([
    ["respond without a response", "respond", {}, "response", "is required"],
    [
      "respond with an empty response",
      "respond",
      { response: "" },
      "response",
      "must not be empty",
    ],
    ["respond with a number", "respond", { response: 1 }, "response", "got 1"],
    ["respond with a list", "respond", { response: ["a"] }, "response", 'got ["a"]'],
    ["review without a decision", "review", {}, "decision", "is required: one of approve, "],
    ["review with an unknown decision", "review", { decision: "ok" }, "decision", 'got "ok"'],
    ["retry with a text for reassign", "retry", { reassign: "yes" }, "reassign", 'got "yes"'],
  ])("an invalid request gets 400: %s", async (_, verb, body, path, message) => {
    const { status, body: answer } = await post(`/agents/tasks/${await create()}/${verb}`, body);
    expect(status).toBe(400);
    expect(answer.error.details).toEqual([{ path, message: expect.stringContaining(message) }]);
  });
});

describe("a tool's rate limit", () => {
  const body = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
  const invoke = (changes = {}) =>
    post("/agents/tools/json-workbench/invoke", { ...body, ...changes });
  const limits = ({ headers }: { headers: Headers }) =>
    ["RateLimit", "RateLimit-Policy", "Retry-After"].map((name) => headers.get(name));

  it("responses with 200 and 429 have RateLimit, and the window opens with the first call", async () => {
    await registerTools({ ...jsonWorkbench, rateLimit: { requests: 2, period: "minute" } });
    passTime(3_600_000);
    expect(limits(await invoke())).toEqual(['"tool";r=1;t=60', '"tool";q=2;w=60', null]);
    passTime(15_500);
    expect(limits(await invoke())).toEqual(['"tool";r=0;t=45', '"tool";q=2;w=60', null]);
    const refused = await invoke();
    expect(refused.status).toBe(429);
    expect(limits(refused)).toEqual(['"tool";r=0;t=45', '"tool";q=2;w=60', "45"]);
    expect(refused.body.error.message).toContain("(2 calls per 60 seconds). Retry in 45 seconds");
    passTime(44_500);
    expect((await invoke()).headers.get("RateLimit")).toBe('"tool";r=1;t=60');
  });

  it("a rejected call does not count toward the rate limit", async () => {
    await registerTools({ ...jsonWorkbench, rateLimit: { requests: 2, period: "minute" } });
    passTime(3_600_000);
    const refused = [
      await invoke({ parameters: {} }),
      await invoke({ parameters: { document: "no JSON", path: "$" } }),
      await invoke({ capability: "compile" }),
      await invoke({ agentId: "researcher" }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 404, 403]);
    expect((await invoke()).headers.get("RateLimit")).toBe('"tool";r=1;t=60');
  });
});

describe("a task's context", () => {
  // {"text":""} takes eleven bytes.
  const contextOf = (bytes: number) => ({ text: "x".repeat(bytes - 11) });

  it("a context of 64 KiB is shown in full", async () => {
    const context = contextOf(65_536);
    expect((await read(await create({ context }))).context).toEqual(context);
  });

  it("if a context is one byte too large, only its size is shown, and the full context with include=context", async () => {
    const context = contextOf(65_537);
    const id = await create({ context });
    const task = await read(id);
    expect(task.contextBytes).toBe(65_537);
    expect(task).not.toHaveProperty("context");
    const whole = (await get(`/agents/tasks/${id}?include=context`)).body.data;
    expect(whole.context).toEqual(context);
    expect(whole).not.toHaveProperty("contextBytes");
  });
});

describe("a task's events", () => {
  it("a task's events are returned in pages from seq 1 without gaps, oldest first", async () => {
    const id = await taskIn("completed");
    const page = async (query: string) =>
      (await get(`/agents/tasks/${id}/events${query}`)).body.data;
    const { events, nextAfter, taskId } = await page("");
    expect([taskId, nextAfter]).toEqual([id, null]);
    expect(events.map(({ seq }: { seq: number }) => seq)).toEqual(
      events.map((_: object, index: number) => index + 1),
    );
    for (const { at } of events) expect(at).toBe(new Date(at).toISOString());
    const first = await page("?limit=2");
    expect(first).toEqual({ taskId: id, events: events.slice(0, 2), nextAfter: 2 });
    const second = await page(`?after=${first.nextAfter}&limit=2`);
    expect(second.events).toEqual(events.slice(2, 4));
    const last = await page(`?after=${events.length - 1}&limit=1`);
    expect(last).toEqual({ taskId: id, events: events.slice(-1), nextAfter: null });
    expect(await page(`?after=${events.length}`)).toEqual({
      taskId: id,
      events: [],
      nextAfter: null,
    });
  });
});

describe("/health", () => {
  it.each([
    ["without a key", null],
    ["with a wrong key", "bsn_wrong"],
  ])("the path /health returns 200 %s", async (_, key) => {
    const { status, body } = await get("/health", { key });
    expect([status, body.data]).toEqual([200, { status: "ok" }]);
  });
});
