import type { HttpRequestTemplate } from "../../model/connector.ts";
import { isWithinDepth, type Json, type JsonObject, tryParseJson } from "../../../kernel/json.ts";
import { preview, fail, ok, type Result } from "../../../kernel/result.ts";
import type { EgressResponse } from "../../../platform/egress/contract.ts";
import type { CallOutcome } from "../contract.ts";
import { classifyUpstreamStatus, createPermanentUpstreamFailure } from "../connector-failure.ts";
import type { Redactor } from "../../model/redaction.ts";
import { UPSTREAM_ERROR_BYTES_MAX } from "../../limits.ts";
import { UPSTREAM_JSON_DEPTH_MAX } from "../../../platform/limits.ts";

/** The content of a response. Bytes that are not text are kept as bytes. */
type ResponseContent =
  | { readonly kind: "none" }
  | { readonly kind: "json"; readonly value: Json }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly bytes: Uint8Array };

const JSON_TYPE = /^[\w.!#$&^-]+\/(?:[\w.!#$&^+-]+\+)?json$/;
const TEXT_TYPE =
  /^(?:text\/.*|application\/(?:.*\+)?(?:xml|yaml)|application\/(?:x-yaml|javascript|graphql|sql|toml|x-ndjson|jsonl|x-www-form-urlencoded)|image\/svg\+xml)$/;

/** Parses a response according to its Content-Type. The failure completes a sentence that begins with "it". */
function parseResponseContent(
  bytes: Uint8Array,
  contentType: string | null,
): Result<ResponseContent, string> {
  if (bytes.byteLength === 0) return ok({ kind: "none" });
  const type = (contentType?.split(";")[0] ?? "").trim().toLowerCase();
  if (JSON_TYPE.test(type)) {
    const value = tryParseJson(bytes);
    if (value === undefined) return fail("declared JSON but sent something else.");
    if (isWithinDepth(value, UPSTREAM_JSON_DEPTH_MAX)) return ok({ kind: "json", value });
    return fail(`sent JSON nested deeper than ${UPSTREAM_JSON_DEPTH_MAX} levels.`);
  }
  if (TEXT_TYPE.test(type)) return ok({ kind: "text", text: decodeText(bytes, contentType ?? "") });
  const text = type === "" ? decodePlainText(bytes) : null;
  return ok(text === null ? { kind: "binary", bytes } : { kind: "text", text });
}

/** Decodes bytes without a declared type as text; null if they are not UTF-8 or contain NUL. */
function decodePlainText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return text.includes("\u0000") ? null : text;
  } catch {
    return null;
  }
}

