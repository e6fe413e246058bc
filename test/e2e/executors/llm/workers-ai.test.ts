import { describe, expect, it } from "vitest";
import { LlmTurnHarness, expectOutcome } from "../../../executors/llm/turn-harness.ts";
import { turn } from "./fixtures.ts";

const EXECUTOR = {
  executor: { provider: "workers-ai", baseUrl: null } as const,
  secret: null,
};
const MODEL = "@cf/meta/llama-4-scout-17b-16e-instruct";

/**
 * Fakes Workers AI, which has no local runtime because the binding needs an account. Like the
 * binding's own `run`, the fake returns server-sent events in the models' format, or an error.
 */
function binding(run: (model: string, inputs: object) => Promise<unknown>): Ai {
  return { run } as unknown as Ai;
}

function streamed(...chunks: readonly object[]): ReadableStream<Uint8Array> {
  const lines = [...chunks.map((one) => JSON.stringify(one)), "[DONE]"];
  return new Blob(lines.map((line) => `data: ${line}\n\n`)).stream();
}

const USED = { usage: { prompt_tokens: 30, completion_tokens: 5, total_tokens: 35 } };

describe("a model on Workers AI", () => {
  it("a model without the AI binding gets an error that says how to add it", async () => {
    const { error } = expectOutcome(await turn(new LlmTurnHarness(), MODEL, EXECUTOR), "fail");
    expect(error.code).toBe("AGENT_ERROR");
    expect(error.message).toContain('Add binding = "AI" under [ai]');
  });

  it("a model on Workers AI calls tools over the binding's stream", async () => {
    const asked: [string, object][] = [];
    const ai = binding(async (model, inputs) => {
      asked.push([model, inputs]);
      return streamed(
        { response: "I look it up." },
        {
          tool_calls: [
            {
              index: 0,
              id: "c1",
              type: "function",
              function: { name: "atlas__lookup", arguments: '{"place":' },
            },
          ],
        },
        { tool_calls: [{ index: 0, function: { arguments: '"Bergen"}' } }] },
        { response: "", ...USED },
      );
    });
    const harness = new LlmTurnHarness();
    const outcome = expectOutcome(await turn(harness, MODEL, { ...EXECUTOR, ai }), "progress");
    expect(outcome.phase).toBe("used atlas/lookup");
    expect(outcome.use).toEqual({ inputTokens: 30, outputTokens: 5, cost: 0.00005 });
    expect(harness.calls[0]?.parameters).toEqual({ place: "Bergen" });
    expect(asked[0]).toMatchObject([MODEL, { stream: true, max_tokens: 1_000 }]);
    const [, inputs] = asked[0] ?? [];
    expect(JSON.stringify(inputs)).toContain("atlas__lookup");
  });

  it("a model on Workers AI may respond without a stream", async () => {
    const call = { name: "finish", arguments: { summary: "Done." } };
    const ai = binding(async () => ({ response: "", tool_calls: [call], ...USED }));
    const outcome = expectOutcome(
      await turn(new LlmTurnHarness(), MODEL, { ...EXECUTOR, ai }),
      "complete",
    );
    expect(outcome.outcome.result.summary).toBe("Done.");
  });

  it("a turn is repeated if Workers AI is out of capacity, but not if the model is unknown", async () => {
    const busy = binding(() =>
      Promise.reject(new Error("3040: Capacity temporarily exceeded, please try again.")),
    );
    const again = expectOutcome(
      await turn(new LlmTurnHarness(), MODEL, { ...EXECUTOR, ai: busy }),
      "again",
    );
    expect(again.failure).toContain("3040");
    const unknown = binding(() => Promise.reject(new Error("5007: No such model")));
    const { error } = expectOutcome(
      await turn(new LlmTurnHarness(), MODEL, { ...EXECUTOR, ai: unknown }),
      "fail",
    );
    expect(error.message).toContain("No such model");
  });

  it("a turn ends at its timeout even if the AI binding never responds", async () => {
    const ai = binding(() => new Promise(() => {}));
    const signal = AbortSignal.timeout(200);
    const outcome = expectOutcome(
      await turn(new LlmTurnHarness(), MODEL, { ...EXECUTOR, ai, signal }),
      "again",
    );
    expect(outcome.failure).toContain("did not finish");
  });

  it("an endless response from the AI binding is cut off at the size limit", async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = `data: ${JSON.stringify({ response: "x".repeat(64 * 1024) })}\n\n`;
        controller.enqueue(new TextEncoder().encode(chunk));
      },
    });
    const ai = binding(async () => endless);
    const outcome = expectOutcome(
      await turn(new LlmTurnHarness(), MODEL, { ...EXECUTOR, ai }),
      "again",
    );
    expect(outcome.failure).toContain("more than 4194304 bytes");
  });
});
