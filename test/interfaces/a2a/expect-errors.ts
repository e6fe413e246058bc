import { expect } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { send, type Answer } from "../../support/client.ts";

export const VERSION = { "A2A-Version": "1.0" };
export const MESSAGE = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hello" }] };
export const NOBODY = "b".repeat(64);

/**
 * The expected error: its JSON-RPC code, its status in the REST binding, and the reason in both.
 */
export interface ExpectedError {
  readonly code: number;
  readonly status: number;
  readonly reason: string;
  /** Whether JSON-RPC responds with this HTTP status too, instead of 200. */
  readonly isHttp?: boolean;
}

export const INVALID: ExpectedError = { code: -32_602, status: 400, reason: "INVALID_PARAMS" };
export const NOT_FOUND: ExpectedError = { code: -32_001, status: 404, reason: "TASK_NOT_FOUND" };
export const NO_TYPE: ExpectedError = {
  code: -32_005,
  status: 400,
  reason: "CONTENT_TYPE_NOT_SUPPORTED",
};

/** Checks an entire JSON-RPC error response, and returns its `error`. */
export function expectRpcError(
  answer: Answer,
  { code, status, reason, isHttp = false }: ExpectedError,
) {
  expect([answer.text, answer.status]).toEqual([answer.text, isHttp ? status : 200]);
  expect(answer.headers.get("Content-Type")).toBe("application/json");
  expect(answer.body).toEqual({
    jsonrpc: "2.0",
    id: answer.body.id,
    error: { code, message: expect.stringMatching(/\S/), data: expect.anything() },
  });
  expect([answer.text, answer.body.error.data[0].reason]).toEqual([answer.text, reason]);
  return answer.body.error;
}

export function expectRestError(answer: Answer, { status, reason }: ExpectedError) {
  expect([answer.text, answer.status]).toEqual([answer.text, status]);
  expect(answer.headers.get("Content-Type")).toBe("application/a2a+json");
  const { error } = JSON.parse(answer.text);
  expect(error).toMatchObject({ code: status, status: expect.stringMatching(/^[A-Z_]+$/) });
  expect([answer.text, error.details[0]]).toEqual([
    answer.text,
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason,
      domain: "a2a-protocol.org",
    },
  ]);
  return error;
}

export function rpc(method: string, params: unknown, headers: Record<string, string> = VERSION) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
  return send("POST", "/a2a", body, { headers });
}

export function rest(method: string, path: string, body?: JsonObject | string) {
  return send(method, `/a2a/v1${path}`, body, { headers: VERSION });
}

/** Invalid messages and parameters, for both bindings. `field` is the invalid field. */
