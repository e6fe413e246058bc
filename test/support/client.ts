import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { JsonObject } from "../../src/kernel/json.ts";
import worker from "../../src/index.ts";
import { expectDocumented } from "./documented-responses.ts";
import { learnFromBody } from "./watch-for-secrets.ts";

/** This test run's root key. */
export const ROOT = env.ROOT_API_KEY;
export const ORIGIN = "https://bosun.test";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `any` because a test asserts its shape. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
  readonly body: any;
}

export interface Options {
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  /**
   * False if the test stored data that the service itself would not store, so the response may
   * violate the document.
   */
  readonly documented?: boolean;
}

/**
 * Sends a request to the Worker as a client would: objects as JSON, strings unchanged. Calls the
 * handler directly, because each request through `exports.default` is slower than the previous one.
 * Unless the test opts out, responses outside A2A's REST binding must match /openapi.json.
 */
export async function send(
  method: string,
  path: string,
  body?: JsonObject | string,
  { key = ROOT, headers = {}, documented = true }: Options = {},
): Promise<Answer> {
  learnFromBody(pathOf(path), body);
  const response = await worker.fetch(
    new Request(`${ORIGIN}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    }),
    env,
    createExecutionContext(),
  );
  const answer = await answerOf(response);
  const sent = typeof body === "object" ? body : undefined;
  if (documented) expectDocumented({ method, path: pathOf(path), sent, ...answer });
  return answer;
}

/** Returns the path of a request target as the Worker receives it. */
export function pathOf(target: string): string {
  return new URL(`${ORIGIN}${target}`).pathname;
}

/** Reads a response's status, headers and body, and parses a JSON body. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== "" ? JSON.parse(text) : null,
  };
}

export const get = (path: string, options?: Options): Promise<Answer> =>
  send("GET", path, undefined, options);
export const post = (
  path: string,
  body?: JsonObject | string,
  options?: Options,
): Promise<Answer> => send("POST", path, body, options);
export const patch = (
  path: string,
  body?: JsonObject | string,
  options?: Options,
): Promise<Answer> => send("PATCH", path, body, options);
export const del = (path: string, options?: Options): Promise<Answer> =>
  send("DELETE", path, undefined, options);
