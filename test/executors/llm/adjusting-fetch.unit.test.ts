import { describe, expect, it } from "vitest";
import { createAdjustingFetch } from "../../../src/executors/llm/provider.ts";

type Body = Readonly<Record<string, unknown>>;

/** An endpoint that rejects a body with the message that `refuse` returns, and the bodies that it received. */
function endpointOf(refuse: (body: Body) => string | null) {
  const sent: Body[] = [];
  const send = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const body: Body = JSON.parse(String(init?.body));
    sent.push(body);
    const rejection = refuse(body);
    return rejection === null ? new Response("{}") : new Response(rejection, { status: 400 });
  };
  return { sent, send };
}

async function ask(send: typeof fetch, body: Body): Promise<Response> {
  return send("https://example.com/v1", { method: "POST", body: JSON.stringify(body) });
}

const refuseNew = (body: Body) =>
  "max_completion_tokens" in body ? "Unknown parameter: max_completion_tokens" : null;
const refuseOld = (body: Body) =>
  "max_tokens" in body ? "max_tokens is not supported with this model" : null;

describe("a request that is adjusted after an endpoint's error", () => {
  it("a request uses the older name of the token limit if the endpoint rejects the newer one", async () => {
    const { sent, send } = endpointOf(refuseNew);
    const response = await ask(createAdjustingFetch(send, "older"), { max_completion_tokens: 7 });
    expect(response.status).toBe(200);
    expect(sent).toEqual([{ max_completion_tokens: 7 }, { max_tokens: 7 }]);
  });

  it("an adjustment is undone if the endpoint has changed", async () => {
    const first = endpointOf(refuseOld);
    await ask(createAdjustingFetch(first.send, "changing"), { max_tokens: 7 });
    const second = endpointOf(refuseNew);
    const response = await ask(createAdjustingFetch(second.send, "changing"), { max_tokens: 7 });
    expect(response.status).toBe(200);
    expect(second.sent).toEqual([{ max_completion_tokens: 7 }, { max_tokens: 7 }]);
    const third = endpointOf(refuseNew);
    await ask(createAdjustingFetch(third.send, "changing"), { max_tokens: 7 });
    expect(third.sent).toEqual([{ max_tokens: 7 }]);
  });

  it("a request is sent at most four times, and the last error is returned", async () => {
    const words = "max_tokens, max_completion_tokens, stream_options, stream: unsupported";
    const { sent, send } = endpointOf(() => words);
    const body = { max_tokens: 7, stream: true, stream_options: {} };
    const response = await ask(createAdjustingFetch(send, "never"), body);
    expect(response.status).toBe(400);
    expect(await response.text()).toBe(words);
    expect(sent).toHaveLength(4);
  });

  it("adjustments apply only to one endpoint and model, and nothing is learned from a failure", async () => {
    const refusing = endpointOf(() => "max_tokens is unsupported");
    await ask(createAdjustingFetch(refusing.send, "one"), { max_tokens: 7 });
    for (const name of ["one", "another"]) {
      const { sent, send } = endpointOf(() => null);
      await ask(createAdjustingFetch(send, name), { max_tokens: 7 });
      expect(sent).toEqual([{ max_tokens: 7 }]);
    }
  });

  it("if an endpoint rejects both names for the token limit, its first error is returned", async () => {
    const first = "max_tokens is not permitted for this key";
    const { sent, send } = endpointOf((body) =>
      "max_tokens" in body
        ? first
        : "Unrecognized request argument supplied: max_completion_tokens",
    );
    const response = await ask(createAdjustingFetch(send, "neither"), { max_tokens: 7 });
    expect([response.status, await response.text()]).toEqual([400, first]);
    expect(sent).toHaveLength(2);
  });

  it("the last error is returned if the endpoint accepts the other name but rejects the value", async () => {
    const second = "max_completion_tokens is too large: 200000, at most 100000 are supported";
    const { send } = endpointOf((body) =>
      "max_tokens" in body ? "Use 'max_completion_tokens' instead of max_tokens" : second,
    );
    const response = await ask(createAdjustingFetch(send, "bounded"), { max_tokens: 200_000 });
    expect([response.status, await response.text()]).toEqual([400, second]);
  });

  it.each([
    "max_tokens must be at most 512",
    "max_tokens 4096 is not allowed for this model, at most 1024",
    "Unsupported value: max_tokens is too large",
    "The model does not exist",
    "Unsupported value: temperature",
    "max_tokens must be an integer",
    "The stream could not be opened",
  ])("a request is not repeated after any other error: %s", async (error) => {
    const { sent, send } = endpointOf(() => error);
    const response = await ask(createAdjustingFetch(send, "other"), {
      max_tokens: 7,
      stream: true,
    });
    expect(await response.text()).toBe(error);
    expect(sent).toHaveLength(1);
  });
});
