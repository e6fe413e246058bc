import type * as z from "zod";
import { decodeBase64url } from "../../kernel/bytes.ts";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { JSON_DEPTH_MAX } from "../../kernel/limits.ts";
import { preview, type Problem, fail, ok, type Result } from "../../kernel/result.ts";
import { validateSchema } from "../../http/validation.ts";
import { parseStrictJson, checkText } from "../../http/json-body.ts";
import { createInvalidParams, type A2aRequestFailure } from "./failures.ts";
import type { A2aMessage, A2aMessagePart, SendMessageParams } from "./schemas.ts";

/** The text of a message, and its files and data as a task's context. */
export interface ParsedMessage {
  readonly text: string;
  readonly context: JsonObject;
}

/** The input modes of the agent card. */
export const INPUT_MEDIA_TYPES = ["text/plain", "text/markdown", "text/csv", "application/json"];

export const SETTINGS_PATH = "message.metadata.bosun";

/** The `bosun` object in the metadata of the message or of the request. */
export function readBosunMetadata({
  message,
  metadata,
}: SendMessageParams): Result<JsonObject, A2aRequestFailure> {
  const value = message.metadata?.["bosun"] ?? metadata?.["bosun"] ?? {};
  return isJsonObject(value) ? ok(value) : invalidPart(SETTINGS_PATH, "must be an object");
}

/** The parts of a message, and its metadata by a schema. */
export function parseMessage<Schema extends z.ZodType>(
  { parts }: A2aMessage,
  bosunMetadata: JsonObject,
  schema: Schema,
): Result<ParsedMessage & { readonly settings: z.output<Schema> }, A2aRequestFailure> {
  const parsed = parseMessageParts(parts);
  if (!parsed.ok) return parsed;
  const settings = validateSchema(schema, bosunMetadata);
  if (settings.ok) return ok({ ...parsed.value, settings: settings.value });
  const problems = settings.failure.map(({ path, message }) => ({
    path: path === "body" ? SETTINGS_PATH : `${SETTINGS_PATH}.${path}`,
    message,
  }));
  return fail(createInvalidParams(problems));
}

/** A problem of the context, with the path of the parts. */
export function toPartsProblem({ path, message }: Problem): Problem {
  const field = /^context\.(.+)$/.exec(path)?.[1];
  return { path: "message.parts", message: field === undefined ? message : `${field} ${message}` };
}

/** "message": text of the client; the others are files. */
type PartKind = "message" | "file" | "csv" | "json";
const PART_KIND_BY_EXTENSION: Readonly<Record<string, PartKind>> = { csv: "csv", json: "json" };

/** A parsed part: a text, or values for the context by name. */
type ParsedPart =
  | { readonly kind: "message" | "file"; readonly text: string }
  | { readonly kind: "values"; readonly values: JsonObject };

/**
 * Parses the parts of a message. Text files go into `text`, one table into `csv`, one array of rows into
 * `data`; the fields of an object become fields of the context.
 */
export function parseMessageParts(
  parts: readonly A2aMessagePart[],
): Result<ParsedMessage, A2aRequestFailure> {
  const contextByName = new Map<string, Json>();
  const fileTexts: string[] = [];
  const messageTexts: string[] = [];
  const problems: Problem[] = [];
  for (const [index, part] of parts.entries()) {
    const path = `message.parts[${index}]`;
    const parsed = parsePart(part, path);
    if (!parsed.ok && parsed.failure.problems === undefined) return parsed;
    if (!parsed.ok) problems.push(...(parsed.failure.problems ?? []));
    else if (parsed.value.kind === "values") {
      for (const [name, value] of Object.entries(parsed.value.values)) {
        if (contextByName.has(name)) problems.push({ path, message: duplicateName(name) });
        contextByName.set(name, value);
      }
    } else (parsed.value.kind === "message" ? messageTexts : fileTexts).push(parsed.value.text);
  }
  if (fileTexts.length > 0) {
    if (contextByName.has("text"))
      problems.push({ path: "message.parts", message: duplicateName("text") });
    contextByName.set("text", fileTexts.join("\n\n"));
  }
  if (problems.length > 0) return fail(createInvalidParams(problems));
  const context = Object.fromEntries(contextByName);
  if (isDeeperThan(context, CONTEXT_DEPTH_MAX)) return invalidPart("message.parts", TOO_DEEP);
  const messageText = messageTexts.filter((one) => one.trim() !== "").join("\n\n");
  return ok({ text: messageText, context });
}

