import { describe, expect, it } from "vitest";
import { isCredentialName } from "../../src/agents/credential-name.ts";
import { secretsOf } from "../../src/agents/executors/authorisation.ts";
import { redacted, type Heard } from "../../src/agents/executors/model/answer.ts";
import { redactionOf } from "../../src/secrets/redact.ts";

function redactionFor(headers: Record<string, string>, apiKey: string | null = null) {
  return redactionOf(...secretsOf({ apiKey, header: null, headers }));
}

describe("redaction of an agent's headers", () => {
  it.each([
    ["X-Team", "well"],
    ["X-Mode", "finish"],
    ["X-Title", "All done well, and on time"],
  ])("a plain value of %s stays in the model's words", (name, value) => {
    const said = `All done ${value}.`;
    expect(redactionFor({ [name]: value }).text(said)).toBe(said);
  });

  it.each([
    ["Authorization", "Basic aGk6aG8="],
    ["X-Auth", "short"],
    ["X-Signature", "short"],
    ["X-Team", "k3y-of-16-letters"],
  ])("a credential in %s is masked", (name, value) => {
    expect(redactionFor({ [name]: value }).text(`It is ${value}.`)).toBe("It is ***.");
  });

  it("the name of an offered function is never masked, and the key in any other name is masked", () => {
    const call = { id: "1", input: "{}", signature: null };
    const heard: Heard = {
      text: "",
      reasoning: "",
      calls: [
        { ...call, name: "finish" },
        { ...call, name: "finish_now" },
      ],
      finish: "tool-calls",
      usage: null,
      characters: 0,
      error: null,
    };
    const masked = redacted(heard, redactionFor({}, "finish"), [{ name: "finish" }]);
    expect(masked.calls.map(({ name }) => name)).toEqual(["finish", "***_now"]);
  });
});

describe("names of credentials", () => {
  it.each(["auth", "jwt", "X-Amz-Signature", "X-Amz-Credential", "accessToken", "clientSecret"])(
    "%s is the name of a credential",
    (name) => expect(isCredentialName(name)).toBe(true),
  );
  it.each(["api-version", "region", "tier", "X-Team", "keyspace", "max_tokens", "author"])(
    "%s is not the name of a credential",
    (name) => expect(isCredentialName(name)).toBe(false),
  );
});
