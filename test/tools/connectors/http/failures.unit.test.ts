import { describe, expect, it } from "vitest";
import {
  HTTP_METHODS,
  type Connector,
  type CapabilityOperation,
} from "../../../../src/tools/model/connector.ts";
import type { EgressFailure } from "../../../../src/platform/egress/contract.ts";
import { toWireError } from "../../../../src/http/to-wire-error.ts";
import {
  upstreamHealthOf,
  isSafeCall,
  type ConnectorCall,
} from "../../../../src/tools/connectors/dispatch.ts";
import type { ConnectorFailure } from "../../../../src/tools/connectors/contract.ts";
import {
  createPermanentUpstreamFailure,
  createTransientUpstreamFailure,
  createUnsendableRequestFailure,
  toConnectorFailure,
  toToolFailure,
  type UpstreamCallContext,
} from "../../../../src/tools/connectors/connector-failure.ts";

const READING: UpstreamCallContext = { isSafe: true, credentialType: null };
const WRITING: UpstreamCallContext = { isSafe: false, credentialType: null };
const TIMEOUT: ConnectorFailure = { kind: "timeout", timeoutMs: 700, hadNoEffect: false };
const PLACE = { headers: {}, timeoutMs: 700, credential: null };
const HTTP: Connector = { type: "http", baseUrl: "https://api.example.com", ...PLACE };
const MCP: Connector = { type: "mcp", url: "https://api.example.com/mcp", ...PLACE };

function work(connector: Connector, operation: CapabilityOperation | null): ConnectorCall {
  return { toolId: "t", capability: "c", parameters: {}, connector, operation };
}

function wireErrorOf(failure: ConnectorFailure, called: UpstreamCallContext | null) {
  return toWireError(toToolFailure("t", failure, called));
}

describe("repeating a call", () => {
  it("GET, HEAD and built-in calls are safe to repeat; other methods and remote MCP tools are not", () => {
    const safe = HTTP_METHODS.filter((method) =>
      isSafeCall(work(HTTP, { type: "http", request: { method, path: "/" } })),
    );
    expect(safe).toEqual(["GET", "HEAD"]);
    expect(isSafeCall(work({ type: "builtin" }, null))).toBe(true);
    expect(isSafeCall(work(MCP, { type: "mcp", tool: "greet" }))).toBe(false);
  });

  it.each<
    [
      string,
      ConnectorFailure,
      UpstreamCallContext | null,
      retryable: boolean,
      mayHaveExecuted: boolean,
    ]
  >([
    ["a transient failure, reading", createTransientUpstreamFailure("it …"), READING, true, false],
    ["a transient failure, importing", createTransientUpstreamFailure("it …"), null, true, false],
    ["a transient failure, writing", createTransientUpstreamFailure("it …"), WRITING, false, true],
    [
      "a transient failure before anything was sent",
      { ...createTransientUpstreamFailure("it …"), hadNoEffect: true },
      WRITING,
      true,
      false,
    ],
    ["a permanent failure, reading", createPermanentUpstreamFailure("it …"), READING, false, false],
    ["a permanent failure, writing", createPermanentUpstreamFailure("it …"), WRITING, false, true],
    ["an unsendable request", createUnsendableRequestFailure("it …"), WRITING, false, false],
    ["a timeout, reading", TIMEOUT, READING, true, false],
    ["a timeout, importing", TIMEOUT, null, true, false],
    ["a timeout, writing", TIMEOUT, WRITING, false, true],
    ["a timeout before the call", { ...TIMEOUT, hadNoEffect: true }, WRITING, true, false],
  ])(
    "an error says whether it is retryable and whether the call may have been executed: %s",
    (_, failure, called, retryable, mayHaveExecuted) => {
      const wire = wireErrorOf(failure, called);
      expect(wire.retryable).toBe(retryable);
      expect(wire.message.includes("may have been executed")).toBe(mayHaveExecuted);
    },
  );

  it("an error that is not retryable has no Retry-After header", () => {
    const asked = { ...createTransientUpstreamFailure("it …"), retryAfterSeconds: 7 };
    expect(wireErrorOf(asked, READING).headers).toEqual({ "Retry-After": "7" });
    expect(wireErrorOf(asked, WRITING).headers).toBeUndefined();
  });
});

describe("a call that fails because names cannot be resolved", () => {
  const OUTAGE: EgressFailure = { kind: "unreachable", reason: "r", isResolverOutage: true };

  it("a call during a resolver outage gets 503, unless it may have been executed before a redirect", () => {
    const unsent = toConnectorFailure({ ...OUTAGE, isUnsent: true });
    for (const called of [READING, WRITING]) {
      expect(wireErrorOf(unsent, called)).toMatchObject({ status: 503, retryable: true });
    }
    expect(wireErrorOf(toConnectorFailure(OUTAGE), READING).status).toBe(503);
    expect(wireErrorOf(toConnectorFailure(OUTAGE), WRITING)).toMatchObject({
      status: 502,
      retryable: false,
    });
  });

  it("a resolver outage does not count towards the circuit breaker", () => {
    expect(upstreamHealthOf(work(HTTP, null), toConnectorFailure(OUTAGE))).toBe("unknown");
  });
});

describe("a rejected credential", () => {
  it.each([
    [null, "Set credentials with PUT /agents/tools/t/credentials."],
    ["api-key", "Set credentials with PUT /agents/tools/t/credentials."],
    [
      "oauth-authorization-code",
      "Connect the tool again with POST /agents/tools/t/credentials/connect.",
    ],
  ] as const)(
    "the error for a rejected credential of type %s says what to do",
    (credentialType, advice) => {
      const details = { status: 401, body: "expired" };
      const failure: ConnectorFailure = {
        kind: "unauthorized",
        reason: "it answered HTTP 401.",
        details,
      };
      expect(wireErrorOf(failure, { isSafe: true, credentialType })).toMatchObject({
        status: 424,
        message: `Tool "t" cannot authenticate: it answered HTTP 401. ${advice}`,
        context: details,
      });
      expect(wireErrorOf(failure, null).message).not.toContain("PUT");
    },
  );
});

describe("the health of the upstream system", () => {
  it("only transient failures count against the health of the upstream system", () => {
    const of = (failure: ConnectorFailure) => upstreamHealthOf(work(HTTP, null), failure);
    expect([createTransientUpstreamFailure("it …"), TIMEOUT].map(of)).toEqual([
      "unhealthy",
      "unhealthy",
    ]);
    expect(
      [createPermanentUpstreamFailure("it …"), createUnsendableRequestFailure("it …")].map(of),
    ).toEqual(["healthy", "unknown"]);
  });

  it.each<[EgressFailure, object]>([
    [
      { kind: "unreachable", reason: "reset" },
      { isTransient: true, hadNoEffect: false },
    ],
    [
      { kind: "unreachable", reason: "no name", isUnsent: true },
      { isTransient: true, hadNoEffect: true },
    ],
    [
      { kind: "too_large", bytesMax: 9 },
      { isTransient: false, hadNoEffect: false },
    ],
    [
      { kind: "rejected", because: "redirect", url: "https://b.example", reason: "is no place" },
      { isTransient: false, reason: "it leads to https://b.example, which is no place." },
    ],
    [
      { kind: "rejected", because: "address", url: "https://b.example", reason: "is private" },
      { kind: "rejected_address", url: "https://b.example", reason: "is private" },
    ],
  ])("the egress failure %j becomes the matching connector failure", (failure, expected) => {
    expect(toConnectorFailure(failure)).toMatchObject(expected);
  });
});