function decodeText(bytes: Uint8Array, contentType: string): string {
  const charset = /;\s*charset="?([\w:.-]+)"?/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

const ENCODER = new TextEncoder();

/**
 * The details of an error response: `{status, body}`. Short JSON is included as a value; long JSON and long text are
 * truncated.
 */
export function buildUpstreamErrorDetails(
  status: number,
  bytes: Uint8Array,
  contentType: string | null,
  redaction: Redactor,
): JsonObject {
  return { status, body: excerptBody(bytes, contentType, redaction) };
}

function excerptBody(bytes: Uint8Array, contentType: string | null, redaction: Redactor): Json {
  const content = parseResponseContent(bytes, contentType);
  // Mask before truncating, because a truncated credential would not be recognised.
  if (!content.ok) return truncateToLimit(redaction.text(new TextDecoder().decode(bytes)));
  switch (content.value.kind) {
    case "none":
    case "binary":
      return null;
    case "text":
      return truncateToLimit(redaction.text(content.value.text));
    case "json": {
      const value = redaction.json(content.value.value);
      const text = JSON.stringify(value);
      return ENCODER.encode(text).byteLength <= UPSTREAM_ERROR_BYTES_MAX
        ? value
        : truncateToLimit(text);
    }
  }
}

function truncateToLimit(text: string): string {
  const bytes = ENCODER.encode(text);
  if (bytes.byteLength <= UPSTREAM_ERROR_BYTES_MAX) return text;
  // A streaming decoder drops an incomplete character at the end.
  const cut = bytes.subarray(0, UPSTREAM_ERROR_BYTES_MAX);
  return `${new TextDecoder().decode(cut, { stream: true })}…`;
}

const UNAUTHORIZED_REASON = "it returned HTTP 401 and requires valid credentials.";
const NO_BYTES = new Uint8Array();
// Headers that a later call may need, for example for the next page, the created resource or its version.
const RESULT_HEADERS = "content-disposition etag last-modified link location x-total-count".split(
  " ",
);
const HEAD_RESULT_HEADERS = [...RESULT_HEADERS, "content-length", "content-type"];

/**
 * Converts a response to the outcome of the call. A success is `{status, body, contentType?, encoding?, headers?}`,
 * where `body` is the JSON value, text with its `contentType`, other bytes with `encoding: "base64"`, or null if the
 * response is empty. With a `result` path, `body` is what the path selects. A 304 is a success without a body.
 */
export async function toHttpCallOutcome(
  exchange: EgressResponse,
  request: HttpRequestTemplate,
  redaction: Redactor,
  retryAfterSeconds: number | null,
): Promise<CallOutcome> {
  const { status, bytes, headers } = exchange;
  if ((status >= 200 && status < 300) || status === 304)
    return toResult(exchange, request, redaction);
  if (status < 400)
    return fail(
      createPermanentUpstreamFailure(`it returned HTTP ${status} without a redirect target.`),
    );
  const details = buildUpstreamErrorDetails(status, bytes, headers.get("Content-Type"), redaction);
  if (status === 401) return fail({ kind: "unauthorized", reason: UNAUTHORIZED_REASON, details });
  if (status === 429 || status >= 500) {
    return fail(classifyUpstreamStatus(status, retryAfterSeconds, details));
  }
  return fail({ kind: "rejected", reason: `it returned HTTP ${status}.`, details });
}

async function toResult(
  { status, headers, bytes }: EgressResponse,
  { method, result }: HttpRequestTemplate,
  redaction: Redactor,
): Promise<CallOutcome> {
  const isHead = method === "HEAD";
  // The egress removes this header if the runtime decoded the bytes. If it is present, the bytes are still encoded.
  const packing = isHead ? null : headers.get("Content-Encoding");
  if (packing !== null && bytes.byteLength > 0 && packing.toLowerCase() !== "identity") {
    const reason = `it responded with an unsupported content encoding: ${preview(packing)}.`;
    return fail(createPermanentUpstreamFailure(reason));
  }
  const contentType = headers.get("Content-Type");
  const content = parseResponseContent(isHead ? NO_BYTES : bytes, contentType);
  if (!content.ok) return fail(createPermanentUpstreamFailure(`it ${content.failure}`));
  const body = await readResultBody(content.value, result);
  if (!body.ok) return fail(createPermanentUpstreamFailure(`it ${body.failure}`));
  const { kind } = content.value;
  const isTyped = kind === "text" || kind === "binary";
  const names = (isHead ? HEAD_RESULT_HEADERS : RESULT_HEADERS).filter((name) => headers.has(name));
  const shownHeaders = Object.fromEntries(names.map((name) => [name, headers.get(name)]));
  return ok({
    status,
    body:
      kind === "binary" ? encodeBase64(content.value.bytes, redaction) : redaction.json(body.value),
    ...(kind === "binary" ? { encoding: "base64" } : {}),
    ...(isTyped && contentType !== null ? { contentType: redaction.text(contentType) } : {}),
    ...(names.length === 0 ? {} : { headers: redaction.json(shownHeaders) }),
  });
}

async function readResultBody(
  content: ResponseContent,
  path: string | undefined,
): Promise<Result<Json, string>> {
  if (content.kind === "none") return ok(null);
  if (content.kind === "json") {
    if (path === undefined) return ok(content.value);
    const { selectByJsonPath } = await import("../../schema/json-path.ts");
    return selectByJsonPath(path, content.value);
  }
  if (path !== undefined) return fail("did not send JSON, which its result path requires.");
  return ok(content.kind === "text" ? content.text : null);
}

/**
 * Encodes bytes as base64. They are first converted to text, one character per byte, so that the credential can be
 * masked.
 */
function encodeBase64(bytes: Uint8Array, redaction: Redactor): string {
  return btoa(redaction.text(Buffer.from(bytes).toString("latin1")));
}
