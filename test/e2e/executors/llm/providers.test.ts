import { describe, expect, it } from "vitest";
import type { ModelExecutorConfig } from "../../../../src/agents/model/agent.ts";
import { LlmTurnHarness, expectOutcome } from "../../../executors/llm/turn-harness.ts";
import { originOf } from "../../../support/server-tools.ts";
import { badTurn, calls, requestsOf, run, script, SECRET, turn } from "./fixtures.ts";

type Provider = Extract<ModelExecutorConfig["provider"], "anthropic" | "google">;

/** The paths, key header and output limit field of each protocol. */
const PROTOCOLS = {
  anthropic: {
    base: "/v1",
    path: () => "/v1/messages",
    key: "x-api-key",
    limit: (body: { max_tokens: number }) => body.max_tokens,
  },
  google: {
    base: "/v1beta",
    path: (model: string) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    key: "x-goog-api-key",
    limit: (body: { generationConfig: { maxOutputTokens: number } }) =>
      body.generationConfig.maxOutputTokens,
  },
} as const;
const PROVIDERS: readonly Provider[] = ["anthropic", "google"];

function executorOf(provider: Provider): Partial<ModelExecutorConfig> {
  return { provider, baseUrl: `${originOf("model")}${PROTOCOLS[provider].base}` };
}

function badExecutorOf(provider: Provider, how: string): Partial<ModelExecutorConfig> {
  return { provider, baseUrl: `${originOf("model")}/bad/${how}${PROTOCOLS[provider].base}` };
}

describe.each(PROVIDERS)("the provider %s", (provider) => {
  const protocol = PROTOCOLS[provider];
  const executor = executorOf(provider);

  it("a model uses its tools, writes files and finishes, turn by turn, over its provider's streaming API", async () => {
    const model = `${provider}-whole-way`;
    const usage = { input_tokens: 21, output_tokens: 9 };
    await script(model, [
      { ...calls(["atlas__lookup", { place: "Bergen" }]), content: "I look it up.", usage },
      { ...calls(["deliver_file", { name: "report.md", type: "report", content: "# Bergen" }]) },
      calls(["finish", { summary: "Bergen has rain." }]),
    ]);
    const harness = new LlmTurnHarness({ deliverables: ["report"] });
    const phases = await run(harness, model, { executor });
    expect(phases).toEqual(["used atlas/lookup", "wrote report.md", "complete"]);
    expect(harness.calls).toEqual([
      { toolId: "atlas", capability: "lookup", parameters: { place: "Bergen" } },
    ]);
    expect(harness.text("report.md")).toBe("# Bergen");
    const requests = await requestsOf(model);
    expect(requests).toHaveLength(3);
    for (const { url, headers, body } of requests) {
      expect(url).toBe(protocol.path(model));
      expect(headers[protocol.key]).toBe(SECRET.apiKey);
      expect(headers["authorization"]).toBeUndefined();
      expect(protocol.limit(body)).toBe(1_000);
    }
    const third = JSON.stringify(requests[2]?.body);
    expect(third).toContain("I look it up.");
    expect(third).toContain(String.raw`{\"ok\":true}`);
  });

  it("the usage reported by the endpoint is charged", async () => {
    const model = `${provider}-usage`;
    const usage =
      provider === "anthropic"
        ? { input_tokens: 21, output_tokens: 9 }
        : { promptTokenCount: 21, candidatesTokenCount: 9, totalTokenCount: 30 };
    await script(model, [{ content: "It rains.", usage }]);
    const outcome = expectOutcome(
      await turn(new LlmTurnHarness(), model, { executor }),
      "progress",
    );
    expect(outcome.use).toMatchObject({ inputTokens: 21, outputTokens: 9 });
  });

  it("no key header is sent if the agent has no key", async () => {
    const model = `${provider}-keyless`;
    await turn(new LlmTurnHarness(), model, { executor, secret: null });
    const [request] = await requestsOf(model);
    expect(Object.keys(request?.headers ?? {})).not.toContain(protocol.key);
  });

  it.each([
    ["401", "block"],
    ["404", "fail"],
    ["429", "again"],
    ["500", "again"],
    ["empty", "again"],
    [`${provider}-no-end`, "again"],
  ] as const)("the endpoint failure %s has the outcome '%s'", async (how, kind) => {
    const bad = { executor: badExecutorOf(provider, how) };
    const outcome = await badTurn(new LlmTurnHarness(), how, bad);
    expect(outcome.kind, JSON.stringify(outcome)).toBe(kind);
    expect(JSON.stringify(outcome)).not.toContain(SECRET.apiKey);
  });

  it("the model is used without streaming if its endpoint does not stream", async () => {
    const how = `${provider}-json`;
    const bad = { executor: badExecutorOf(provider, how) };
    const outcome = expectOutcome(await badTurn(new LlmTurnHarness(), how, bad), "complete");
    expect(outcome.outcome.result.summary).toBe("Done.");
    expect(outcome.use).toMatchObject({ inputTokens: 11, outputTokens: 7 });
    expect(await requestsOf(how)).toHaveLength(1);
  });
});

