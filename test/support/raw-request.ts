import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src/index.ts";
import { answerOf, ORIGIN, pathOf, ROOT, type Answer } from "./client.ts";
import { expectDocumented } from "./documented-responses.ts";

/**
 * Sends raw bytes labelled as JSON. A stream or a list of chunks is sent without a Content-Length.
 */
export async function sendBytes(
  method: string,
  path: string,
  body: Uint8Array | ReadableStream | readonly Uint8Array[] | null,
  headers: Readonly<Record<string, string | null>> = {},
): Promise<Answer> {
  const given: Record<string, string | null> = {
    Authorization: `Bearer ${ROOT}`,
    "Content-Type": "application/json",
    ...headers,
  };
  const sent = Object.entries(given).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as [string, string]],
  );
  const response = await worker.fetch(
    new Request(`${ORIGIN}${path}`, {
      method,
      headers: sent,
      body: Array.isArray(body) ? streamOf(body) : body,
    }),
    env,
    createExecutionContext(),
  );
  const answer = await answerOf(response);
  expectDocumented({ method, path: pathOf(path), ...answer });
  return answer;
}

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}
