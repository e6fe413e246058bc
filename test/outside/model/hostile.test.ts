import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { ok } from "../../../src/kernel/result.ts";
import { Desk, expected } from "../../agents/model/desk.ts";
import { originOf } from "../../support/outside-tools.ts";
import { badTurn, calls, requestsOf, run, script, SECRET, turn } from "./fixture.ts";
import { errorOf } from "../../../src/tasks/model/task.ts";

const PAUSE_MS = 5_000;

/** What each misbehaviour is told as, after "The model bad failed: it …", and the pause before the next try. */
const AGAIN: [how: string, reason: string | RegExp, afterMs?: number][] = [
  ["408", "it answered HTTP 408: Request Timeout."],
  ["429", "it answered HTTP 429: Slow down.", 7_000],
  ["429-bare", "it answered HTTP 429: Slow down.", 20_000],
  ["429-long", "it answered HTTP 429: Come back tomorrow.", 600_000],
  ["500", "it answered HTTP 500: Oops."],
  ["503", "it answered HTTP 503: Service Unavailable.", 3_000],
  ["html", "it did not stream its answer: the content type is text/html."],
  ["json-error", "it answered with an error: The model is loading; ***."],
  ["json-other", "its answer could not be read: it does not follow the provider's protocol."],
  ["json-without-answer", "it did not stream its answer: the content type is application/json."],
  ["json-large", "it answered with more than 4194304 bytes."],
  ["empty", "its answer broke off before its end."],
  ["no-end", "its answer broke off before its end."],
  ["broken-json", "its stream holds broken JSON."],
  ["not-the-protocol", "its stream does not follow the provider's protocol."],
  ["nameless", /its answer broke off|does not follow the provider/],
  ["error-event", /^it broke off with an error: The server had an error; Bearer \*\*\*\.$|\*\*\*/],
  ["disconnect", "it cannot be reached."],
  ["reset", "it cannot be reached."],
  ["not-http", "it cannot be reached."],
  ["large", "it answered with more than 4194304 bytes."],
  ["large-around", "it answered with more than 16777216 bytes."],
];

describe("an endpoint that answers without streaming", () => {
  it("an endpoint that answers without streaming gets one request, and its reported usage is charged", async () => {
    const desk = new Desk();
    const asked = (await requestsOf("json-calls")).length;
    const outcome = expected(await badTurn(desk, "json-calls"), "complete");
    expect(outcome.outcome.result.summary).toBe("Done.");
    expect(outcome.use).toEqual({ inputTokens: 11, outputTokens: 7, cost: 0.000039 });
    expect(await requestsOf("json-calls")).toHaveLength(asked + 1);
  });

  it("a text answer without streaming is used, and its usage is estimated if none is reported", async () => {
    const told = expected(await badTurn(new Desk(), "json"), "progress");
    expect(JSON.stringify(told.work)).toContain("Hello");
    expect(told.use).toMatchObject({ inputTokens: 11, outputTokens: 7 });
    const silent = expected(await badTurn(new Desk(), "json-without-usage"), "progress");
    expect(silent.use?.inputTokens).toBeGreaterThan(100);
  });

  it("the model is informed if its answer was truncated", async () => {
    const outcome = expected(await badTurn(new Desk(), "json-cut-off"), "progress");
    expect(JSON.stringify(outcome.work)).toContain("reached its limit of tokens");
  });
});

