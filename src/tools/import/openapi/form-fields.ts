import {
  PARAMETER_STYLES,
  type BodyEncoding,
  type FieldStyle,
  type FilePart,
  type MappedBody,
} from "../../../domain/connector.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { COMPONENT, unguarded } from "./copy-schemas.ts";
import { essenceOf } from "./media-type.ts";
import { textIn } from "./parameter-set.ts";

/** Schemas looked at in search of a field or a file; references can name more than a document has bytes. */
const PARTS_MAX = 50;
const ANY_FILE = "application/octet-stream";
const JSON_TYPE = /^application\/(?:.*\+)?json$/;
const CONCRETE_TYPE = /^(?!multipart\/)[\w.!#$&^-]{1,100}\/[\w.!#$&^+-]{1,100}$/;

/**
 * A media type's `encoding`, with what the service heeds of it. A list, as the upgrader would take a
 * field called `example` for a keyword.
 */
export function copyEncoding(encoding: JsonObject): JsonObject[] {
  return Object.entries(encoding).map(([field, told]) => {
    const copy: JsonObject = { field };
    for (const keyword of ["style", "explode", "contentType"]) {
      const found = isJsonObject(told) ? told[keyword] : undefined;
      if (typeof found === "string" || typeof found === "boolean") copy[keyword] = found;
    }
    return copy;
  });
}

/** How the fields that `isField` knows are written, where the document says so, and which are files. */
export function formFields(
  as: BodyEncoding,
  { schema, encoding }: JsonObject,
  components: JsonObject,
  isField: (name: string) => boolean,
): Pick<MappedBody, "styles" | "files"> {
  if (as !== "form" && as !== "multipart") return {};
  const list = Array.isArray(encoding) ? encoding.filter(isJsonObject) : [];
  const told = new Map(list.map((one) => [textIn(one, "field"), one]));
  const files = new Map<string, FilePart>();
  for (const [name, field] of as === "multipart" ? properties(schema, components) : []) {
    const file = fileOf(field, told.get(name) ?? {}, components);
    if (file !== null && isField(name)) files.set(name, file);
  }
  const styles = [...told].flatMap(([name, one]): [string, FieldStyle][] => {
    const style = files.has(name) || !isField(name) ? null : styleOf(one);
    return style === null ? [] : [[name, style]];
  });
  return {
    ...(styles.length === 0 ? {} : { styles: Object.fromEntries(styles) }),
    ...(files.size === 0 ? {} : { files: Object.fromEntries(files) }),
  };
}

/** As in OpenAPI 3.1, a media type counts for nothing beside a style. */
function styleOf(told: JsonObject): FieldStyle | null {
  const style = PARAMETER_STYLES.find((one) => one === told["style"]);
  const explode = typeof told["explode"] === "boolean" ? { explode: told["explode"] } : null;
  if (style !== undefined) return { style, ...explode };
  if (explode !== null) return explode;
  return JSON_TYPE.test(typeOf(told)) ? { style: "json" } : null;
}

function fileOf(field: Json, told: JsonObject, components: JsonObject): FilePart | null {
  const type = typeOf(told);
  for (const part of partsOf(field, components, ["items"])) {
    const isBase64 = textIn(part, "contentEncoding").toLowerCase() === "base64";
    const mediaType = textIn(part, "contentMediaType");
    if (!isBase64 && mediaType === "" && part["format"] !== "binary") continue;
    const contentType = [type, mediaType].find((one) => CONCRETE_TYPE.test(one)) ?? ANY_FILE;
    return { encoding: isBase64 ? "base64" : "text", contentType };
  }
  if (type === "" || type === "text/plain" || JSON_TYPE.test(type)) return null;
  return { encoding: "text", contentType: CONCRETE_TYPE.test(type) ? type : ANY_FILE };
}

/** The first of the media types that a field may have: `image/png, image/jpeg`. */
function typeOf(told: JsonObject): string {
  return essenceOf(textIn(told, "contentType").split(",", 1)[0] ?? "");
}

function properties(schema: Json | undefined, components: JsonObject): [string, Json][] {
  return partsOf(schema, components, []).flatMap(({ properties: named }) =>
    Object.entries(isJsonObject(named) ? named : {}).map(([key, field]): [string, Json] => [
      unguarded(key),
      field,
    ]),
  );
}

/** A schema with those that judge the same value, and those behind the keywords `also`. */
function partsOf(
  schema: Json | undefined,
  components: JsonObject,
  also: readonly string[],
): JsonObject[] {
  const parts: JsonObject[] = [];
  const open = [schema];
  for (let next = open.shift(); parts.length < PARTS_MAX; next = open.shift()) {
    if (isJsonObject(next)) {
      parts.push(next);
      const reference = textIn(next, "$ref");
      if (reference !== "") open.push(components[reference.slice(COMPONENT.length)]);
      for (const keyword of also) open.push(next[keyword]);
      for (const list of [next["allOf"], next["anyOf"], next["oneOf"]]) {
        if (Array.isArray(list)) open.push(...list.slice(0, PARTS_MAX));
      }
    }
    if (open.length === 0) break;
  }
  return parts;
}
