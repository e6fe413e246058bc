import type { Json } from "../../../domain/json.ts";
import { ANSWER_DEPTH_MAX } from "../../../domain/limits.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { isWithinDepth } from "../depth.ts";

/** What the bytes of an answer are. Bytes that are no text stay bytes. */
export type Content =
  | { readonly kind: "none" }
  | { readonly kind: "json"; readonly value: Json }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly bytes: Uint8Array };

const JSON_TYPE = /^[\w.!#$&^-]+\/(?:[\w.!#$&^+-]+\+)?json$/;
const TEXT_TYPE =
  /^(?:text\/.*|application\/(?:.*\+)?(?:xml|yaml)|application\/(?:x-yaml|javascript|graphql|sql|toml|x-ndjson|jsonl|x-www-form-urlencoded)|image\/svg\+xml)$/;

/** Reads an answer's bytes as its Content-Type says; the failure completes "it …". */
export function contentOf(bytes: Uint8Array, contentType: string | null): Result<Content, string> {
  if (bytes.byteLength === 0) return ok({ kind: "none" });
  const type = (contentType?.split(";")[0] ?? "").trim().toLowerCase();
  if (JSON_TYPE.test(type)) return jsonOf(bytes);
  if (TEXT_TYPE.test(type))
    return ok({ kind: "text", text: decoded(bytes, charsetOf(contentType)) });
  const text = type === "" ? plainText(bytes) : null;
  return ok(text === null ? { kind: "binary", bytes } : { kind: "text", text });
}

function jsonOf(bytes: Uint8Array): Result<Content, string> {
  let value: Json;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return fail("said JSON and sent something else.");
  }
  if (!isWithinDepth(value, ANSWER_DEPTH_MAX)) {
    return fail(`sent JSON nested deeper than ${ANSWER_DEPTH_MAX} levels.`);
  }
  return ok({ kind: "json", value });
}

/** Text without a declared type, if it can be nothing else. */
function plainText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return text.includes("\u0000") ? null : text;
  } catch {
    return null;
  }
}

function decoded(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function charsetOf(contentType: string | null): string {
  return /;\s*charset="?([\w:.-]+)"?/i.exec(contentType ?? "")?.[1] ?? "utf-8";
}
