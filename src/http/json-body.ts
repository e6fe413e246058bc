import { concatBytes } from "../kernel/bytes.ts";
import type { Failure } from "../kernel/failure.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { BODY_BYTES_MAX, BODY_DRAINED_BYTES_MAX } from "./limits.ts";
import { JSON_DEPTH_MAX, PROBLEMS_REPORTED_MAX } from "../kernel/limits.ts";
import { preview, type Problem, fail, ok, type Result } from "../kernel/result.ts";

/** The media types that Hono's validator parses as JSON. */
const JSON_MEDIA_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const TOO_DEEP = `is nested too deeply: at most ${JSON_DEPTH_MAX} levels are allowed, counting the body as the first`;

/**
 * A parsed body before schema validation. `problems` lists what is invalid under any schema, such as unsafe numbers.
 */
export interface StrictBody {
  readonly value: Json | undefined;
  readonly problems: readonly Problem[];
}

/** A parsed body with its text, which is empty if there is no body. */
export interface JsonBody extends StrictBody {
  readonly text: string;
}

/** Reads a request body as JSON. The value is undefined if the body is optional and absent. */
export async function readJsonBody(
  request: Request,
  { required }: { required: boolean },
): Promise<Result<JsonBody, Failure>> {
  if (request.headers.has("Content-Encoding")) {
    const reason = "Content-Encoding is not supported; send the body uncompressed.";
    return fail({ kind: "unsupported_media_type", reason });
  }
  const read = await readBytes(request);
  if (read.ok && read.value.byteLength === 0 && !required)
    return ok({ text: "", value: undefined, problems: [] });
  const mediaType = request.headers.get("Content-Type");
  if (mediaType === null || !JSON_MEDIA_TYPE.test(mediaType)) {
    const got = mediaType === null ? "none" : preview(mediaType);
    const reason = `The Content-Type must be application/json, got ${got}.`;
    return fail({ kind: "unsupported_media_type", reason });
  }
  return read.ok ? parseStrictJson(read.value) : read;
}

/**
 * Reads the body unless it is too large, and never buffers more than the limit plus one chunk. A body that is somewhat
 * too large and has no Content-Length is read to its end, because a client that is still sending might miss the
 * response.
 */
async function readBytes(request: Request): Promise<Result<Uint8Array, Failure>> {
  const tooLarge = fail<Failure>({ kind: "payload_too_large" });
  if (Number(request.headers.get("Content-Length")) > BODY_BYTES_MAX) return tooLarge;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > BODY_DRAINED_BYTES_MAX) return tooLarge;
      if (size <= BODY_BYTES_MAX) chunks.push(chunk);
    }
  } catch {
    // The client disconnected.
    return fail({ kind: "invalid_json", reason: `the connection closed after ${size} bytes` });
  }
  if (size > BODY_BYTES_MAX) return tooLarge;
  const [first] = chunks;
  // Nearly all bodies arrive in one chunk, which need not be copied.
  if (first !== undefined && chunks.length === 1) return ok(first);
  return ok(concatBytes(chunks));
}

/** Parses bytes as JSON, with the strict rules for request bodies. */
export function parseStrictJson(bytes: Uint8Array): Result<JsonBody, Failure> {
  if (bytes.byteLength === 0) return fail({ kind: "invalid_json", reason: "it is empty" });
  let text: string;
  let value: Json;
  try {
    // `fatal` rejects invalid UTF-8, which Request.json() would replace with U+FFFD. A BOM is dropped.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    const reason =
      error instanceof SyntaxError ? formatSyntaxError(error) : "its bytes are not UTF-8";
    return fail({ kind: "invalid_json", reason });
  }
  const { problems, isTraversable } = findJsonProblems(value);
  return isTraversable ? ok({ text, value, problems }) : fail({ kind: "validation", problems });
}

/** The parser's message without the input that it quotes, which may contain a secret. */
function formatSyntaxError({ message }: SyntaxError): string {
  const at = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  if (at !== undefined) return `its syntax is invalid ${at}`;
  return message.startsWith("Unexpected end") ? "it ends unexpectedly" : "it is not well-formed";
}

/** One nesting level during the walk: the remaining items of an array or object, and the current key. */
interface WalkLevel {
  readonly items: Iterator<[number | string, Json]>;
  key: number | string;
}

/**
 * Finds values that JSON allows but the service rejects: excessive nesting, unsafe numbers, lone surrogates and U+0000.
 * It keeps one iterator per level and builds a path only for a problem, so a body with half a million values needs
 * little memory. `isTraversable`: whether the value can be processed recursively.
 */
function findJsonProblems(body: Json): { problems: Problem[]; isTraversable: boolean } {
  const problems: Problem[] = [];
  const levels: WalkLevel[] = [];
  let isTooDeep = false;
  const visit = (value: Json): void => {
    const isNested = typeof value === "object" && value !== null;
    if (isNested && levels.length < JSON_DEPTH_MAX) {
      levels.push({ items: itemsOf(value), key: "" });
      return;
    }
    isTooDeep ||= isNested;
    const message = isNested ? TOO_DEEP : checkScalar(value);
    if (message !== null) problems.push({ path: formatLevelPath(levels), message });
  };
  visit(body);
  while (levels.length > 0 && problems.length < PROBLEMS_REPORTED_MAX) {
    const level = levels.at(-1);
    const next = level?.items.next();
    if (level === undefined || next === undefined || next.done === true) {
      levels.pop();
      continue;
    }
    const [key, value] = next.value;
    level.key = key;
    const name = typeof key === "string" ? checkText(key) : null;
    if (name !== null)
      problems.push({ path: formatLevelPath(levels), message: `has a name that ${name}` });
    visit(value);
  }
  return { problems, isTraversable: levels.length === 0 && !isTooDeep };
}

function itemsOf(value: Json[] | JsonObject): Iterator<[number | string, Json]> {
  return Array.isArray(value) ? value.entries() : Object.entries(value).values();
}

function formatLevelPath(levels: readonly WalkLevel[]): string {
  return levels.length === 0 ? "body" : joinPath(levels.map(({ key }) => key));
}

/** Formats a path for messages: `context.items[3].name`. */
export function joinPath(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === "number") return `${path}[${key}]`;
    return path === "" ? String(key) : `${path}.${String(key)}`;
  }, "");
}

function checkScalar(value: Json): string | null {
  if (typeof value === "string") {
    const problem = checkText(value);
    return problem === null ? null : `contains text that ${problem}`;
  }
  if (typeof value !== "number") return null;
  if (!Number.isFinite(value)) return "must be a finite number, but it is too large";
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return `must be an integer from -(2^53 - 1) to 2^53 - 1, got ${preview(value)}`;
  }
  return null;
}

/** What is wrong with a string, as a phrase that follows "that"; null if it is valid. */
export function checkText(text: string): string | null {
  if (!text.isWellFormed()) return "is not well-formed Unicode: it contains a lone surrogate";
  return text.includes("\u0000") ? "contains U+0000" : null;
}