describe("an endpoint that misbehaves", () => {
  it.each(AGAIN)(
    "%s: is tried again, and the fault is told",
    async (how, reason, afterMs = PAUSE_MS) => {
      const outcome = expected(await badTurn(new Desk(), how), "again");
      expect(outcome.afterMs).toBe(afterMs);
      const said = outcome.fault?.replace("The model bad failed: ", "");
      if (typeof reason === "string") expect(said).toBe(reason);
      else expect(said).toMatch(reason);
    },
  );

  it.each([
    ["400", "it answered HTTP 400: messages[0] is too long.", false],
    ["402", "it answered HTTP 402: Insufficient credits.", true],
    ["404", "it answered HTTP 404: The model does not exist.", false],
    ["422", "it answered HTTP 422: field required.", false],
    ["deep-error", "it answered HTTP 400: Bad Request.", false],
  ])("%s: ends the attempt, with what it said", async (how, reason, retryable) => {
    const { error } = expected(await badTurn(new Desk(), how), "fail");
    const message = `The model bad failed: ${reason}`;
    expect(error).toEqual({ code: "AGENT_ERROR", message, retryable });
  });

  it.each(["401", "403"])("%s: asks people for a key that works", async (how) => {
    const desk = new Desk();
    const outcome = expected(await badTurn(desk, how), "block");
    expect(outcome.why).toBe("auth");
    expect(outcome.question).toContain(`it answered HTTP ${how}`);
    expect(outcome.question).toContain("PATCH /agents/ada with its executor and the new apiKey");
    expect(outcome.question).not.toContain(SECRET.apiKey);
  });

  it.each(["hang", "hang-in-stream", "drip"])("%s: ends with the turn's time", async (how) => {
    const signal = AbortSignal.timeout(400);
    const outcome = expected(await badTurn(new Desk(), how, { signal }), "again");
    expect(outcome.fault).toContain("it did not come to an end within the turn's time.");
    // A model that has written something is paid for it, though it never says how much.
    if (how === "drip") expect(outcome.use?.outputTokens).toBeGreaterThan(0);
    if (how === "hang") expect(outcome.use).toBeUndefined();
  });

  it("the address of an endpoint that cannot be reached is only in the service's log", async () => {
    const warned = vi.spyOn(console, "warn").mockReturnValue();
    onTestFinished(() => {
      warned.mockRestore();
    });
    const gone = { executor: { baseUrl: "http://127.0.0.1:1/v1" } };
    const outcomes = [await turn(new Desk(), "x", gone)];
    const refused = { executor: { baseUrl: "ftp://models.example.com/v1" } };
    outcomes.push(await turn(new Desk(), "x", refused));
    expect(JSON.stringify(outcomes)).not.toMatch(/127\.0\.0\.1|models\.example\.com/);
    const logged = JSON.stringify(warned.mock.calls);
    expect(logged).toMatch(/llm_request_failed.*127\.0\.0\.1:1.*models\.example\.com/);
  });

  it("that is not there, or nowhere, is told apart", async () => {
    const nobody = { executor: { baseUrl: "http://127.0.0.1:1/v1" } };
    const gone = expected(await turn(new Desk(), "x", nobody), "again");
    expect(gone.fault).toContain("it cannot be reached");
    const nowhere = { executor: { baseUrl: "ftp://example.com/v1" } };
    const refused = expected(await turn(new Desk(), "x", nowhere), "fail");
    expect(refused.error.message).toContain("The model x failed: requests to its address");
    const none = expected(await turn(new Desk(), "x", { executor: { baseUrl: null } }), "fail");
    expect(none.error.message).toContain("has no baseUrl");
  });

  it.each(["html", "json-error", "json-other", "empty", "not-the-protocol", "500", "reset"])(
    "%s: a failed try without reported usage or output costs nothing",
    async (how) => {
      expect(expected(await badTurn(new Desk(), how), "again").use).toBeUndefined();
    },
  );

  it("counts what a broken answer has used", async () => {
    const outcome = await badTurn(new Desk(), "disconnect");
    expect(outcome.use?.inputTokens).toBeGreaterThan(100);
  });

  it("does not decide what its answers cost: nonsense is replaced by an estimate", async () => {
    for (const how of ["lying-usage", "no-usage"]) {
      const { use } = await badTurn(new Desk(), how);
      expect(use?.inputTokens).toBeGreaterThan(100);
      expect(use?.inputTokens).toBeLessThan(5_000);
      expect(use?.outputTokens).toBeGreaterThan(0);
      expect(use?.outputTokens).toBeLessThan(10);
    }
  });

  it("gets its key back from nobody: not in words, arguments or errors", async () => {
    for (const secret of [SECRET, { apiKey: "another-secret-456", header: "x-key" }]) {
      for (const how of ["tells-the-key", "401", "error-event"]) {
        const desk = new Desk();
        const outcome = await badTurn(desk, how, { secret });
        expect(JSON.stringify([outcome, desk.task])).not.toContain(secret.apiKey);
        expect(JSON.stringify(outcome)).toContain("***");
      }
    }
  });
});

