import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { ok } from "../../../../src/kernel/result.ts";
import { LlmTurnHarness, expectOutcome } from "../../../executors/llm/turn-harness.ts";
import { originOf } from "../../../support/server-tools.ts";
import { badTurn, calls, requestsOf, run, script, SECRET, turn } from "./fixtures.ts";
import { errorOf } from "../../../../src/tasks/model/task.ts";

const PAUSE_MS = 5_000;

/** The reason for each failure, after "The model bad failed: ", and the pause before the retry. */
const AGAIN: [how: string, reason: string | RegExp, afterMs?: number][] = [
  ["408", "it returned HTTP 408: Request Timeout."],
  ["429", "it returned HTTP 429: Slow down.", 7_000],
  ["429-bare", "it returned HTTP 429: Slow down.", 20_000],
  ["429-long", "it returned HTTP 429: Come back tomorrow.", 600_000],
  ["500", "it returned HTTP 500: Oops."],
  ["503", "it returned HTTP 503: Service Unavailable.", 3_000],
  ["html", "it did not stream its response (content type: text/html)."],
  ["json-error", "it returned an error: The model is loading; ***."],
  ["json-other", "its response does not follow the provider's protocol."],
  ["json-without-answer", "it did not stream its response (content type: application/json)."],
  ["json-large", "it returned more than 4194304 bytes."],
  ["empty", "its response ended before it was complete."],
  ["no-end", "its response ended before it was complete."],
  ["broken-json", "its stream contains invalid JSON."],
  ["not-the-protocol", "its stream does not follow the provider's protocol."],
  ["nameless", /its response ended before|does not follow the provider/],
  [
    "error-event",
    /^its stream ended with an error: The server had an error; Bearer \*\*\*\.$|\*\*\*/,
  ],
  ["disconnect", "it cannot be reached."],
  ["reset", "it cannot be reached."],
  ["not-http", "it cannot be reached."],
  ["large", "it returned more than 4194304 bytes."],
  ["large-around", "it returned more than 16777216 bytes."],
];

describe("an endpoint that does not stream", () => {
  it("an endpoint that responds without streaming is called once, and its reported usage is charged", async () => {
    const harness = new LlmTurnHarness();
    const asked = (await requestsOf("json-calls")).length;
    const outcome = expectOutcome(await badTurn(harness, "json-calls"), "complete");
    expect(outcome.outcome.result.summary).toBe("Done.");
    expect(outcome.use).toEqual({ inputTokens: 11, outputTokens: 7, cost: 0.000039 });
    expect(await requestsOf("json-calls")).toHaveLength(asked + 1);
  });

  it("a text response without streaming is used, and its usage is estimated if none is reported", async () => {
    const outcome = expectOutcome(await badTurn(new LlmTurnHarness(), "json"), "progress");
    expect(JSON.stringify(outcome.work)).toContain("Hello");
    expect(outcome.use).toMatchObject({ inputTokens: 11, outputTokens: 7 });
    const silent = expectOutcome(
      await badTurn(new LlmTurnHarness(), "json-without-usage"),
      "progress",
    );
    expect(silent.use?.inputTokens).toBeGreaterThan(100);
  });

  it("if a response was truncated, the model is informed", async () => {
    const outcome = expectOutcome(await badTurn(new LlmTurnHarness(), "json-cut-off"), "progress");
    expect(JSON.stringify(outcome.work)).toContain("reached its token limit");
  });
});

