import {
  type BodyEncoding,
  type BodyMapping,
  type FieldStyle,
  type FilePart,
  PARAMETER_STYLES,
} from "../../model/connector.ts";
import { isJsonObject, type Json, type JsonObject, toJsonObject } from "../../../kernel/json.ts";
import { readTextField } from "./parameter-set.ts";
import { DEFINITION_PREFIX, type SchemaDefinitions } from "./read-schemas.ts";

/** The media type of a body in the document, and how the service encodes the body. */
export interface BodyMediaType {
  readonly key: string;
  readonly as: BodyEncoding;
  /** The `Content-Type`, if it is not the default; otherwise null. */
  readonly contentType: string | null;
}

/** In order of preference. */
const MEDIA_TYPE_RULES: readonly (readonly [essence: RegExp, as: BodyEncoding])[] = [
  [/^application\/json$/, "json"],
  [/^application\/[a-z0-9.!#$&^_-]+\+json$/, "json"],
  [/^application\/x-www-form-urlencoded$/, "form"],
  [/^multipart\/form-data$/, "multipart"],
  [/^text\/plain$/, "text"],
  [/^(?:\*|application)\/\*$/, "json"],
];

/** The offered media type to send; null if the service cannot encode any of those offered. */
export function chooseBodyMediaType(content: JsonObject): BodyMediaType | null {
  const keys = Object.keys(content);
  for (const [pattern, as] of MEDIA_TYPE_RULES) {
    const key = keys.find((one) => pattern.test(essenceOf(one)));
    if (key === undefined) continue;
    const essence = essenceOf(key);
    return { key, as, contentType: essence.endsWith("+json") ? essence : null };
  }
  return null;
}

/** A media type without parameters, in lower case. */
function essenceOf(mediaType: string): string {
  return (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

/** The maximum number of schemas to read when looking for a field or file. References can multiply schemas. */
const PARTS_MAX = 50;
const DEFAULT_FILE_TYPE = "application/octet-stream";
const JSON_TYPE = /^application\/(?:.*\+)?json$/;
const CONCRETE_TYPE = /^(?!multipart\/)[\w.!#$&^-]{1,100}\/[\w.!#$&^+-]{1,100}$/;

/** Reads which fields are files and how the others are encoded, for the fields that `isField` accepts. */
export function readFormFields(
  as: BodyEncoding,
  { schema, encoding }: { readonly schema: Json; readonly encoding: JsonObject },
  definitions: SchemaDefinitions,
  isField: (name: string) => boolean,
): Pick<BodyMapping, "styles" | "files"> {
  if (as !== "form" && as !== "multipart") return {};
  const encodingOf = (name: string): JsonObject =>
    Object.hasOwn(encoding, name) ? toJsonObject(encoding[name]) : {};
  const files = new Map<string, FilePart>();
  for (const [name, field] of as === "multipart" ? listProperties(schema, definitions) : []) {
    const file = readFilePart(field, encodingOf(name), definitions);
    if (file !== null && isField(name)) files.set(name, file);
  }
  const styles = Object.keys(encoding).flatMap((name): [string, FieldStyle][] => {
    const style = files.has(name) || !isField(name) ? null : readFieldStyle(encodingOf(name));
    return style === null ? [] : [[name, style]];
  });
  return {
    ...(styles.length === 0 ? {} : { styles: Object.fromEntries(styles) }),
    ...(files.size === 0 ? {} : { files: Object.fromEntries(files) }),
  };
}

/** As in OpenAPI 3.1, a style takes precedence over a media type. */
function readFieldStyle(encoding: JsonObject): FieldStyle | null {
  const style = PARAMETER_STYLES.find((one) => one === encoding["style"]);
  const explode =
    typeof encoding["explode"] === "boolean" ? { explode: encoding["explode"] } : null;
  if (style !== undefined) return { style, ...explode };
  if (explode !== null) return explode;
  return JSON_TYPE.test(readFirstMediaType(encoding)) ? { style: "json" } : null;
}

function readFilePart(
  field: Json,
  encoding: JsonObject,
  definitions: SchemaDefinitions,
): FilePart | null {
  const type = readFirstMediaType(encoding);
  for (const part of listSchemaParts(field, definitions, ["items"])) {
    const isBase64 = readTextField(part, "contentEncoding").toLowerCase() === "base64";
    const mediaType = readTextField(part, "contentMediaType");
    if (!isBase64 && mediaType === "" && part["format"] !== "binary") continue;
    const contentType =
      [type, mediaType].find((one) => CONCRETE_TYPE.test(one)) ?? DEFAULT_FILE_TYPE;
    return { encoding: isBase64 ? "base64" : "text", contentType };
  }
  if (type === "" || type === "text/plain" || JSON_TYPE.test(type)) return null;
  return { encoding: "text", contentType: CONCRETE_TYPE.test(type) ? type : DEFAULT_FILE_TYPE };
}

/** The first media type of a field, whose `contentType` can be a list such as `image/png, image/jpeg`. */
function readFirstMediaType(encoding: JsonObject): string {
  return essenceOf(readTextField(encoding, "contentType").split(",", 1)[0] ?? "");
}

function listProperties(
  schema: Json | undefined,
  definitions: SchemaDefinitions,
): [string, Json][] {
  return listSchemaParts(schema, definitions, []).flatMap(({ properties: named }) =>
    Object.entries(toJsonObject(named)),
  );
}

/** A schema, the schemas that apply to the same value, and the schemas under the `also` keywords. */
function listSchemaParts(
  schema: Json | undefined,
  definitions: SchemaDefinitions,
  also: readonly string[],
): JsonObject[] {
  const parts: JsonObject[] = [];
  const open = [schema];
  for (let next = open.shift(); parts.length < PARTS_MAX; next = open.shift()) {
    if (isJsonObject(next)) {
      parts.push(next);
      const reference = readTextField(next, "$ref");
      if (reference !== "") open.push(definitions.get(reference.slice(DEFINITION_PREFIX.length)));
      for (const keyword of also) open.push(next[keyword]);
      for (const list of [next["allOf"], next["anyOf"], next["oneOf"]]) {
        if (Array.isArray(list)) open.push(...list.slice(0, PARTS_MAX));
      }
    }
    if (open.length === 0) break;
  }
  return parts;
}
