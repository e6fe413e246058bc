import type { Parameter } from "../domain/capability.ts";
import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import { portable } from "./schema/portable.ts";
import { holdingOf, isData } from "./schema/shapes.ts";

/**
 * The JSON Schema of a function that takes these parameters. Each parameter's schema stands for itself,
 * so its definitions and the references to them get the parameter's place in the whole.
 */
export function schemaOf(parameters: readonly Parameter[]): JsonObject {
  const properties = new Map<string, Json>();
  const definitions = new Map<string, Json>();
  for (const parameter of parameters) {
    const { name, type, description } = parameter;
    const schema = parameter.schema ?? { type };
    const { $defs, $schema: _dialect, ...own } = schema;
    const place = new Place(name);
    if (isJsonObject($defs)) {
      for (const [definition, value] of Object.entries($defs)) {
        definitions.set(place.nameOf(definition), place.written(value));
      }
    }
    const written = place.written(own);
    const described = description === undefined || description === "" ? {} : { description };
    properties.set(name, { ...(isJsonObject(written) ? written : {}), ...described });
  }
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  return portable({
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    ...(definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) }),
  });
}

/** Has MCP clients repeat a parameter as a header, which nothing here would compare with it. */
const FOREIGN_HEADER = "x-mcp-header";
const DEFINITION = /^#\/\$defs\/([^/]+)(.*)$/s;

/** Where one parameter's schema lies within the schema of the function. */
class Place {
  readonly #parameter: string;

  constructor(parameter: string) {
    this.#parameter = parameter;
  }

  /** A definition's name once those of all parameters stand together. */
  nameOf(definition: string): string {
    return `${this.#parameter}.${definition}`;
  }

  /** A schema with its references led there; depth is bounded, as it came through an import. */
  written(schema: Json): Json {
    // Some providers know schemas only as objects.
    if (schema === true) return {};
    if (!isJsonObject(schema)) return schema;
    const entries = Object.entries(schema)
      .filter(([keyword]) => keyword !== FOREIGN_HEADER)
      .map(([keyword, value]): [string, Json] => {
        if (keyword === "$ref" && typeof value === "string") return [keyword, this.#led(value)];
        return [keyword, isData(keyword) ? value : this.#within(keyword, value)];
      });
    return withItems(Object.fromEntries(entries));
  }

  #within(keyword: string, value: Json): Json {
    switch (holdingOf(keyword)) {
      case "schema":
        // false is not "nothing known": it closes an object, and every provider knows it there.
        return typeof value === "boolean" ? value : this.written(value);
      case "schemas":
      case "schema or schemas":
        return Array.isArray(value) ? value.map((one) => this.written(one)) : this.written(value);
      case "schema map":
        if (!isJsonObject(value)) return value;
        return Object.fromEntries(
          Object.entries(value).map(([name, one]) => [name, this.written(one)]),
        );
      case "dependencies":
      case null:
        return value;
    }
  }

  #led(reference: string): string {
    const [, definition, rest] = DEFINITION.exec(reference) ?? [];
    if (definition !== undefined) return `#/$defs/${pointer(this.#parameter)}.${definition}${rest}`;
    if (!reference.startsWith("#")) return reference;
    return `#/properties/${pointer(this.#parameter)}${reference.slice(1)}`;
  }
}

/** A name within a reference: a JSON pointer (RFC 6901) in a URI fragment. */
function pointer(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** OpenAI refuses lists that do not say of what. */
function withItems(schema: JsonObject): JsonObject {
  const { type, items, prefixItems } = schema;
  const isList = type === "array" || (Array.isArray(type) && type.includes("array"));
  return isList && items === undefined && prefixItems === undefined
    ? { ...schema, items: {} }
    : schema;
}
