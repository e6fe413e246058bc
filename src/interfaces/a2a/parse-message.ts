import { decodeBase64url } from "../../kernel/bytes.ts";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { JSON_DEPTH_MAX } from "../../kernel/limits.ts";
import { preview, type Problem } from "../../kernel/problem.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { parseStrictJson, checkText } from "../../http/json-body.ts";
import { createRequestFailure, createInvalidParams, type A2aRequestFailure } from "./failures.ts";
import type { A2aMessagePart } from "./schemas.ts";

/** What a message says: in words, and as a task's context, where the built-in agents find what to read. */
export interface ParsedMessage {
  readonly text: string;
  readonly context: JsonObject;
}

/** What can be read, as the card says. */
export const INPUT_MEDIA_TYPES = ["text/plain", "text/markdown", "text/csv", "application/json"];

/** A problem of what the parts brought, where it came from. */
export function toPartsProblem({ path, message }: Problem): Problem {
  const field = /^context\.(.+)$/.exec(path)?.[1];
  return { path: "message.parts", message: field === undefined ? message : `${field} ${message}` };
}

/** What a text is to a task: words said, or material to read. */
type PartKind = "words" | "text" | "csv" | "json";
const PART_KIND_BY_EXTENSION: Readonly<Record<string, PartKind>> = { csv: "csv", json: "json" };

/** One part, read: words, or values for the context by name. */
type ParsedPart =
  | { readonly kind: "words" | "text"; readonly text: string }
  | { readonly kind: "values"; readonly values: JsonObject };

/**
 * Sorts the parts of a message. Files of text go into `text`, one table into `csv`, one array of rows
 * into `data`; an object is part of the context as it is.
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
    } else (parsed.value.kind === "words" ? messageTexts : fileTexts).push(parsed.value.text);
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

/** What REST takes: there a context is one level within the body. */
const CONTEXT_DEPTH_MAX = JSON_DEPTH_MAX - 1;
const TOO_DEEP = `make a context that is nested too deeply: at most ${CONTEXT_DEPTH_MAX} levels, the context being the first`;

/** Each part by itself has been found shallow enough for recursion. */
function isDeeperThan(value: Json, levelsMax: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levelsMax === 0 || Object.values(value).some((one) => isDeeperThan(one, levelsMax - 1));
}

function duplicateName(name: string): string {
  return `brings ${preview(name)} a second time; a message may bring one`;
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
    case "words":
    case "text":
      return ok({ kind, text });
    case "csv":
      return ok({ kind: "values", values: { csv: text } });
    case "json": {
      const json = parseStrictJson(new TextEncoder().encode(text));
      const isSound = json.ok && json.value.problems.length === 0;
      if (isSound && json.value.value !== undefined) return parseDataPart(json.value.value, path);
      return invalidPart(path, "must hold JSON, as sound as that of a request's body");
    }
  }
}

function parseDataPart(data: Json, path: string): Result<ParsedPart, A2aRequestFailure> {
  if (isJsonObject(data)) return ok({ kind: "values", values: data });
  if (Array.isArray(data)) return ok({ kind: "values", values: { data } });
  return invalidPart(path, "must hold an object, or an array of row objects");
}

/** Null for what is no text. */
function partKindOf(mediaType: string, filename: string, isFile: boolean): PartKind | null {
  const type = mediaType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "text/csv") return "csv";
  if (/^application\/(?:[\w.-]+\+)?json$/.test(type)) return "json";
  if (type !== "" && !INPUT_MEDIA_TYPES.includes(type)) return null;
  if (filename === "" && !isFile) return "words";
  const ending = filename.split(".").at(-1)?.toLowerCase() ?? "";
  return PART_KIND_BY_EXTENSION[ending] ?? "text";
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
  return fail(createRequestFailure("content_type_not_supported", message));
}

function invalidPart(path: string, message: string): Result<never, A2aRequestFailure> {
  return fail(createInvalidParams([{ path, message }]));
}
