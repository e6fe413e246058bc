import { describe, expect, it } from "vitest";
import type { ConnectorFailure } from "../../../../src/tools/connectors/contract.ts";
import { call, expectFailure, hostile, visited, expectValue } from "../mcp-servers.ts";

const FINE = { content: [{ type: "text", text: "fine" }] };

interface ResponseDetails {
  readonly hadNoEffect?: boolean;
  readonly retryAfterSeconds?: number;
  readonly details?: object;
  readonly publicReason?: string;
  readonly isResolverOutage?: boolean;
}

function broken(
  isTransient: boolean,
  reason: string | RegExp,
  details: ResponseDetails = {},
): object {
  return {
    kind: "upstream",
    reason: typeof reason === "string" ? reason : expect.stringMatching(reason),
    isTransient,
    hadNoEffect: false,
    retryAfterSeconds: null,
    details: null,
    ...details,
  };
}

const unhealthy = broken.bind(null, true);
const lasting = broken.bind(null, false);
/** Marks failures that occur before the tool is called. */
const UNDONE = { hadNoEffect: true };
/** The reasons shown to clients, which contain no addresses. */
const REDIRECTED = {
  ...UNDONE,
  publicReason: "it redirects to another server. Such redirects are not followed.",
};
const UNREACHABLE = { publicReason: "it cannot be reached.", isResolverOutage: false };

function rejected(reason: string, details: object): object {
  return { kind: "rejected", reason, details };
}

function detailsOf(status: number, body: string | null = null): { details: object } {
  return { details: { status, body } };
}

const INSTEAD = /^its response is neither JSON nor an event stream\.$/;
const NO_MESSAGE = "it ended its response without replying to the request.";
const NO_END = "it did not finish within 50 requests.";
const NOT_MCP = "it does not respond like an MCP server.";
const BAD_RESULT = "its result does not have the structure that MCP requires.";
const TOO_LARGE = "it returned more than 1048576 bytes.";
const GONE = "(Import the server again to update its tools.)";

const FAILURES: readonly (readonly [path: string, failure: object])[] = [
  ["html", lasting(INSTEAD, UNDONE)],
  ["html-call", lasting(INSTEAD)],
  ["wrong-content-type", lasting(INSTEAD)],
  [
    "500",
    unhealthy("it returned HTTP 500.", { ...UNDONE, ...detailsOf(500, "Internal Server Error") }),
  ],
  ["500-call", unhealthy("it returned HTTP 500.", detailsOf(500))],
  [
    "503-call",
    unhealthy("it returned HTTP 503.", { ...UNDONE, retryAfterSeconds: 7, ...detailsOf(503) }),
  ],
  [
    "401",
    { kind: "unauthorized", reason: "it requires a credential (HTTP 401).", ...detailsOf(401) },
  ],
  [
    "403",
    {
      kind: "unauthorized",
      reason: "it requires a credential (HTTP 403).",
      ...detailsOf(403),
      isFinal: true,
    },
  ],
  [
    "404",
    lasting("it returned HTTP 404, so there is no Streamable HTTP MCP server at its address.", {
      ...UNDONE,
      ...detailsOf(404),
    }),
  ],
  ["lies-types", lasting(BAD_RESULT)],
  ["lies-content", lasting(BAD_RESULT)],
  ["lies-initialize", lasting(BAD_RESULT, UNDONE)],
  ["old-revision", lasting("it uses an unsupported MCP version.", UNDONE)],
  ["not-json-rpc", lasting(NOT_MCP)],
  ["bad-json", lasting("its response is not JSON.")],
  ["wrong-id", unhealthy(NO_MESSAGE)],
  ["no-answer", unhealthy(NO_MESSAGE)],
  ["stream-ends", unhealthy(NO_MESSAGE)],
  ["stream-garbage", unhealthy(NO_MESSAGE)],
  ["resumes-never", lasting(NO_END)],
  ["reset", unhealthy(/^it cannot be reached: the connection to .+ failed\.$/, UNREACHABLE)],
  ["reset-midway", unhealthy(/was interrupted|cannot be reached/, UNREACHABLE)],
  ["huge", lasting(TOO_LARGE)],
  ["huge-stream", lasting(TOO_LARGE)],
  ["bomb", lasting(TOO_LARGE)],
  ["deep", lasting("its result is nested more than 100 levels deep.")],
  ["asks-for-ever", lasting(NO_END)],
  ["rpc-internal", unhealthy("it returned error -32603: Internal error.")],
  ["rpc-parameters", rejected("Invalid params: name must be a string", { code: -32602 })],
  ["rpc-parameters-400", rejected("Invalid params: name is required", { code: -32602 })],
  ["rpc-unknown-tool", rejected(`Unknown tool: greet ${GONE}`, { code: -32602 })],
  ["rpc-method", rejected(`Method not found ${GONE}`, { code: -32601 })],
  [
    "error-result",
    rejected("The harbour is closed.", {
      content: [{ type: "text", text: "The harbour is closed." }],
    }),
  ],
  ["error-silent", rejected("the tool reported an error without a message.", { content: [] })],
  [
    "modern-asks",
    rejected("the tool asked its caller for more input, which is not supported.", {}),
  ],
  [
    "redirect-private",
    lasting(
      /redirects to http:\/\/10\.1\.2\.3\/mcp\. Redirects to another server are not followed/,
      REDIRECTED,
    ),
  ],
  ["redirect-loop", lasting(/redirects to http:\/\/127\.0\.0\.1:\d+\/redirect-loop/, REDIRECTED)],
];

