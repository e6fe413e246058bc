import type { BodyEncoding } from "../../../domain/connector.ts";
import type { JsonObject } from "../../../domain/json.ts";

/** A body's media type as the document writes it, and how the service writes it. */
export interface BodyType {
  readonly key: string;
  readonly as: BodyEncoding;
  /** What `Content-Type` must say where it is not the usual one; null where it is. */
  readonly contentType: string | null;
}

interface Rule {
  readonly fits: (essence: string) => boolean;
  readonly as: BodyEncoding;
}

/** In the order of preference. */
const RULES: readonly Rule[] = [
  { fits: (essence) => essence === "application/json", as: "json" },
  { fits: (essence) => /^application\/[a-z0-9.!#$&^_-]+\+json$/.test(essence), as: "json" },
  { fits: (essence) => essence === "application/x-www-form-urlencoded", as: "form" },
  { fits: (essence) => essence === "multipart/form-data", as: "multipart" },
  { fits: (essence) => essence === "text/plain", as: "text" },
  { fits: (essence) => essence === "*/*" || essence === "application/*", as: "json" },
];

/** Which of a body's media types to send; null when the service can write none of them. */
export function chooseBodyType(content: JsonObject): BodyType | null {
  const keys = Object.keys(content);
  for (const { fits, as } of RULES) {
    const key = keys.find((one) => fits(essenceOf(one)));
    if (key === undefined) continue;
    const essence = essenceOf(key);
    return { key, as, contentType: essence.endsWith("+json") ? essence : null };
  }
  return null;
}

/** A media type without its parameters, in small letters. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
}
