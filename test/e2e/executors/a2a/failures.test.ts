import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parseA2aCheckpoint } from "../../../../src/executors/a2a/checkpoint.ts";
import { A2aTurnHarness, expectOutcome } from "../../../executors/a2a/turn-harness.ts";
import { cancel, hostile, SECRET, turn, turns } from "./fixtures.ts";

const LEAD = "The A2A agent cannot be used: ";
const GONE = "The A2A agent no longer knows the task: ";

/** Failures that end the attempt, and whether another attempt may succeed. */
const FAILURES: readonly (readonly [name: string, retryable: boolean, reason: string])[] = [
  ["html", false, `${LEAD}its response is not JSON.`],
  ["wrong-id", false, `${LEAD}its response does not conform to A2A 1.0.`],
  ["not-json-rpc", false, `${LEAD}its response does not conform to A2A 1.0.`],
  ["nothing", false, `${LEAD}its response does not conform to A2A 1.0.`],
  ["empty-task", false, `${LEAD}its response is neither a task nor a message.`],
  ["bad-parts", false, `${LEAD}its response does not conform to A2A 1.0.`],
  ["deep", false, `${LEAD}its response is nested more than 100 levels deep.`],
  ["404", true, `${LEAD}it returned HTTP 404.`],
  ["rpc-params", false, `${LEAD}it returned an error: message.parts is too long.`],
  ["rpc-version", false, `${LEAD}it returned an error: Only 2.0 is spoken here.`],
  [
    "card-elsewhere",
    false,
    `${LEAD}its card points to an agent whose interface is at a different origin from the card.`,
  ],
  [
    "card-old",
    false,
    `${LEAD}its card points to an agent that does not support A2A 1.0: its card offers 0.3.0.`,
  ],
  ["lost", true, `${GONE}it returned an error: Task not found.`],
];

/** Transient failures. */
const PASSING: readonly (readonly [name: string, failure: string])[] = [
  ["429", "it returned HTTP 429: too many requests."],
  ["500", "it returned HTTP 500."],
  ["rpc-internal", "it returned an error: Out of paper."],
  ["reset", "it cannot be reached."],
  ["card-500", "its card returns HTTP 500."],
  ["html-later", "its response is not JSON."],
  ["503-later", "it returned HTTP 503."],
  ["changed-id", "it returned a task other than the requested one."],
  ["huge", "it returned more than 16777216 bytes."],
];

