import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { COMPONENT, unguarded } from "./copy-schemas.ts";

/** An object's fields, each of which can be a parameter of its own. */
export interface BodyShape {
  readonly fields: ReadonlyMap<string, Json>;
  readonly required: ReadonlySet<string>;
  /** Lists of fields, one of which must be there whole. */
  readonly alternatives: readonly (readonly string[])[];
}

/** Parts of a schema looked at; `allOf` over `allOf` can name more than a document has bytes. */
const PARTS_MAX = 200;

const SPOILERS = ["not", "if", "dependentSchemas", "patternProperties", "enum", "const"] as const;

/** The fields of a body whose schema is a plain object; null when it must stay whole. */
export function bodyShape(schema: Json, components: JsonObject): BodyShape | null {
  const fields = new Map<string, Json>();
  const required = new Set<string>();
  const alternatives: string[][] = [];
  let parts = 0;

  function take(part: Json): boolean {
    parts += 1;
    if (!isJsonObject(part) || parts > PARTS_MAX) return false;
    if (SPOILERS.some((keyword) => part[keyword] !== undefined)) return false;
    if (!isObjectType(part["type"]) || !isOpen(part["additionalProperties"])) return false;
    const reference = part["$ref"];
    if (typeof reference === "string") {
      const name = reference.slice(COMPONENT.length);
      if (!take(components[name] ?? false)) return false;
    }
    const choices = [listOf(part["anyOf"]), listOf(part["oneOf"])];
    // A choice of one is none.
    const members = [part["allOf"], ...choices.filter(({ length }) => length === 1)];
    for (const member of members.flatMap(listOf)) {
      if (!take(member)) return false;
    }
    for (const branches of choices.filter(({ length }) => length > 1)) {
      const choice = branches.map(requiredOnly);
      if (choice.includes(null)) return false;
      alternatives.push(...choice.filter((names) => names !== null));
    }
    for (const name of listOf(part["required"])) {
      if (typeof name === "string") required.add(name);
    }
    return takeFields(part["properties"]);
  }

  function takeFields(properties: Json | undefined): boolean {
    for (const [key, field] of Object.entries(isJsonObject(properties) ? properties : {})) {
      const name = unguarded(key);
      const before = fields.get(name);
      if (before !== undefined && JSON.stringify(before) !== JSON.stringify(field)) return false;
      if (!isReadOnly(field, components)) fields.set(name, field);
    }
    return true;
  }

  if (!take(schema)) return null;
  const isFreeForm = fields.size === 0 && !isClosed(schema);
  if (isFreeForm) return null;
  return { fields, required: required.intersection(new Set(fields.keys())), alternatives };
}

function isObjectType(type: Json | undefined): boolean {
  if (type === undefined || type === "object") return true;
  return Array.isArray(type) && type.includes("object");
}

/** Whether fields beside the named ones are of no interest, so that a parameter for them is not missed. */
function isOpen(additional: Json | undefined): boolean {
  if (additional === undefined || typeof additional === "boolean") return true;
  return isJsonObject(additional) && Object.keys(additional).length === 0;
}

function isClosed(schema: Json): boolean {
  return (
    isJsonObject(schema) &&
    (schema["additionalProperties"] === false || isJsonObject(schema["properties"]))
  );
}

function isReadOnly(field: Json, components: JsonObject): boolean {
  if (!isJsonObject(field)) return false;
  if (typeof field["readOnly"] === "boolean") return field["readOnly"];
  const reference = field["$ref"];
  if (typeof reference !== "string") return false;
  const target = components[reference.slice(COMPONENT.length)];
  return isJsonObject(target) && target["readOnly"] === true;
}

/** The fields that an alternative asks for, when it asks for nothing else. */
function requiredOnly(alternative: Json): string[] | null {
  if (!isJsonObject(alternative)) return null;
  const { required, type: _type, title: _title, description: _description, ...rest } = alternative;
  if (Object.keys(rest).length > 0 || !Array.isArray(required)) return null;
  return required.filter((name) => typeof name === "string");
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