describe("an endpoint that misbehaves", () => {
  it.each(AGAIN)(
    "the endpoint failure %s repeats the turn and is reported",
    async (how, reason, afterMs = PAUSE_MS) => {
      const outcome = expectOutcome(await badTurn(new LlmTurnHarness(), how), "again");
      expect(outcome.afterMs).toBe(afterMs);
      const reported = outcome.failure?.replace("The model bad failed: ", "");
      if (typeof reason === "string") expect(reported).toBe(reason);
      else expect(reported).toMatch(reason);
    },
  );

  it.each([
    ["400", "it returned HTTP 400: messages[0] is too long.", false],
    ["402", "it returned HTTP 402: Insufficient credits.", true],
    ["404", "it returned HTTP 404: The model does not exist.", false],
    ["422", "it returned HTTP 422: field required.", false],
    ["deep-error", "it returned HTTP 400: Bad Request.", false],
  ])(
    "the endpoint error %s ends the attempt with the endpoint's message",
    async (how, reason, retryable) => {
      const { error } = expectOutcome(await badTurn(new LlmTurnHarness(), how), "fail");
      const message = `The model bad failed: ${reason}`;
      expect(error).toEqual({ code: "AGENT_ERROR", message, retryable });
    },
  );

  it.each(["401", "403"])(
    "the endpoint error %s blocks the task with a question that asks for a working key",
    async (how) => {
      const harness = new LlmTurnHarness();
      const outcome = expectOutcome(await badTurn(harness, how), "block");
      expect(outcome.why).toBe("auth");
      expect(outcome.question).toContain(`it returned HTTP ${how}`);
      expect(outcome.question).toContain(
        "PATCH /agents/ada with the agent's executor and the new apiKey",
      );
      expect(outcome.question).not.toContain(SECRET.apiKey);
    },
  );

  it.each(["hang", "hang-in-stream", "drip"])(
    "the endpoint failure %s ends at the turn's timeout",
    async (how) => {
      const signal = AbortSignal.timeout(400);
      const outcome = expectOutcome(await badTurn(new LlmTurnHarness(), how, { signal }), "again");
      expect(outcome.failure).toContain("it did not finish in time.");
      // A response without usage data is still charged if the model has written something.
      if (how === "drip") expect(outcome.use?.outputTokens).toBeGreaterThan(0);
      if (how === "hang") expect(outcome.use).toBeUndefined();
    },
  );

  it("the address of an endpoint that cannot be reached appears only in the service's log", async () => {
    const warned = vi.spyOn(console, "warn").mockReturnValue();
    onTestFinished(() => {
      warned.mockRestore();
    });
    const gone = { executor: { baseUrl: "http://127.0.0.1:1/v1" } };
    const outcomes = [await turn(new LlmTurnHarness(), "x", gone)];
    const refused = { executor: { baseUrl: "ftp://models.example.com/v1" } };
    outcomes.push(await turn(new LlmTurnHarness(), "x", refused));
    expect(JSON.stringify(outcomes)).not.toMatch(/127\.0\.0\.1|models\.example\.com/);
    const logged = JSON.stringify(warned.mock.calls);
    expect(logged).toMatch(/llm_request_failed.*127\.0\.0\.1:1.*models\.example\.com/);
  });

  it("an unreachable endpoint, a forbidden address and a missing baseUrl get different errors", async () => {
    const nobody = { executor: { baseUrl: "http://127.0.0.1:1/v1" } };
    const gone = expectOutcome(await turn(new LlmTurnHarness(), "x", nobody), "again");
    expect(gone.failure).toContain("it cannot be reached");
    const invalid = { executor: { baseUrl: "ftp://example.com/v1" } };
    const refused = expectOutcome(await turn(new LlmTurnHarness(), "x", invalid), "fail");
    expect(refused.error.message).toContain("The model x failed: requests to its address");
    const none = expectOutcome(
      await turn(new LlmTurnHarness(), "x", { executor: { baseUrl: null } }),
      "fail",
    );
    expect(none.error.message).toContain("has no baseUrl");
  });

  it.each(["html", "json-error", "json-other", "empty", "not-the-protocol", "500", "reset"])(
    "the endpoint failure %s costs nothing without reported usage or output",
    async (how) => {
      expect(expectOutcome(await badTurn(new LlmTurnHarness(), how), "again").use).toBeUndefined();
    },
  );

  it("an interrupted response is charged for its input tokens", async () => {
    const outcome = await badTurn(new LlmTurnHarness(), "disconnect");
    expect(outcome.use?.inputTokens).toBeGreaterThan(100);
  });

  it("if an endpoint reports no usage or implausible usage, an estimate is used", async () => {
    for (const how of ["lying-usage", "no-usage"]) {
      const { use } = await badTurn(new LlmTurnHarness(), how);
      expect(use?.inputTokens).toBeGreaterThan(100);
      expect(use?.inputTokens).toBeLessThan(5_000);
      expect(use?.outputTokens).toBeGreaterThan(0);
      expect(use?.outputTokens).toBeLessThan(10);
    }
  });

  it("the endpoint's key does not appear in any text, argument or error", async () => {
    for (const secret of [SECRET, { apiKey: "another-secret-456", header: "x-key" }]) {
      for (const how of ["tells-the-key", "401", "error-event"]) {
        const harness = new LlmTurnHarness();
        const outcome = await badTurn(harness, how, { secret });
        expect(JSON.stringify([outcome, harness.task])).not.toContain(secret.apiKey);
        expect(JSON.stringify(outcome)).toContain("***");
      }
    }
  });
});

