import type { HttpRequest } from "../../../domain/connector.ts";
import type { Json, JsonObject } from "../../../domain/json.ts";
import { REJECTION_BYTES_MAX } from "../../../domain/limits.ts";
import { shown } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import type { Exchange } from "../../../egress/contract.ts";
import type { CallFault, CallOutcome } from "../contract.ts";
import { contentOf, type Content } from "./content.ts";
import { broken } from "./fault.ts";
import type { Redaction } from "./redact.ts";

const ENCODER = new TextEncoder();
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
  const { status } = exchange;
  if ((status >= 200 && status < 300) || status === 304) return done(exchange, request, redaction);
  if (status === 401) {
    return fail({ kind: "unauthorised", reason: "it answered HTTP 401." });
  }
  if (status === 429 || status >= 500) {
    return fail(broken(`it answered HTTP ${status}.`, retryAfterSeconds));
  }
  if (status >= 400) return fail(rejected(exchange, redaction));
  return fail(broken(`it answered HTTP ${status}, which leads nowhere.`));
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
    return fail(broken(`it answered in an encoding that cannot be unpacked: ${shown(packing)}.`));
  }
  const contentType = headers.get("Content-Type");
  const content = contentOf(isHead ? NO_BYTES : bytes, contentType);
  if (!content.ok) return fail(broken(`it ${content.failure}`));
  const body = await bodyOf(content.value, result);
  if (!body.ok) return fail(broken(`it ${body.failure}`));
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

/** `{status, body}`: JSON as it is while it is short, else the beginning of the text. */
function rejected({ status, headers, bytes }: Exchange, redaction: Redaction): CallFault {
  const content = contentOf(bytes, headers.get("Content-Type"));
  const details: JsonObject = { status, body: told(content, bytes, redaction) };
  return { kind: "rejected", reason: `it answered HTTP ${status}.`, details };
}

function told(content: Result<Content, string>, bytes: Uint8Array, redaction: Redaction): Json {
  // Masked before it is cut: half a credential at the cut would pass unseen.
  if (!content.ok) return beginning(redaction.text(new TextDecoder().decode(bytes)));
  switch (content.value.kind) {
    case "none":
    case "binary":
      return null;
    case "text":
      return beginning(redaction.text(content.value.text));
    case "json": {
      const value = redaction.json(content.value.value);
      const text = JSON.stringify(value);
      return ENCODER.encode(text).byteLength <= REJECTION_BYTES_MAX ? value : beginning(text);
    }
  }
}

function beginning(text: string): string {
  const bytes = ENCODER.encode(text);
  if (bytes.byteLength <= REJECTION_BYTES_MAX) return text;
  // A stream's decoder keeps back the character that the cut went through.
  const cut = bytes.subarray(0, REJECTION_BYTES_MAX);
  return `${new TextDecoder().decode(cut, { stream: true })}…`;
}
