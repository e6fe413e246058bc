import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";

/**
 * An answer of an agent with the bytes of its parts taken out of it: each `raw` becomes a `url` that
 * `keep` gives for its base64. The SDK would decode them with Node's Buffer, which is not there.
 */
export function withoutRaw(value: Json, keep: (base64: string) => string): Json {
  if (Array.isArray(value)) return value.map((one) => withoutRaw(one, keep));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (name === "parts" && Array.isArray(one))
        return [name, one.map((part) => partOf(part, keep))];
      // What stands there is the agent's own, whatever its names.
      if (name === "metadata") return [name, one];
      return [name, withoutRaw(one, keep)];
    }),
  );
}

function partOf(part: Json, keep: (base64: string) => string): Json {
  if (!isJsonObject(part) || !isSet(part["raw"]) || isSet(part["text"])) return part;
  const { raw, ...rest }: JsonObject = part;
  return { ...rest, url: keep(typeof raw === "string" ? raw : "") };
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}
