import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { JsonObject } from "../../src/kernel/json.ts";
import worker from "../../src/index.ts";
import { answerOf, ORIGIN, pathOf, type Answer } from "../support/client.ts";
import { expectDocumented } from "../support/documented-responses.ts";

/** A request without its key. */
export interface RequestSpec {
  readonly method: string;
  readonly path: string;
  /** An object is sent as JSON, and bytes are sent as a file. */
  readonly body?: JsonObject | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends a request with a key. If the response is a stream, reads only the first chunk and then
 * disconnects.
 */
export async function sendRequest(
  { method, path, body, headers = {} }: RequestSpec,
  authorization: string | null,
  bindings: Env = env,
): Promise<Answer> {
  const isFile = body instanceof Uint8Array;
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(authorization === null ? {} : { Authorization: authorization }),
      ...(body === undefined || isFile ? {} : { "Content-Type": "application/json" }),
      ...(isFile ? { "Content-Length": String(body.byteLength) } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
  });
  const response = await worker.fetch(request, bindings, createExecutionContext());
  if (response.headers.get("Content-Type")?.startsWith("text/event-stream") === true) {
    return {
      status: response.status,
      headers: response.headers,
      text: await first(response),
      body: null,
    };
  }
  const answer = await answerOf(response);
  expectDocumented({ method, path: pathOf(path), ...answer });
  const isA2a = response.headers.get("Content-Type") === "application/a2a+json";
  return isA2a ? { ...answer, body: JSON.parse(answer.text) } : answer;
}

async function first({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const piece = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(piece?.value);
}

/** Returns the same request with every occurrence of an id replaced. */
export function replaceIds(
  { body, path, ...asked }: RequestSpec,
  from: string,
  to: string,
): RequestSpec {
  const at = { ...asked, path: path.replaceAll(from, to) };
  if (body === undefined || body instanceof Uint8Array)
    return body === undefined ? at : { ...at, body };
  return { ...at, body: JSON.parse(JSON.stringify(body).replaceAll(from, to)) };
}