describe("a model that misbehaves", () => {
  it.each([
    ["bad-arguments", 'are not valid JSON: \\"this is not JSON\\"'],
    ["half-arguments", "reached its token limit before the arguments were complete"],
    ["deep-arguments", "nested too deeply"],
  ])(
    "a call with %s is returned to the model with the problem, and the turn is charged",
    async (how, expectedText) => {
      const harness = new LlmTurnHarness();
      const first = expectOutcome(await badTurn(harness, how), "progress");
      expect(JSON.stringify(first.work)).toContain(expectedText);
      expect(first.use).toBeDefined();
    },
  );

  it("a model fails after five invalid calls in a row", async () => {
    const wrong = (n: number) => calls(["delete_everything", { n }]);
    await script("invents", [
      wrong(1),
      calls(["atlas__lookup", { place: "Oslo" }]),
      wrong(2),
      wrong(3),
      wrong(4),
      wrong(5),
      wrong(6),
    ]);
    const harness = new LlmTurnHarness();
    expect(await run(harness, "invents")).toEqual([
      "turn 1",
      "used atlas/lookup",
      "turn 3",
      "turn 4",
      "turn 5",
      "turn 6",
      "fail",
    ]);
    expect(errorOf(harness.task)?.code).toBe("AGENT_ERROR");
    expect(errorOf(harness.task)?.message).toContain("5 invalid function calls in a row");
    expect(errorOf(harness.task)?.message).toContain('"delete_everything" is not granted to you');
    expect(harness.calls).toHaveLength(1);
  });

  it("a model corrects a call after it receives the call's errors", async () => {
    await script("recovers", [
      calls(["finish", { summary: "", quality: { score: 101 } }]),
      calls(["finish", '{"summary": "Done."']),
      calls(["finish", { summary: "Done." }]),
    ]);
    const harness = new LlmTurnHarness();
    expect(await run(harness, "recovers")).toEqual(["turn 1", "turn 2", "complete"]);
    const [, second] = await requestsOf("recovers");
    const content = second?.body.messages.at(-1).content;
    expect(content).toContain("arguments.summary must not be empty");
    expect(content).toContain("arguments.quality.score must be at most 100");
  });

  it("a model that makes the same call in three successive turns fails, and the third call is not made", async () => {
    await script("loops", [
      calls(["atlas__lookup", { place: "Bergen", a: { x: 1, y: 2 } }]),
      calls(["atlas__lookup", '{"a":{"y":2,"x":1},"place":"Bergen"}']),
    ]);
    const harness = new LlmTurnHarness();
    expect(await run(harness, "loops")).toEqual(["used atlas/lookup", "used atlas/lookup", "fail"]);
    expect(errorOf(harness.task)?.message).toBe(
      "The model is in a loop: it made the same call to atlas__lookup in 3 consecutive turns.",
    );
    expect(harness.calls).toHaveLength(2);
    expect(harness.outcomes.at(-1)?.use).toBeDefined();
  });

  it("a model that needs more turns than its limit fails", async () => {
    await script(
      "long",
      Array.from({ length: 9 }, (_, n) => calls(["atlas__lookup", { n }])),
    );
    const harness = new LlmTurnHarness();
    const phases = await run(harness, "long", { executor: { maxTurns: 4 } });
    expect(phases).toHaveLength(5);
    expect(errorOf(harness.task)?.message).toBe("The model did not finish within 4 turns.");
    expect(await requestsOf("long")).toHaveLength(4);
  });

  it("a model whose transcript grows too long fails, and the stored part of each turn has a size limit", async () => {
    const text = '"'.repeat(1_000);
    const lookup = (n: number): [string, JsonObject] => ["atlas__lookup", { n, text }];
    const sixteen = (from: number) =>
      calls(...Array.from({ length: 16 }, (_, n) => lookup(from + n)));
    await script(
      "fat",
      Array.from({ length: 9 }, (_, n) => sixteen(100 * n)),
    );
    const harness = new LlmTurnHarness();
    harness.answer = async () => ok({ text: '\\"'.repeat(500_000) });
    await run(harness, "fat");
    expect(errorOf(harness.task)?.message).toContain("The transcript is too long");
    const sizes = Object.values(harness.task.work).map((one) => JSON.stringify(one).length);
    expect(sizes.length).toBeGreaterThan(2);
    expect(Math.max(...sizes)).toBeLessThan(256 * 1024);
  });

  it("at most sixteen of a thousand calls in one response are processed", async () => {
    const harness = new LlmTurnHarness();
    const outcome = expectOutcome(await badTurn(harness, "many-calls"), "fail");
    expect(outcome.error.message).toContain("16 invalid function calls in a row");
  });

  it("a model without output fails after five turns in a row", async () => {
    const harness = new LlmTurnHarness();
    for (let turns = 0; turns < 4; turns += 1)
      expectOutcome(await badTurn(harness, "silence"), "progress");
    const { error } = expectOutcome(await badTurn(harness, "silence"), "fail");
    expect(error.message).toContain("5 unusable responses in a row");
  });

  it("a response withheld by the provider's content filter fails the attempt", async () => {
    const { error } = expectOutcome(await badTurn(new LlmTurnHarness(), "filtered"), "fail");
    expect(error.message).toContain("content filter");
  });

  it("a turn of an agent that is no longer enabled fails with a retryable error", async () => {
    const harness = new LlmTurnHarness();
    harness.granted = null;
    const { error } = expectOutcome(await turn(harness, "gone"), "fail");
    expect(error).toEqual({
      code: "AGENT_ERROR",
      message: "Ada is disabled or no longer registered.",
      retryable: true,
    });
  });

  it("a turn that is interrupted by an internal error is repeated later, and its usage is charged", async () => {
    await script("store-down", [
      calls(["deliver_file", { name: "a.txt", type: "t", content: "A" }]),
    ]);
    const harness = new LlmTurnHarness();
    const context = {
      ...harness.context,
      saveFile: () => Promise.reject(new Error("The store is down")),
    };
    Object.assign(harness, { context });
    const outcome = expectOutcome(await turn(harness, "store-down"), "again");
    expect(outcome.failure).toBe("An internal error interrupted the agent's turn.");
    expect(outcome.use).toBeDefined();
  });

  it("if a tool never responds, the turn ends at its timeout, and the result says so", async () => {
    await script("slow-tool", [calls(["atlas__lookup", { place: "Bergen" }])]);
    const harness = new LlmTurnHarness();
    const late = new AbortController();
    harness.answer = () => {
      late.abort();
      return new Promise(() => {});
    };
    const outcome = expectOutcome(
      await turn(harness, "slow-tool", { signal: late.signal }),
      "progress",
    );
    expect(JSON.stringify(outcome.work)).toContain("did not finish before the turn timed out");
  });
});

it("the misbehaving test endpoint responds with 404 to an unknown name", async () => {
  const response = await fetch(`${originOf("model")}/bad/nothing-of-this-name/v1`);
  expect(response.status).toBe(404);
});