describe("provider-specific behaviour", () => {
  it("an error in Anthropic's stream is retried, and the reason is stated", async () => {
    const how = "anthropic-overloaded";
    const bad = { executor: badExecutorOf("anthropic", how) };
    const outcome = expectOutcome(await badTurn(new LlmTurnHarness(), how, bad), "again");
    expect(outcome.failure).toContain("Overloaded");
    expect(outcome.use).toBeUndefined();
  });

  it("if Google rejects a key with status 400, the task asks for a key", async () => {
    const bad = { executor: badExecutorOf("google", "google-key") };
    const outcome = expectOutcome(await badTurn(new LlmTurnHarness(), "google-key", bad), "block");
    expect(outcome).toMatchObject({ why: "auth" });
    expect(outcome.question).toContain("API key not valid");
  });
});

describe("an endpoint that needs more than a key", () => {
  it("each request contains the base URL's query and the agent's extra headers", async () => {
    const secret = { ...SECRET, headers: { "X-Team": "harbour-s3cret", "Api-Version": "7" } };
    const baseUrl = `${originOf("model")}/v1/?api-version=2026-01-01&region=north%20sea`;
    await turn(new LlmTurnHarness(), "with-query", { executor: { baseUrl }, secret });
    const [request] = await requestsOf("with-query");
    expect(request?.url).toBe("/v1/chat/completions?api-version=2026-01-01&region=north+sea");
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${SECRET.apiKey}`,
      "x-team": "harbour-s3cret",
      "api-version": "7",
    });
  });

  it("the base URL's query is combined with the provider's own", async () => {
    const baseUrl = `${originOf("model")}/v1beta?tier=2`;
    await turn(new LlmTurnHarness(), "google-query", { executor: { provider: "google", baseUrl } });
    const [request] = await requestsOf("google-query");
    expect(request?.url).toBe("/v1beta/models/google-query:streamGenerateContent?alt=sse&tier=2");
  });

  it("extra headers are sent without a key", async () => {
    const secret = { apiKey: null, header: null, headers: { Authorization: "Basic aGk6aG8=" } };
    await turn(new LlmTurnHarness(), "only-headers", { secret });
    const [request] = await requestsOf("only-headers");
    expect(request?.headers["authorization"]).toBe("Basic aGk6aG8=");
  });

  it("extra header values are masked in the endpoint's responses", async () => {
    const secret = { apiKey: null, header: null, headers: { "X-Key": "another-secret-456" } };
    for (const how of ["tells-the-key", "401", "error-event", "json-error"]) {
      const outcome = await badTurn(new LlmTurnHarness(), how, { secret });
      expect(JSON.stringify(outcome)).not.toContain("another-secret-456");
      expect(JSON.stringify(outcome)).toContain("***");
    }
  });
});

describe("an endpoint that rejects a parameter", () => {
  it("if an endpoint rejects the token limit's name, the other name is sent, and sent first in later turns", async () => {
    const executor = { baseUrl: `${originOf("model")}/bad/new-limit/v1` };
    for (let turns = 0; turns < 2; turns += 1) {
      const outcome = expectOutcome(
        await turn(new LlmTurnHarness(), "new-limit-model", { executor }),
        "progress",
      );
      expect(outcome.use).toMatchObject({ inputTokens: 11, outputTokens: 7 });
    }
    const limits = (await requestsOf("new-limit")).map(({ body }) => [
      body.max_tokens,
      body.max_completion_tokens,
    ]);
    expect(limits).toEqual([
      [1_000, undefined],
      [undefined, 1_000],
      [undefined, 1_000],
    ]);
  });

  it("after an endpoint rejects streaming, it is called without it", async () => {
    const executor = { baseUrl: `${originOf("model")}/bad/no-streaming/v1` };
    for (let turns = 0; turns < 2; turns += 1) {
      const outcome = await turn(new LlmTurnHarness(), "no-streaming-model", { executor });
      expect(expectOutcome(outcome, "complete").use).toMatchObject({ inputTokens: 11 });
    }
    const forms = (await requestsOf("no-streaming")).map(({ body }) => [
      body.stream,
      body.stream_options !== undefined,
    ]);
    expect(forms).toEqual([
      [true, true],
      [true, false],
      [undefined, false],
      [undefined, false],
    ]);
  });

  it("a request is adjusted only once, and a persistent error ends the attempt", async () => {
    const { error } = expectOutcome(await badTurn(new LlmTurnHarness(), "no-limit"), "fail");
    expect(error.message).toContain("Unsupported parameter");
    expect(await requestsOf("no-limit")).toHaveLength(2);
  });

  it("a request is not repeated if the endpoint rejects the value rather than the parameter", async () => {
    const { error } = expectOutcome(await badTurn(new LlmTurnHarness(), "low-limit"), "fail");
    expect(error.message).toContain("max_tokens is too large: 1000.");
    expect(await requestsOf("low-limit")).toHaveLength(1);
  });
});
