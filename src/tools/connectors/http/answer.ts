import type { HttpRequest } from "../../../domain/connector.ts";
import type { Json } from "../../../domain/json.ts";
import { shown } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import type { Exchange } from "../../../egress/contract.ts";
import type { CallOutcome } from "../contract.ts";
import { contentOf, type Content } from "./content.ts";
import { faultOfStatus, lasting } from "./fault.ts";
import type { Redaction } from "../../../secrets/redact.ts";
import { saidIn } from "./said.ts";

const NO_ENTRY = "it answered HTTP 401: it wants credentials that it accepts.";
const NO_BYTES = new Uint8Array();
// As many arguments as a call takes without trouble.
const CHUNK_BYTES = 8_192;
// What the next call needs: further pages, the thing just made, the version to change.
const HEADERS_TOLD = [
  "content-disposition",
  "etag",
  "last-modified",
  "link",
  "location",
  "x-total-count",
];
// A HEAD request asks for these.
const HEAD_HEADERS_TOLD = [...HEADERS_TOLD, "content-length", "content-type"];

/**
 * What an answer means. Done: `{status, body, contentType?, encoding?, headers?}`: `body` is the JSON
 * value, or text with its `contentType`, or other bytes with `encoding: "base64"`, or null for none;
 * with a `result` path it is what that selects. 304 counts as done, without a body.
 */
export async function judge(
  exchange: Exchange,
  request: HttpRequest,
  redaction: Redaction,
  retryAfterSeconds: number | null,
): Promise<CallOutcome> {
  const { status, bytes, headers } = exchange;
  if ((status >= 200 && status < 300) || status === 304) return done(exchange, request, redaction);
  if (status < 400) return fail(lasting(`it answered HTTP ${status}, which leads nowhere.`));
  const details = saidIn(status, bytes, headers.get("Content-Type"), redaction);
  if (status === 401) return fail({ kind: "unauthorised", reason: NO_ENTRY, details });
  if (status === 429 || status >= 500) {
    return fail(faultOfStatus(status, retryAfterSeconds, details));
  }
  return fail({ kind: "rejected", reason: `it answered HTTP ${status}.`, details });
}

async function done(
  { status, headers, bytes }: Exchange,
  { method, result }: HttpRequest,
  redaction: Redaction,
): Promise<CallOutcome> {
  const isHead = method === "HEAD";
  // The runtime has unpacked what it can; these bytes would pass for text.
  const packing = isHead ? null : headers.get("Content-Encoding");
  if (packing !== null && bytes.byteLength > 0 && packing.toLowerCase() !== "identity") {
    return fail(lasting(`it answered in an encoding that cannot be unpacked: ${shown(packing)}.`));
  }
  const contentType = headers.get("Content-Type");
  const content = contentOf(isHead ? NO_BYTES : bytes, contentType);
  if (!content.ok) return fail(lasting(`it ${content.failure}`));
  const body = await bodyOf(content.value, result);
  if (!body.ok) return fail(lasting(`it ${body.failure}`));
  const { kind } = content.value;
  const isTyped = kind === "text" || kind === "binary";
  const names = (isHead ? HEAD_HEADERS_TOLD : HEADERS_TOLD).filter((name) => headers.has(name));
  const shownHeaders = Object.fromEntries(names.map((name) => [name, headers.get(name)]));
  return ok({
    status,
    body: kind === "binary" ? base64(content.value.bytes, redaction) : redaction.json(body.value),
    ...(kind === "binary" ? { encoding: "base64" } : {}),
    ...(isTyped && contentType !== null ? { contentType: redaction.text(contentType) } : {}),
    ...(names.length === 0 ? {} : { headers: redaction.json(shownHeaders) }),
  });
}

async function bodyOf(content: Content, path: string | undefined): Promise<Result<Json, string>> {
  if (content.kind === "none") return ok(null);
  if (content.kind === "json") {
    if (path === undefined) return ok(content.value);
    const { select } = await import("./select.ts");
    return select(path, content.value);
  }
  if (path !== undefined) return fail("sent no JSON, to which alone its result path applies.");
  return ok(content.kind === "text" ? content.text : null);
}

/** Through a text of one character a byte, in which the credential can be found and masked. */
function base64(bytes: Uint8Array, redaction: Redaction): string {
  let text = "";
  for (let start = 0; start < bytes.byteLength; start += CHUNK_BYTES) {
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK_BYTES));
  }
  return btoa(redaction.text(text));
}
