import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createExchangeChecker, type Exchange } from "../../support/check-exchange.ts";

const judge = createExchangeChecker(JSON.parse(readFileSync("dist/assets/openapi.json", "utf8")));
const METADATA = { requestId: "mine", timestamp: "2030-01-31T12:00:00.000Z" };
const HEADERS = { "Content-Type": "application/json", "X-Request-Id": "mine" };

function exchange({
  body = { success: true, data: { status: "ok" }, metadata: METADATA },
  headers = HEADERS,
  ...more
}: Partial<Omit<Exchange, "headers">> & {
  body?: object;
  headers?: Record<string, string>;
}): Exchange {
  return {
    method: "GET",
    path: "/health",
    status: 200,
    headers: new Headers(headers),
    text: JSON.stringify(body),
    ...more,
  };
}

const errorBody = (code: string, more: object = {}): object => ({
  success: false,
  error: { code, message: "No.", retryable: false, ...more },
  metadata: METADATA,
});

describe("the check of responses against the document", () => {
  it("the check finds no problem in a valid response", () => {
    expect(judge(exchange({}))).toEqual([]);
    const notFound = { status: 404, body: errorBody("KEY_NOT_FOUND") };
    expect(judge(exchange({ method: "DELETE", path: "/agents/keys/0123", ...notFound }))).toEqual(
      [],
    );
  });

  it.each([
    ["an unknown field", { data: { status: "ok", mood: "good" } }],
    ["an unknown field of the envelope", { warning: "none" }],
    ["a value of the wrong kind", { data: { status: "fine" } }],
    ["a missing field", { data: {} }],
    ["a bad instant", { metadata: { ...METADATA, timestamp: "today" } }],
  ])("the check finds %s", (_, change) => {
    const good = { success: true, data: { status: "ok" }, metadata: METADATA };
    expect(judge(exchange({ body: { ...good, ...change } }))).not.toEqual([]);
  });

  it("the check finds a missing header", () => {
    const headers = { "Content-Type": "application/json" };
    expect(judge(exchange({ headers }))).toEqual(["lacks the header X-Request-Id"]);
  });

  it("the check finds a status that is not documented", () => {
    expect(judge(exchange({ status: 204, text: "" }))).toEqual([
      "responds with 204, which the document does not list",
    ]);
  });

  it("the check finds a media type that is not documented", () => {
    const headers = { ...HEADERS, "Content-Type": "text/plain" };
    expect(judge(exchange({ headers }))).toEqual([
      "is text/plain, which the document does not list",
    ]);
  });

  it("the check finds a code that the operation does not have at that status", () => {
    const body = errorBody("TOOL_NOT_FOUND");
    const wrong = exchange({ method: "DELETE", path: "/agents/keys/0123", status: 404, body });
    expect(judge(wrong)).not.toEqual([]);
  });

  it("the check finds an error whose form does not match its code", () => {
    const context = { status: "completed", allowed: [] };
    const body = errorBody("TASK_NOT_FOUND", { context });
    expect(judge(exchange({ path: "/agents/tasks/0", status: 404, body }))).not.toEqual([]);
  });

  it("the check finds an undocumented operation, and accepts its errors", () => {
    expect(judge(exchange({ path: "/agents/nowhere/0" }))).not.toEqual([]);
    const body = errorBody("NOT_FOUND");
    expect(judge(exchange({ path: "/agents/nowhere/0", status: 404, body }))).toEqual([]);
    const notAllowed = { method: "PATCH", status: 405, body: errorBody("METHOD_NOT_ALLOWED") };
    expect(judge(exchange(notAllowed))).toEqual(["lacks Allow"]);
    expect(judge(exchange({ ...notAllowed, headers: { ...HEADERS, Allow: "GET" } }))).toEqual([]);
  });

  it("the check finds an accepted body that the document forbids", () => {
    const data = {
      agentId: "a",
      toolId: "t",
      proficiency: "expert",
      capabilities: ["c"],
      grantedAt: METADATA.timestamp,
    };
    const granted = {
      method: "POST",
      path: "/agents/tools/access",
      body: { success: true, data, metadata: METADATA },
    };
    const sent = { agentId: "a", toolId: "t", proficiency: "expert" };
    expect(judge(exchange({ ...granted, sent }))).toEqual([]);
    expect(judge(exchange({ ...granted, sent: { ...sent, proficiency: "wizard" } }))).not.toEqual(
      [],
    );
  });

  it("the check prefers a literal path to one with parameters, as the routes do", () => {
    const body = { success: true, data: { tasks: [] }, metadata: METADATA };
    expect(judge(exchange({ method: "POST", path: "/agents/tasks/claim", body }))).toEqual([]);
  });
});