describe("a model that goes wrong", () => {
  it.each([
    ["bad-arguments", 'are not JSON: \\"this is not JSON\\"'],
    ["half-arguments", "reached its limit of tokens before the arguments were complete"],
    ["deep-arguments", "nested too deeply"],
  ])("%s: is told what is wrong, and the turn is paid", async (how, told) => {
    const desk = new Desk();
    const first = expected(await badTurn(desk, how), "progress");
    expect(JSON.stringify(first.work)).toContain(told);
    expect(first.use).toBeDefined();
  });

  it("ends after five calls in a row that no function could take", async () => {
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
    const desk = new Desk();
    expect(await run(desk, "invents")).toEqual([
      "turn 1",
      "used atlas/lookup",
      "turn 3",
      "turn 4",
      "turn 5",
      "turn 6",
      "fail",
    ]);
    expect(errorOf(desk.task)?.code).toBe("AGENT_ERROR");
    expect(errorOf(desk.task)?.message).toContain("5 calls in a row that no function could take");
    expect(errorOf(desk.task)?.message).toContain('"delete_everything" is not granted to you');
    expect(desk.calls).toHaveLength(1);
  });

  it("mends a call once it is told what is wrong with it", async () => {
    await script("mends", [
      calls(["finish", { summary: "", quality: { score: 101 } }]),
      calls(["finish", '{"summary": "Done."']),
      calls(["finish", { summary: "Done." }]),
    ]);
    const desk = new Desk();
    expect(await run(desk, "mends")).toEqual(["turn 1", "turn 2", "complete"]);
    const [, second] = await requestsOf("mends");
    const told = second?.body.messages.at(-1).content;
    expect(told).toContain("arguments.summary must not be empty");
    expect(told).toContain("arguments.quality.score must be at most 100");
  });

  it("loops: the third time the same call is not made", async () => {
    await script("loops", [
      calls(["atlas__lookup", { place: "Bergen", a: { x: 1, y: 2 } }]),
      calls(["atlas__lookup", '{"a":{"y":2,"x":1},"place":"Bergen"}']),
    ]);
    const desk = new Desk();
    expect(await run(desk, "loops")).toEqual(["used atlas/lookup", "used atlas/lookup", "fail"]);
    expect(errorOf(desk.task)?.message).toBe(
      "The model loops: it made the same call of atlas__lookup 3 turns in a row.",
    );
    expect(desk.calls).toHaveLength(2);
    expect(desk.outcomes.at(-1)?.use).toBeDefined();
  });

  it("ends when it needs more turns than it has", async () => {
    await script(
      "long",
      Array.from({ length: 9 }, (_, n) => calls(["atlas__lookup", { n }])),
    );
    const desk = new Desk();
    const phases = await run(desk, "long", { executor: { maxTurns: 4 } });
    expect(phases).toHaveLength(5);
    expect(errorOf(desk.task)?.message).toBe("The model needed more than 4 turns.");
    expect(await requestsOf("long")).toHaveLength(4);
  });

  it("ends when its transcript has grown too long; each turn's part of it is bounded", async () => {
    const text = '"'.repeat(1_000);
    const lookup = (n: number): [string, JsonObject] => ["atlas__lookup", { n, text }];
    const sixteen = (from: number) =>
      calls(...Array.from({ length: 16 }, (_, n) => lookup(from + n)));
    await script(
      "fat",
      Array.from({ length: 9 }, (_, n) => sixteen(100 * n)),
    );
    const desk = new Desk();
    desk.answer = async () => ok({ text: '\\"'.repeat(500_000) });
    await run(desk, "fat");
    expect(errorOf(desk.task)?.message).toContain("The transcript is too long");
    const sizes = Object.values(desk.task.work).map((one) => JSON.stringify(one).length);
    expect(sizes.length).toBeGreaterThan(2);
    expect(Math.max(...sizes)).toBeLessThan(256 * 1024);
  });

  it("asks for a thousand calls, of which sixteen are looked at", async () => {
    const desk = new Desk();
    const outcome = expected(await badTurn(desk, "many-calls"), "fail");
    expect(outcome.error.message).toContain("16 calls in a row that no function could take");
  });

  it("says nothing at all: is told so, and in the end that is the end", async () => {
    const desk = new Desk();
    for (let turns = 0; turns < 4; turns += 1) expected(await badTurn(desk, "silence"), "progress");
    const { error } = expected(await badTurn(desk, "silence"), "fail");
    expect(error.message).toContain("5 answers in a row");
  });

  it("is withheld by its provider's filter", async () => {
    const { error } = expected(await badTurn(new Desk(), "filtered"), "fail");
    expect(error.message).toContain("content filter");
  });

  it("belongs to an agent that is no longer enabled", async () => {
    const desk = new Desk();
    desk.granted = null;
    const { error } = expected(await turn(desk, "gone"), "fail");
    expect(error).toEqual({
      code: "AGENT_ERROR",
      message: "Ada is no longer registered and enabled.",
      retryable: true,
    });
  });

  it("is not asked twice for what a fault of ours took, and pays for what it used", async () => {
    await script("store-down", [
      calls(["deliver_file", { name: "a.txt", type: "t", content: "A" }]),
    ]);
    const desk = new Desk();
    const hands = { ...desk.hands, saveFile: () => Promise.reject(new Error("The store is down")) };
    Object.assign(desk, { hands });
    const outcome = expected(await turn(desk, "store-down"), "again");
    expect(outcome.fault).toBe("A fault of the service interrupted the agent's turn.");
    expect(outcome.use).toBeDefined();
  });

  it("has a tool that never answers: the turn ends with its time, and says so", async () => {
    await script("slow-tool", [calls(["atlas__lookup", { place: "Bergen" }])]);
    const desk = new Desk();
    const late = new AbortController();
    desk.answer = () => {
      late.abort();
      return new Promise(() => {});
    };
    const outcome = expected(await turn(desk, "slow-tool", { signal: late.signal }), "progress");
    expect(JSON.stringify(outcome.work)).toContain("did not end within the turn's time");
  });
});

it("the misbehaving endpoint is the one that the tests think it is", async () => {
  const response = await fetch(`${originOf("model")}/bad/nothing-of-this-name/v1`);
  expect(response.status).toBe(404);
});
