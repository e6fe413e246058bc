import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../../src/index.ts";
import { answerOf, ORIGIN, ROOT, type Answer } from "../../support/client.ts";
import type { Operation } from "./operations.ts";
import type { FuzzRequest } from "./request-generator.ts";
import { isInPool, resource } from "./resource-pool.ts";

/** A request in which every resource name has been replaced with an id. */
export interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/**
 * Claims are aborted after this time, which is long enough for any immediate response. Otherwise, a
 * claim that finds no task could wait for 20 seconds.
 */
const CLAIM_MS = 25;

/** Replaces resource names with ids. */
export async function fillIds(operation: Operation, request: FuzzRequest): Promise<Sent> {
  const { path, query, headers, body } = request;
  const bytes = typeof body === "string" ? new TextEncoder().encode(await filledIn(body)) : body;
  const all: Record<string, string> = { Authorization: `Bearer ${ROOT}` };
  for (const [name, value] of Object.entries(headers)) all[name] = await filledIn(value);
  if (operation.body?.mediaType === "*/*") all["Content-Length"] ??= String(bytes?.length ?? 0);
  return {
    method: operation.method,
    target: await filledIn(path + query, encodeURIComponent),
    headers: all,
    body: bytes,
  };
}

async function filledIn(text: string, encode = (id: string): string => id): Promise<string> {
  let filled = text;
  for (const [whole, name = ""] of text.matchAll(/\{\{([a-z:_]+)\}\}/g)) {
    // A corrupted name is sent unchanged.
    if (!isInPool(name)) continue;
    const id = encode(await resource(name));
    filled = filled.replace(whole, () => id);
  }
  return filled;
}

/** Sends a request. If the response is a stream, its body is not read. */
export async function sendAndRead({ method, target, headers, body }: Sent): Promise<Answer> {
  const leaving = new AbortController();
  const timer = target.startsWith("/agents/tasks/claim")
    ? setTimeout(() => leaving.abort(), CLAIM_MS)
    : null;
  const hasBody = body !== null && method !== "GET";
  const request = new Request(`${ORIGIN}${target}`, {
    method,
    redirect: "manual",
    headers,
    signal: leaving.signal,
    ...(hasBody ? { body } : {}),
  });
  const response = await worker.fetch(request, env, createExecutionContext());
  if (timer !== null) clearTimeout(timer);
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream") === true;
  if (!isStream) return answerOf(response);
  await response.body?.cancel();
  return { status: response.status, headers: response.headers, text: "", body: null };
}

/** The body as the service should parse it; undefined if it is not JSON. */
export function readBack({ body }: Sent): unknown {
  if (body === null || body.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body));
  } catch {
    return undefined;
  }
}

/** Formats the request as a curl command that reproduces a failure. */
export function curl({ method, target, headers, body }: Sent): string {
  const parts = Object.entries(headers).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value.replace(ROOT, "<the root key>")}`)}`,
  );
  if (body !== null) parts.push(`--data-binary ${quoted(new TextDecoder().decode(body))}`);
  return `curl --path-as-is -X ${method} ${parts.join(" ")} ${quoted(`http://localhost:8787${target}`)}`;
}

function quoted(text: string): string {
  const plain = text
    .replaceAll(/[\\']/g, "\\$&")
    .replaceAll(/\p{Cc}/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `$'${plain}'`;
}