describe("an agent that violates the protocol", () => {
  for (const [name, retryable, message] of FAILURES) {
    it(`an agent that violates the protocol (${name}) fails the attempt`, async () => {
      const { error } = expectOutcome(await turn(new A2aTurnHarness(), hostile(name).card), "fail");
      expect(error).toMatchObject({ code: "AGENT_ERROR", retryable });
      expect(error.message.startsWith(message), error.message).toBe(true);
      expect(error.message).not.toMatch(/:\/\//);
    });
  }
});

describe("an agent with a temporary failure", () => {
  for (const [name, failure] of PASSING) {
    it(`an agent with a temporary failure (${name}) is asked again later`, async () => {
      const harness = new A2aTurnHarness();
      const outcome = expectOutcome(await turn(harness, hostile(name).card), "again");
      expect(outcome.failure?.startsWith(`${LEAD}${failure}`), `${outcome.failure}`).toBe(true);
      expect(outcome.failure).not.toMatch(/:\/\//);
      expect(outcome.afterMs).toBeGreaterThanOrEqual(2_000);
    });
  }

  it("an unavailable agent is asked again after its Retry-After, within limits", async () => {
    expect(await turn(new A2aTurnHarness(), hostile("429").card)).toMatchObject({ afterMs: 7_000 });
    expect(await turn(new A2aTurnHarness(), hostile("503-later").card)).toMatchObject({
      afterMs: 30_000,
    });
    expect(await turn(new A2aTurnHarness(), hostile("429-long").card)).toMatchObject({
      afterMs: 300_000,
    });
  });

  it("an unreachable agent is asked again, and its address appears only in the log", async () => {
    const warned = vi.spyOn(console, "warn").mockReturnValue();
    onTestFinished(() => {
      warned.mockRestore();
    });
    const { failure } = expectOutcome(
      await turn(new A2aTurnHarness(), "http://127.0.0.1:9/card.json"),
      "again",
    );
    expect(failure).toBe("The A2A agent cannot be used: its card cannot be reached.");
    const logged = JSON.stringify(warned.mock.calls);
    expect(logged).toMatch(/a2a_request_failed.*its card cannot be reached: .*127\.0\.0\.1:9/);
  });

  it("if an agent hangs, its turn ends at the timeout, and the agent is asked again", async () => {
    for (const name of ["hangs", "hangs-later", "card-hangs"]) {
      const startedAt = Date.now();
      const signal = AbortSignal.timeout(300);
      expectOutcome(await turn(new A2aTurnHarness(), hostile(name).card, { signal }), "again");
      expect(Date.now() - startedAt).toBeLessThan(3_000);
    }
  });
});

describe("an agent's key", () => {
  const wanted =
    /^The A2A agent requires a key: it returned HTTP 40[13]\. Set its API key with PATCH \/agents\/ada, /;

  for (const name of ["401", "403"]) {
    it(`a missing key (${name}) blocks the task with a question that asks for it`, async () => {
      const block = expectOutcome(await turn(new A2aTurnHarness(), hostile(name).card), "block");
      expect(block.why).toBe("auth");
      expect(block.question).toMatch(wanted);
    });
  }

  it("a key that is set while the task is blocked is used, and the answer is not sent to the agent", async () => {
    const harness = new A2aTurnHarness();
    const { card, seen } = hostile("key");
    expectOutcome(await turn(harness, card), "block");
    harness.respond(`It is ${SECRET.apiKey}`);
    expectOutcome(await turn(harness, card, { secret: SECRET }), "complete");
    const sent = await seen();
    expect(JSON.stringify(sent.map(({ params }) => params))).not.toContain(SECRET.apiKey);
    expect(sent.at(-1)?.headers["authorization"]).toBe(`Bearer ${SECRET.apiKey}`);
  });

  it("a task that is blocked because of a key during its work continues the same remote task", async () => {
    const harness = new A2aTurnHarness();
    const { card, methods } = hostile("401-later");
    expectOutcome(await turn(harness, card), "block");
    expect(parseA2aCheckpoint(harness.task.work)?.taskId).toBe("task-1");
    harness.respond("done");
    expectOutcome(await turn(harness, card, { secret: SECRET }), "complete");
    expect((await methods()).filter((method) => method === "SendMessage")).toHaveLength(1);
  });

  it("a wrong agent key is reported as such and does not appear in any outcome", async () => {
    const block = expectOutcome(
      await turn(new A2aTurnHarness(), hostile("401").card, { secret: SECRET }),
      "block",
    );
    expect(block.question).toMatch(/rejects its stored key/);
    const harness = new A2aTurnHarness();
    const { error } = expectOutcome(
      await turn(harness, hostile("echo-key").card, { secret: SECRET }),
      "fail",
    );
    expect(error.message).toBe(`${LEAD}it returned an error: You sent ***.`);
  });

  it("an agent's key is sent in the configured header", async () => {
    const { card, seen } = hostile("good");
    await turn(new A2aTurnHarness(), card, { secret: { ...SECRET, header: "X-Agent-Key" } });
    for (const { headers } of await seen()) expect(headers["x-agent-key"]).toBe(SECRET.apiKey);
  });

  it("an agent's key is sent only to the origin of its card", async () => {
    const { card, rpc, seen } = hostile("good");
    const harness = new A2aTurnHarness();
    await turn(harness, card, { secret: SECRET });
    // The agent has since moved, but its remote task is still at the previous address.
    const moved = card.replace("127.0.0.1", "localhost");
    const a2a = {
      ...parseA2aCheckpoint(harness.task.work),
      endpoint: { ...parseA2aCheckpoint(harness.task.work)?.endpoint, url: rpc, cardUrl: moved },
    };
    const other = new A2aTurnHarness();
    other.event({
      type: "progressed",
      data: { progress: 1, phase: "x", calls: [], work: JSON.parse(JSON.stringify({ a2a })) },
    });
    const before = (await seen()).length;
    await turn(other, moved, { secret: SECRET });
    const after = (await seen()).slice(before);
    expect(after.length).toBeGreaterThan(0);
    for (const { headers } of after) expect(headers["authorization"]).toBeUndefined();
  });
});

describe("cancellation", () => {
  async function working(name: string) {
    const harness = new A2aTurnHarness();
    const { card } = hostile(name);
    await turn(harness, card, { signal: AbortSignal.timeout(300) });
    return { desk: harness, card };
  }

  it("a cancellation succeeds if there is no remote task", async () => {
    expect(await cancel(new A2aTurnHarness(), hostile("good").card)).toBe("done");
  });

  for (const [name, end] of [
    ["cancel-500", "again"],
    ["cancel-gone", "done"],
    ["cancel-ended", "done"],
    ["cancel-garbage", "done"],
  ] as const) {
    it(`a cancellation returns '${end}' after ${name}`, async () => {
      const { desk: harness, card } = await working(name);
      expect(parseA2aCheckpoint(harness.task.work)?.taskId).toBe("task-1");
      expect(await cancel(harness, card)).toBe(end);
    });
  }
});

describe("an agent's files and result", () => {
  async function outcomeOf(name: string, deliverables: string[] = []) {
    const harness = new A2aTurnHarness({ deliverables });
    const { outcome } = expectOutcome(await turns(harness, hostile(name).card), "complete");
    return { desk: harness, outcome };
  }

  it("an agent's files are stored with safe names and their own formats, and the summary lists the others", async () => {
    // The SDK would read bytes with Buffer, which a deployed Worker does not have.
    vi.stubGlobal("Buffer", undefined);
    const { desk: harness, outcome } = await outcomeOf("files", ["table"]).finally(
      vi.unstubAllGlobals,
    );
    const files = outcome.deliverables.map(({ name, format, size }) => [name, format, size]);
    expect(files).toEqual([
      ["ete-final.csv", "text/csv; charset=utf-8", 8],
      ["ete-final-2.csv", "text/csv; charset=utf-8", 8],
      ["numbers.json", "application/json", expect.any(Number)],
      ["text.md", "text/markdown; charset=utf-8", 8],
      ["text.json", "application/json", 2],
      ["chart.png", "image/png", 9],
    ]);
    expect(harness.text("ete-final.csv")).toBe("a,b\n1,2\n");
    expect(harness.text("text.md")).toBe("one, two");
    expect(JSON.parse(harness.text("numbers.json"))).toEqual({
      raw: "kept as it is",
      list: [1, 2],
    });
    expect(outcome.result.summary.split("\n")).toEqual([
      "Six files.",
      "",
      "Not stored: broken.bin, whose bytes are not valid base64.",
      expect.stringMatching(
        /^Not stored: missing\.pdf, located at http:\/\/127\.0\.0\.1:\d+\/file\/missing\.$/,
      ),
      "Not stored: local.bin, located at file:///etc/passwd.",
    ]);
  });

  it("an outcome has at most fifty files and states how many were omitted", async () => {
    const { outcome } = await outcomeOf("many-files");
    expect(outcome.deliverables).toHaveLength(50);
    expect(outcome.result.summary).toContain("Not stored: 10 files above the limit of 50.");
  });

  it("a file larger than 10 MiB is not stored", async () => {
    const { outcome } = await outcomeOf("big-file");
    expect(outcome.deliverables).toEqual([]);
    expect(outcome.result.summary).toContain("Not stored: big.bin, which is larger than 10 MiB.");
  });

  it("data with the structure of a result becomes the result, without the invalid values", async () => {
    const { outcome } = await outcomeOf("result");
    expect(outcome).toMatchObject({
      result: { summary: "Counted.", insights: ["Many."], recommendations: ["Count on."] },
      quality: { score: 90, accuracy: 80, completeness: 70, clarity: 60 },
    });
    const odd = await outcomeOf("result-odd");
    expect(odd.outcome).toMatchObject({
      result: { summary: "Said.", insights: [], recommendations: ["Count on."] },
      quality: null,
    });
  });
});
