import { bytesOfBase64url } from "../../bytes/base64.ts";
import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { BODY_DEPTH_MAX } from "../../domain/limits.ts";
import { shown, type Problem } from "../../domain/problem.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { parseJson, textProblem } from "../../http/json.ts";
import { faultOf, invalidParams, type Fault } from "./faults.ts";
import type { WirePart } from "./wire.ts";

/** What a message says: in words, and as a task's context, where the built-in agents find what to read. */
export interface Said {
  readonly words: string;
  readonly context: JsonObject;
}

/** What can be read, as the card says. */
export const MEDIA_TYPES = ["text/plain", "text/markdown", "text/csv", "application/json"];

/** A problem of what the parts brought, where it came from. */
export function problemOfParts({ path, message }: Problem): Problem {
  const field = /^context\.(.+)$/.exec(path)?.[1];
  return { path: "message.parts", message: field === undefined ? message : `${field} ${message}` };
}

/** What a text is to a task: words said, or material to read. */
type Kind = "words" | "text" | "csv" | "json";
const BY_ENDING: Readonly<Record<string, Kind>> = { csv: "csv", json: "json" };

/** One part, read: words, or values for the context by name. */
type Piece =
  | { readonly kind: "words" | "text"; readonly text: string }
  | { readonly kind: "values"; readonly values: JsonObject };

/**
 * Sorts the parts of a message. Files of text go into `text`, one table into `csv`, one array of rows
 * into `data`; an object is part of the context as it is.
 */
export function saidIn(parts: readonly WirePart[]): Result<Said, Fault> {
  const context = new Map<string, Json>();
  const texts: string[] = [];
  const words: string[] = [];
  const problems: Problem[] = [];
  for (const [index, part] of parts.entries()) {
    const path = `message.parts[${index}]`;
    const piece = pieceOf(part, path);
    if (!piece.ok && piece.failure.problems === undefined) return piece;
    if (!piece.ok) problems.push(...(piece.failure.problems ?? []));
    else if (piece.value.kind === "values") {
      for (const [name, value] of Object.entries(piece.value.values)) {
        if (context.has(name)) problems.push({ path, message: twice(name) });
        context.set(name, value);
      }
    } else (piece.value.kind === "words" ? words : texts).push(piece.value.text);
  }
  if (texts.length > 0) {
    if (context.has("text")) problems.push({ path: "message.parts", message: twice("text") });
    context.set("text", texts.join("\n\n"));
  }
  if (problems.length > 0) return fail(invalidParams(problems));
  const whole = Object.fromEntries(context);
  if (isDeeper(whole, CONTEXT_DEPTH_MAX)) return wrong("message.parts", TOO_DEEP);
  const said = words.filter((one) => one.trim() !== "").join("\n\n");
  return ok({ words: said, context: whole });
}

/** What REST takes: there a context is one level within the body. */
const CONTEXT_DEPTH_MAX = BODY_DEPTH_MAX - 1;
const TOO_DEEP = `make a context that is nested too deeply: at most ${CONTEXT_DEPTH_MAX} levels, the context being the first`;

/** Each part by itself has been found shallow enough for recursion. */
function isDeeper(value: Json, levelsMax: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levelsMax === 0 || Object.values(value).some((one) => isDeeper(one, levelsMax - 1));
}

function twice(name: string): string {
  return `brings ${shown(name)} a second time; a message may bring one`;
}

function pieceOf(part: WirePart, path: string): Result<Piece, Fault> {
  const { raw, url, data, filename = "", mediaType = "" } = part;
  if (url !== undefined) {
    return unsupported(
      `${path} names a URL, and nothing is fetched here: send the file itself, as text or raw.`,
    );
  }
  if (data !== undefined) return valuesIn(data, path);
  const kind = kindOf(mediaType, filename, raw !== undefined);
  if (kind === null) {
    return unsupported(
      `${path} is ${shown(mediaType)}; what can be read is ${MEDIA_TYPES.join(", ")}.`,
    );
  }
  const text = raw === undefined ? (part.text ?? "") : decoded(raw);
  if (text === null) return unsupported(`${path}.raw must be base64 of text in UTF-8.`);
  switch (kind) {
    case "words":
    case "text":
      return ok({ kind, text });
    case "csv":
      return ok({ kind: "values", values: { csv: text } });
    case "json": {
      const json = parseJson(new TextEncoder().encode(text));
      const isSound = json.ok && json.value.problems.length === 0;
      if (isSound && json.value.value !== undefined) return valuesIn(json.value.value, path);
      return wrong(path, "must hold JSON, as sound as that of a request's body");
    }
  }
}

function valuesIn(data: Json, path: string): Result<Piece, Fault> {
  if (isJsonObject(data)) return ok({ kind: "values", values: data });
  if (Array.isArray(data)) return ok({ kind: "values", values: { data } });
  return wrong(path, "must hold an object, or an array of row objects");
}

/** Null for what is no text. */
function kindOf(mediaType: string, filename: string, isFile: boolean): Kind | null {
  const type = mediaType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "text/csv") return "csv";
  if (/^application\/(?:[\w.-]+\+)?json$/.test(type)) return "json";
  if (type !== "" && !MEDIA_TYPES.includes(type)) return null;
  if (filename === "" && !isFile) return "words";
  const ending = filename.split(".").at(-1)?.toLowerCase() ?? "";
  return BY_ENDING[ending] ?? "text";
}

function decoded(base64: string): string | null {
  const bytes = bytesOfBase64url(base64);
  if (bytes === null) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return textProblem(text) === null ? text : null;
  } catch {
    return null;
  }
}

function unsupported(message: string): Result<never, Fault> {
  return fail(faultOf("content_type_not_supported", message));
}

function wrong(path: string, message: string): Result<never, Fault> {
  return fail(invalidParams([{ path, message }]));
}
