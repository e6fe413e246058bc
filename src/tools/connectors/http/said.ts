import type { Json, JsonObject } from "../../../domain/json.ts";
import { REJECTION_BYTES_MAX } from "../../../domain/limits.ts";
import type { Result } from "../../../domain/result.ts";
import { contentOf, type Content } from "./content.ts";
import type { Redaction } from "../../../secrets/redact.ts";

const ENCODER = new TextEncoder();

/** What a system said: `{status, body}`: JSON as it is while it is short, else the beginning of the text. */
export function saidIn(
  status: number,
  bytes: Uint8Array,
  contentType: string | null,
  redaction: Redaction,
): JsonObject {
  return { status, body: told(contentOf(bytes, contentType), bytes, redaction) };
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