/** The limit of REST, where the context is one level below the body. */
const CONTEXT_DEPTH_MAX = JSON_DEPTH_MAX - 1;
const TOO_DEEP = `make a context that is nested too deeply: at most ${CONTEXT_DEPTH_MAX} levels, the context being the first`;

/** Recursive, because each part has been checked to be shallow. */
function isDeeperThan(value: Json, levelsMax: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levelsMax === 0 || Object.values(value).some((one) => isDeeperThan(one, levelsMax - 1));
}

function duplicateName(name: string): string {
  return `repeats ${preview(name)}; a message may contain it once`;
}

function parsePart(part: A2aMessagePart, path: string): Result<ParsedPart, A2aRequestFailure> {
  const { raw, url, data, filename = "", mediaType = "" } = part;
  if (url !== undefined) {
    return unsupportedPart(
      `${path} names a URL, and nothing is fetched here: send the file itself, as text or raw.`,
    );
  }
  if (data !== undefined) return parseDataPart(data, path);
  const kind = partKindOf(mediaType, filename, raw !== undefined);
  if (kind === null) {
    return unsupportedPart(
      `${path} is ${preview(mediaType)}; what can be read is ${INPUT_MEDIA_TYPES.join(", ")}.`,
    );
  }
  const text = raw === undefined ? (part.text ?? "") : decodeText(raw);
  if (text === null) return unsupportedPart(`${path}.raw must be base64 of text in UTF-8.`);
  switch (kind) {
    case "message":
    case "file":
      return ok({ kind, text });
    case "csv":
      return ok({ kind: "values", values: { csv: text } });
    case "json": {
      const json = parseStrictJson(new TextEncoder().encode(text));
      const isSound = json.ok && json.value.problems.length === 0;
      if (isSound && json.value.value !== undefined) return parseDataPart(json.value.value, path);
      return invalidPart(path, "must hold JSON that meets the rules for a request's body");
    }
  }
}

function parseDataPart(data: Json, path: string): Result<ParsedPart, A2aRequestFailure> {
  if (isJsonObject(data)) return ok({ kind: "values", values: data });
  if (Array.isArray(data)) return ok({ kind: "values", values: { data } });
  return invalidPart(path, "must hold an object, or an array of row objects");
}

/** The kind of a text part; null for an unsupported media type. */
function partKindOf(mediaType: string, filename: string, isFile: boolean): PartKind | null {
  const type = mediaType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "text/csv") return "csv";
  if (/^application\/(?:[\w.-]+\+)?json$/.test(type)) return "json";
  if (type !== "" && !INPUT_MEDIA_TYPES.includes(type)) return null;
  if (filename === "" && !isFile) return "message";
  const ending = filename.split(".").at(-1)?.toLowerCase() ?? "";
  return PART_KIND_BY_EXTENSION[ending] ?? "file";
}

function decodeText(base64: string): string | null {
  const bytes = decodeBase64url(base64);
  if (bytes === null) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return checkText(text) === null ? text : null;
  } catch {
    return null;
  }
}

function unsupportedPart(message: string): Result<never, A2aRequestFailure> {
  return fail({ name: "content_type_not_supported", message });
}

function invalidPart(path: string, message: string): Result<never, A2aRequestFailure> {
  return fail(createInvalidParams([{ path, message }]));
}
