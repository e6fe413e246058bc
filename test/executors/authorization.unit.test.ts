import { describe, expect, it } from "vitest";
import { listAgentAuthorizations } from "../../src/executors/authorization.ts";
import { redactResponse, type LlmResponse } from "../../src/executors/llm/response.ts";
import { createRedactor } from "../../src/tools/model/redaction.ts";

function redactionFor(headers: Record<string, string>, apiKey: string | null = null) {
  return createRedactor(...listAgentAuthorizations({ apiKey, header: null, headers }));
}

describe("redaction of an agent's headers", () => {
  it.each([
    ["X-Team", "well"],
    ["X-Mode", "finish"],
    ["X-Title", "All done well, and on time"],
  ])("a plain value of the header %s is not masked in the model's text", (name, value) => {
    const text = `All done ${value}.`;
    expect(redactionFor({ [name]: value }).text(text)).toBe(text);
  });

  it.each([
    ["Authorization", "Basic aGk6aG8="],
    ["X-Auth", "short"],
    ["X-Signature", "short"],
    ["X-Team", "k3y-of-16-letters"],
    ["X-Upstream", "Bearer sk-live-0123456789abcdef"],
    ["X-Upstream", "token abc123"],
  ])("a credential in the header %s is masked", (name, value) => {
    expect(redactionFor({ [name]: value }).text(`It is ${value}.`)).toBe("It is ***.");
  });

  it("the name of an offered function is never masked, and the key in any other name is masked", () => {
    const call = { id: "1", input: "{}", signature: null };
    const response: LlmResponse = {
      text: "",
      reasoning: "",
      calls: [
        { ...call, name: "finish" },
        { ...call, name: "finish_now" },
      ],
      finishReason: "tool-calls",
      usage: null,
      characters: 0,
      error: null,
    };
    const masked = redactResponse(response, redactionFor({}, "finish"), [{ name: "finish" }]);
    expect(masked.calls.map(({ name }) => name)).toEqual(["finish", "***_now"]);
  });
});
