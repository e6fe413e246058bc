import { describe, expect, it } from "vitest";
import { toWireError } from "../../../src/http/to-wire-error.ts";
import {
  isTransientCredentialFailure,
  createTokenFailure,
} from "../../../src/tools/credentials/credential-failures.ts";
import { classifyTokenEgress } from "../../../src/tools/credentials/oauth-token.ts";

const CLIENT = {
  type: "oauth-client-credentials",
  clientSecret: "the-secret",
  clientAuthentication: "basic",
} as const;

describe("a token endpoint that does not respond in time", () => {
  const egressFailure = classifyTokenEgress({ kind: "timeout", timeoutMs: 10_000 });
  const failure = createTokenFailure("harbour", CLIENT, egressFailure);

  it("the timeout of a token endpoint is reported as the endpoint's failure and is retryable", () => {
    const wire = toWireError(failure);
    expect(wire).toMatchObject({ status: 502, code: "TOOL_UPSTREAM_ERROR", retryable: true });
    expect(wire.message).toBe(
      'Tool "harbour" failed: its token endpoint did not respond within 10000 ms.',
    );
  });

  it("the timeout of a token endpoint is a transient credential failure", () => {
    expect(isTransientCredentialFailure(failure)).toBe(true);
  });
});
