import type * as z from "zod";
import type { Message, Part, SendMessageRequest } from "@a2a-js/sdk";
import { ContentTypeNotSupportedError } from "@a2a-js/sdk/errors";
import { asJson, isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { JSON_DEPTH_MAX } from "../../kernel/limits.ts";
import { preview, type Problem } from "../../kernel/result.ts";
import { validateSchema } from "../../http/validation.ts";
import { parseStrictJson, checkText } from "../../http/json-body.ts";
import { invalidParam, invalidParams } from "./errors.ts";

/** A message's text, and its files and data as the context of a task. */
export interface ParsedMessage {
  readonly text: string;
  readonly context: JsonObject;
}

/** The agent card's input modes. */
export const INPUT_MEDIA_TYPES = ["text/plain", "text/markdown", "text/csv", "application/json"];

export const SETTINGS_PATH = "message.metadata.bosun";

/** The `bosun` object in the metadata of the message or, if that has none, of the request. */
export function readBosunMetadata(message: Message, { metadata }: SendMessageRequest): JsonObject {
  // The metadata was parsed from JSON.
  const value = asJson(message.metadata?.["bosun"] ?? metadata?.["bosun"] ?? {});
  if (isJsonObject(value)) return value;
  throw invalidParam(SETTINGS_PATH, "must be an object");
}

/** Parses a message's parts and validates its metadata. */
export function parseMessage<Schema extends z.ZodType>(
  { parts }: Message,
  bosunMetadata: JsonObject,
  schema: Schema,
): ParsedMessage & { readonly settings: z.output<Schema> } {
  const parsed = parseMessageParts(parts);
  const settings = validateSchema(schema, bosunMetadata);
  if (settings.ok) return { ...parsed, settings: settings.value };
  throw invalidParams(
    settings.failure.map(({ path, message }) => ({
      path: path === "body" ? SETTINGS_PATH : `${SETTINGS_PATH}.${path}`,
      message,
    })),
  );
}

/** Reports a context problem at the path of the message's parts. */
export function toPartsProblem({ path, message }: Problem): Problem {
  const field = /^context\.(.+)$/.exec(path)?.[1];
  return { path: "message.parts", message: field === undefined ? message : `${field} ${message}` };
}

/** "message" is message text; the other kinds go into the context. */
type PartKind = "message" | "file" | "csv" | "json";
const PART_KIND_BY_EXTENSION: Readonly<Record<string, PartKind>> = { csv: "csv", json: "json" };

/** A parsed part: text, named values for the context, or a problem. */
type ParsedPart =
  | { readonly kind: "message" | "file"; readonly text: string }
  | { readonly kind: "values"; readonly values: JsonObject }
  | { readonly kind: "problem"; readonly message: string };

/**
 * Parses a message's parts. In the context, text files become `text`, a CSV table becomes `csv`, an array of rows
 * becomes `data`, and an object's fields become fields of the context.
 */
export function parseMessageParts(parts: readonly Part[]): ParsedMessage {
  const contextByName = new Map<string, Json>();
  const fileTexts: string[] = [];
  const messageTexts: string[] = [];
  const problems: Problem[] = [];
  for (const [index, part] of parts.entries()) {
    const path = `message.parts[${index}]`;
    const parsed = parsePart(part, path);
    if (parsed.kind === "problem") problems.push({ path, message: parsed.message });
    else if (parsed.kind === "values") {
      for (const [name, value] of Object.entries(parsed.values)) {
        if (contextByName.has(name)) problems.push({ path, message: duplicateName(name) });
        contextByName.set(name, value);
      }
    } else (parsed.kind === "message" ? messageTexts : fileTexts).push(parsed.text);
  }
  if (fileTexts.length > 0) {
    if (contextByName.has("text"))
      problems.push({ path: "message.parts", message: duplicateName("text") });
    contextByName.set("text", fileTexts.join("\n\n"));
  }
  if (problems.length > 0) throw invalidParams(problems);
  const context = Object.fromEntries(contextByName);
  if (isDeeperThan(context, CONTEXT_DEPTH_MAX)) throw invalidParam("message.parts", TOO_DEEP);
  const messageText = messageTexts.filter((one) => one.trim() !== "").join("\n\n");
  return { text: messageText, context };
}

/** The same limit as in REST, where the context is one level below the body. */
const CONTEXT_DEPTH_MAX = JSON_DEPTH_MAX - 1;
const TOO_DEEP = `must form a context of at most ${CONTEXT_DEPTH_MAX} levels, counting the context as the first`;

/** Recursion is safe, because the depth of each part has been checked. */
function isDeeperThan(value: Json, levelsMax: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levelsMax === 0 || Object.values(value).some((one) => isDeeperThan(one, levelsMax - 1));
}

function duplicateName(name: string): string {
  return `sets ${preview(name)} again; a message can set it only once`;
}

function parsePart({ content, filename, mediaType }: Part, path: string): ParsedPart {
  switch (content?.$case) {
    case undefined:
      return { kind: "problem", message: "must contain text, a file or data" };
    case "url":
      throw new ContentTypeNotSupportedError(
        `${path} is a URL, but files are not fetched from URLs. Send the file's content as text or raw.`,
      );
    case "data":
      return parseData(asJson(content.value));
    case "text":
    case "raw": {
      const kind = partKindOf(mediaType, filename, content.$case === "raw");
      if (kind === null) {
        throw new ContentTypeNotSupportedError(
          `${path} has the unsupported media type ${preview(mediaType)}. Supported types: ${INPUT_MEDIA_TYPES.join(", ")}.`,
        );
      }
      const text = content.$case === "text" ? content.value : decodeText(content.value);
      if (text === null)
        throw new ContentTypeNotSupportedError(`${path}.raw must be base64-encoded UTF-8 text.`);
      if (kind === "csv") return { kind: "values", values: { csv: text } };
      return kind === "json" ? parseJsonText(text) : { kind, text };
    }
  }
}

function parseJsonText(text: string): ParsedPart {
  const json = parseStrictJson(new TextEncoder().encode(text));
  const isSound = json.ok && json.value.problems.length === 0;
  if (isSound && json.value.value !== undefined) return parseData(json.value.value);
  return { kind: "problem", message: "must contain JSON that would be valid in a request body" };
}

function parseData(data: Json): ParsedPart {
  if (isJsonObject(data)) return { kind: "values", values: data };
  if (Array.isArray(data)) return { kind: "values", values: { data } };
  return {
    kind: "problem",
    message: "must contain an object, or an array with an object for each row",
  };
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

function decodeText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return checkText(text) === null ? text : null;
  } catch {
    return null;
  }
}
