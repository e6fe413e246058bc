import { describe, expect, it } from "vitest";
import { onTheWire } from "../../../src/http/failure.ts";
import { isPassing, tokenFailure } from "../../../src/tools/credentials/failures.ts";
import { faultOfEgress } from "../../../src/tools/credentials/token-fault.ts";

const CLIENT = {
  type: "oauth-client-credentials",
  clientSecret: "the-secret",
  clientAuthentication: "basic",
} as const;

describe("a token endpoint that does not answer in time", () => {
  const fault = faultOfEgress({ kind: "timeout", timeoutMs: 10_000 });
  const failure = tokenFailure("harbour", CLIENT, fault);

  it("is told as the token endpoint's doing, and may be tried again", () => {
    const wire = onTheWire(failure);
    expect(wire).toMatchObject({ status: 502, code: "TOOL_UPSTREAM_ERROR", retryable: true });
    expect(wire.message).toBe(
      'Tool "harbour" failed: its token endpoint did not answer within 10000 ms.',
    );
  });

  it("leaves a token in its last minute in use", () => {
    expect(isPassing(failure)).toBe(true);
  });
});