describe("an MCP server that misbehaves", () => {
  for (const [path, failure] of FAILURES) {
    it(`a server that misbehaves (${path}) fails the call before its deadline, and the next call succeeds`, async () => {
      expect(expectFailure(await call(hostile(path), "greet"))).toEqual(failure);
      expect(expectValue(await call(hostile("good"), "greet"))).toEqual(FINE);
    });
  }

  for (const path of ["hang", "hang-call", "drip"]) {
    it(`a call to a server that hangs (${path}) ends at its deadline, and the next call succeeds`, async () => {
      const startedAt = Date.now();
      const failure = expectFailure(await call(hostile(path), "greet", { timeoutMs: 400 }));
      expect(failure).toEqual({ kind: "timeout", timeoutMs: 400, hadNoEffect: path === "hang" });
      expect(Date.now() - startedAt).toBeLessThan(3_000);
      expect(expectValue(await call(hostile("good"), "greet"))).toEqual(FINE);
    });
  }

  it("a long error from a server is truncated in the result of the call", async () => {
    const failure = expectFailure(await call(hostile("error-huge"), "greet"));
    expect(failure).toMatchObject({
      kind: "rejected",
      reason: expect.stringMatching(/^closed .+…$/),
    });
    expect(JSON.stringify(failure).length).toBeLessThan(3_000);
  });

  it("a call fails if the server is unreachable, or its address or headers are invalid", async () => {
    expect(expectFailure(await call("http://127.0.0.1:9/mcp", "greet"))).toEqual(
      unhealthy(/^it cannot be reached: /, { ...UNDONE, ...UNREACHABLE }),
    );
    expect(expectFailure(await call("not a url", "greet"))).toMatchObject({
      kind: "rejected_address",
    });
    const headers = { "X-Ship": "Aurora\nX-Evil: 1" };
    expect(expectFailure(await call(hostile("good"), "greet", { headers }))).toEqual(
      lasting(/characters that are not allowed in HTTP headers/, UNDONE),
    );
  });
});

describe("the conversation with an MCP server", () => {
  it("a session is closed after use and opens no separate stream", async () => {
    const { url, seen } = visited("stream");
    await call(url, "greet");
    expect(await seen()).toEqual([
      "server/discover",
      "initialize",
      "notifications/initialized",
      "tools/call",
      "DELETE",
    ]);
  });

  it("a call that times out is cancelled on the server", async () => {
    const { url, seen } = visited("hang-call");
    await call(url, "greet", { timeoutMs: 300 });
    expect((await seen()).slice(3).toSorted()).toEqual([
      "DELETE",
      "notifications/cancelled",
      "tools/call",
    ]);
  });

  it("the client uses revision 2026-07-28, without a session, if the server supports it", async () => {
    const { url, seen } = visited("modern");
    const parameters = { name: "Zoë" };
    expect(expectValue(await call(url, "greet", { parameters }))).toEqual({
      content: [{ type: "text", text: "Hello, Zoë" }],
      structuredContent: ["any", { json: true }, "2026-07-28"],
    });
    expect(await seen()).toEqual(["server/discover", "tools/call"]);
  });

  it("parameters are repeated as headers if the server's tool list says so (2026-07-28)", async () => {
    const { url, seen } = visited("modern-headers");
    const outcome = await call(url, "greet", { parameters: { name: "Zoë" } });
    expect(expectValue(outcome)["content"]).toEqual([{ type: "text", text: "Hello, Zoë" }]);
    expect(await seen()).toEqual(["server/discover", "tools/call", "tools/list", "tools/call"]);
  });

  it("the client declines the server's requests and responds to its ping", async () => {
    const content = [{ type: "text", text: "-32601 -32601 -32601 {}" }];
    expect(expectValue(await call(hostile("asks"), "greet"))).toEqual({ content });
  });

  it("a stream that the server closed is resumed", async () => {
    const { url, seen } = visited("resumes");
    expect(expectValue(await call(url, "greet"))).toEqual(FINE);
    expect(await seen()).toContain("GET");
  });
});

describe("a credential", () => {
  const inHeader = {
    in: "header",
    name: "Authorization",
    value: "Bearer top-secret-token",
  } as const;
  const inQuery = { in: "query", name: "key", value: "top secret&token" } as const;

  it("a credential is sent with every request, in a header or the query, and after redirects within the server", async () => {
    for (const [path, authorization] of [
      ["header-key", inHeader],
      ["query-key", inQuery],
      ["redirect-own", inHeader],
    ] as const) {
      expect(expectValue(await call(hostile(path), "greet", { authorization }))).toEqual(FINE);
    }
  });

  it("a wrong credential is reported as rejected", async () => {
    const authorization = { ...inHeader, value: "Bearer another-token" };
    expect(expectFailure(await call(hostile("header-key"), "greet", { authorization }))).toEqual({
      kind: "unauthorized",
      reason: "it rejected the credential (HTTP 401).",
      ...detailsOf(401),
    });
  });

  it("a credential that the server repeats is masked in results and errors", async () => {
    const texts: string[] = [];
    for (const authorization of [inHeader, inQuery]) {
      for (const path of ["echo-error", "echo-rpc"]) {
        const failure: ConnectorFailure = expectFailure(
          await call(hostile(path), "greet", { authorization }),
        );
        expect(failure).toMatchObject({ kind: "rejected", reason: "You sent ***" });
        texts.push(JSON.stringify(failure));
      }
      const result = expectValue(await call(hostile("echo-result"), "greet", { authorization }));
      expect(result["structuredContent"]).toEqual({ "You sent ***": ["You sent ***"] });
      texts.push(JSON.stringify(result));
    }
    expect(texts.join(" ")).not.toMatch(/top.secret|token/);
  });
});
