import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { redactJson, truncateUtf8 } from "../../tools/model/recorded-json.ts";
import { STATE_BYTES_MAX, STATE_READ_BYTES_MAX } from "../limits.ts";

/**
 * A state as the audit log stores it: JSON without secrets. A state that is too large becomes
 * `{"cut": {"start", "bytes", "sha256"}}` with the beginning, size and SHA-256 of its JSON without secrets.
 */
export function redactState(
  state: JsonObject | null,
  sha256: (text: string) => string,
): string | null {
  if (state === null) return null;
  const { text } = redactJson(hideHeadersAndQueries(state), STATE_READ_BYTES_MAX);
  const start = truncateUtf8(text, STATE_BYTES_MAX);
  if (start.length === text.length) return text;
  const bytes = new TextEncoder().encode(text).byteLength;
  const cut = { start, bytes, sha256: sha256(text) };
  return JSON.stringify({ cut });
}

/** Hides the values of HTTP headers, and the query and the fragment of URLs, because they can contain secrets. */
function hideHeadersAndQueries(value: Json): Json {
  if (typeof value === "string") return value.replace(URL_WITH_QUERY, "$1?***");
  if (Array.isArray(value)) return value.map(hideHeadersAndQueries);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      name === "headers" && isJsonObject(one) ? hideValues(one) : hideHeadersAndQueries(one),
    ]),
  );
}

function hideValues(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, "***"]));
}

const URL_WITH_QUERY = /^(https?:\/\/[^\s?#]*)[?#]\S+$/i;
