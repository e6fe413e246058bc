import type { RequestAuthorization } from "./connector.ts";
import { isJsonObject, type Json } from "../../kernel/json.ts";

const MASK = "***";
// Shorter values are not treated as secrets, because masking them would mask ordinary words.
const SECRET_CHARACTERS_MIN = 4;

/** Masks a credential in text from another system, whether plain or in an encoding in which systems usually echo it. */
export interface Redactor {
  readonly text: (text: string) => string;
  /** Masks strings, property names and numbers. The value must not be nested more deeply than a response may be. */
  readonly json: (value: Json) => Json;
}

export function createRedactor(
  ...authorizations: readonly (RequestAuthorization | null)[]
): Redactor {
  const given = authorizations.filter((one) => one !== null);
  // Mask longer secrets first; otherwise, parts of a secret that contains a shorter one would remain.
  const secrets = [...new Set(given.flatMap(listSpellings))]
    .filter((one) => one.length >= SECRET_CHARACTERS_MIN)
    .toSorted((one, other) => other.length - one.length);
  function text(value: string): string {
    return secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), value);
  }
  function json(value: Json): Json {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") {
      return secrets.some((secret) => secret === String(value)) ? MASK : value;
    }
    if (Array.isArray(value)) return value.map(json);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [text(name), json(one)]));
  }
  return { text, json: secrets.length === 0 ? (value) => value : json };
}

function listSpellings({ value, secret = value }: RequestAuthorization): string[] {
  const bare = value.replace(/^\S+\s+/, "");
  const pair = /^basic\s/i.test(value) ? decodeBasicAuth(bare) : null;
  const password = pair === null ? null : pair.slice(pair.indexOf(":") + 1);
  const plain = [value, secret, bare, pair, password].filter((one) => one !== null);
  return plain.flatMap((one) => [
    one,
    encodeURIComponent(one),
    encodeURIComponent(one).replaceAll("%20", "+"),
    JSON.stringify(one).slice(1, -1),
  ]);
}

function decodeBasicAuth(base64: string): string | null {
  try {
    return atob(base64);
  } catch {
    return null;
  }
}
