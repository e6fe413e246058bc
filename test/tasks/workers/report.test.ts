import { beforeAll, describe, expect, it } from "vitest";
import { post } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { expectProblems, expectError } from "../../support/expect-errors.ts";
import { read, stopClock } from "../../support/tasks.ts";
import { eventsOf } from "../../support/task-state.ts";
import { complete, heldTask, OUTCOME, report } from "./fixtures.ts";

let id = "";
let lease = "";
let agentId = "";

beforeAll(async () => {
  stopClock();
  ({ agentId, id, lease } = await heldTask());
});

const send = (body: object, key?: string) =>
  post(
    `/agents/tasks/${id}/report`,
    JSON.stringify({ lease, ...body }),
    key === undefined ? {} : { key },
  );

const text = (length: number) => "x".repeat(length);
const progress = { type: "progress", progress: 1 };
const blocked = { type: "blocked", question: "?" };
const failed = (error: object) => ({ type: "failed", error: { message: "x", ...error } });
const done = (more: object, type = "completed") => ({ type, ...OUTCOME, ...more });
const result = (more: object) => done({ result: { summary: "x", ...more } });
const quality = (more: object) =>
  done({ quality: { score: 1, accuracy: 1, completeness: 1, clarity: 1, ...more } });

describe("an invalid report", () => {
  it.each<[string, object, Record<string, RegExp>]>([
    [
      "no type",
      {},
      { type: /one of heartbeat, progress, blocked, review, completed, failed, released/ },
    ],
    ["an unknown type", { type: "done" }, { type: /one of heartbeat, progress/ }],
    ["no lease", { type: "heartbeat", lease: undefined }, { lease: /is required/ }],
    ["an empty lease", { type: "heartbeat", lease: "" }, { lease: /not be empty/ }],
    ["a lease that is too long", { type: "heartbeat", lease: text(201) }, { lease: /at most 200/ }],
    [
      "a lease that is not a string",
      { type: "heartbeat", lease: 7 },
      { lease: /must be a string/ },
    ],
    [
      "a heartbeat with progress",
      { type: "heartbeat", progress: 1 },
      { progress: /not a known field/ },
    ],
    ["progress without a value", { type: "progress" }, { progress: /is required/ }],
    ["progress below 0", { ...progress, progress: -1 }, { progress: /at least 0/ }],
    ["progress of 100", { ...progress, progress: 100 }, { progress: /at most 99/ }],
    ["progress that is not an integer", { ...progress, progress: 1.5 }, { progress: /int/ }],
    ["an empty phase", { ...progress, phase: "" }, { phase: /not be empty/ }],
    ["a phase that is too long", { ...progress, phase: text(201) }, { phase: /at most 200/ }],
    ["work as a list", { ...progress, work: [] }, { work: /must be an object/ }],
    ["work as null", { ...progress, work: null }, { work: /must be an object/ }],
    ["progress with a result", { ...progress, ...OUTCOME }, { result: /not a known field/ }],
    ["released with an empty reason", { type: "released", reason: "" }, { reason: /not be empty/ }],
    ["released with work as a list", { type: "released", work: [] }, { work: /must be an object/ }],
    [
      "released with progress",
      { type: "released", progress: 1 },
      { progress: /not a known field/ },
    ],
    ["blocked without a question", { type: "blocked" }, { question: /is required/ }],
    [
      "blocked with a question that is too long",
      { type: "blocked", question: text(5_001) },
      { question: /at most 5000/ },
    ],
    [
      "blocked with an unknown kind",
      { ...blocked, kind: "lunch" },
      { kind: /one of input, approval/ },
    ],
    ["completed without a result", { type: "completed" }, { result: /is required/ }],
    [
      "review without a summary",
      done({ result: {} }, "review"),
      { "result.summary": /is required/ },
    ],
    ["an empty summary", result({ summary: "" }), { "result.summary": /not be empty/ }],
    [
      "a summary that is too long",
      result({ summary: text(20_001) }),
      { "result.summary": /at most 20000/ },
    ],
    [
      "51 insights",
      result({ insights: Array(51).fill("x") }),
      { "result.insights": /at most 50 items/ },
    ],
    ["an empty insight", result({ insights: ["x", ""] }), { "result.insights[1]": /not be empty/ }],
    [
      "a recommendation that is too long",
      result({ recommendations: [text(5_001)] }),
      { "result.recommendations[0]": /5000/ },
    ],
    [
      "an unknown field in a result",
      result({ figures: 1 }),
      { "result.figures": /not a known field/ },
    ],
    [
      "quality with missing fields",
      done({ quality: { score: 1 } }),
      { "quality.accuracy": /./, "quality.completeness": /./, "quality.clarity": /./ },
    ],
    ["quality below 0", quality({ score: -1 }), { "quality.score": /at least 0/ }],
    ["quality above 100", quality({ clarity: 101 }), { "quality.clarity": /at most 100/ }],
    ["failed without an error", { type: "failed" }, { error: /is required/ }],
    ["failed with an empty message", failed({ message: "" }), { "error.message": /not be empty/ }],
    [
      "failed with a message that is too long",
      failed({ message: text(5_001) }),
      { "error.message": /at most 5000/ },
    ],
    [
      "failed with a retryable that is not a boolean",
      failed({ retryable: "yes" }),
      { "error.retryable": /must be a boolean/ },
    ],
    [
      "failed with all fields",
      failed({ details: { dump: text(16_384) } }),
      { "error.details": /at most 16384 bytes/ },
    ],
    [
      "failed with details as text",
      failed({ details: "x" }),
      { "error.details": /must be an object/ },
    ],
  ])(
    "an invalid report (%s) is rejected by field and changes nothing",
    async (_, body, problems) => {
      const log = await eventsOf(id);
      expectProblems(await send(body), problems);
      expect(await eventsOf(id)).toEqual(log);
    },
  );

  it("a report with several problems is rejected with all of them", async () => {
    const body = { type: "progress", lease: "", progress: 100, phase: "", colour: "red" };
    const problems = { lease: /./, progress: /./, phase: /./, colour: /./ };
    expectProblems(await send(body), problems);
  });

  it("progress that decreases is rejected with both values", async () => {
    const held = await heldTask();
    await report(held.id, held.lease, { type: "progress", progress: 40 });
    await report(held.id, held.lease, { type: "progress", progress: 40, phase: "again" });
    const log = await eventsOf(held.id);
    const back = await report(held.id, held.lease, { type: "progress", progress: 39 });
    expectProblems(back, { progress: "must be at least the current progress of 40, got 39" });
    expect(await eventsOf(held.id)).toEqual(log);
  });

  it("work that exceeds the size limit of the task is rejected", async () => {
    const held = await heldTask();
    const note = (name: string) => ({
      type: "progress",
      progress: 1,
      work: { [name]: text(600_000) },
    });
    expect((await report(held.id, held.lease, note("a"))).status).toBe(200);
    expectProblems(await report(held.id, held.lease, note("b")), { work: /at most 1048576 bytes/ });
    const asking = { ...note("b"), type: "blocked", question: "?", progress: undefined };
    const blockedBy = await post(
      `/agents/tasks/${held.id}/report`,
      JSON.stringify({ lease: held.lease, ...asking }),
    );
    expectProblems(blockedBy, { work: /at most 1048576 bytes/ });
    // Replaced data does not count towards the size.
    expect((await report(held.id, held.lease, note("a"))).status).toBe(200);
  });

  it("a report on an unknown task returns 404", async () => {
    const unknown = await report("a".repeat(64), lease, { type: "heartbeat" });
    expectError(unknown, 404, "TASK_NOT_FOUND");
  });
});

describe("the largest valid report", () => {
  it("the largest valid report is accepted and shown", async () => {
    const held = await heldTask();
    const long = text(5_000);
    const full = {
      summary: text(20_000),
      insights: Array<string>(50).fill(long),
      recommendations: Array<string>(50).fill(long),
    };
    const answer = await report(held.id, held.lease, { type: "completed", result: full });
    expect(answer.status).toBe(200);
    expect((await read(held.id)).result).toEqual(full);
  });
});

describe("the keys that may report", () => {
  it("a key of the agent or the task's team can report with the lease", async () => {
    const key = await keyWith(["tasks:work"], { agentId });
    expect((await send({ type: "heartbeat" }, key)).status).toBe(200);
    const held = await heldTask({ teamId: "insights" }, { teams: ["insights"] });
    const options = { key: await keyWith(["tasks:work"], { teamId: "insights" }) };
    const beat = { type: "heartbeat" };
    expect((await report(held.id, held.lease, beat, options)).status).toBe(200);
  });

  it("a key of another agent or team gets 404 for a report, because it cannot see the task", async () => {
    for (const binding of [{ agentId: "researcher" }, { teamId: "insights" }]) {
      const key = await keyWith(["tasks:work"], binding);
      expectError(await send({ type: "heartbeat" }, key), 404, "TASK_NOT_FOUND");
    }
  });

  it("a key without the scope tasks:work cannot report", async () => {
    const key = await keyWith(["tasks:read", "tasks:write"], { agentId });
    expectError(await send(done({}), key), 403, "INSUFFICIENT_SCOPE");
    expect((await read(id)).status).toBe("in_progress");
  });
});

describe("racing reports", () => {
  it("one of ten racing completions ends the task, and the others get the same response", async () => {
    const held = await heldTask();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => complete(held.id, held.lease)),
    );
    for (const { status, body } of answers) {
      expect([status, body.data]).toEqual([
        200,
        { taskId: held.id, status: "completed", stop: true },
      ]);
    }
    const ends = (await eventsOf(held.id)).filter(({ type }) => type === "completed");
    expect(ends).toHaveLength(1);
  });

  it("exactly one of a racing completion and cancellation wins, and the log contains one end", async () => {
    const held = await heldTask();
    const [done1, cancelled] = await Promise.all([
      complete(held.id, held.lease),
      post(`/agents/tasks/${held.id}/cancel`),
    ]);
    expect(new Set([done1.status, cancelled.status])).toEqual(new Set([200, 409]));
    const ends = (await eventsOf(held.id)).filter(({ type }) =>
      ["completed", "cancelled"].includes(type),
    );
    expect(ends).toHaveLength(1);
  });
});
