import type { HttpMethod, BodyMapping } from "../../model/connector.ts";
import { isJsonObject, type Json, toJsonObject } from "../../../kernel/json.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { type BodyMediaType, readFormFields } from "./form-encoding.ts";
import type { ParameterSet } from "./parameter-set.ts";
import { TOO_MANY_PARAMETERS } from "./operation-parameters.ts";
import type { OperationBody } from "./operation-parts.ts";
import { DEFINITION_PREFIX, type SchemaDefinitions } from "./read-schemas.ts";

/** The fields of an object, each of which can become a parameter. */
interface BodyFields {
  readonly fields: ReadonlyMap<string, Json>;
  readonly required: ReadonlySet<string>;
  /** Lists of fields. All fields of at least one list must be present. */
  readonly alternatives: readonly (readonly string[])[];
}

/** The maximum number of schema parts to read. Nested `allOf` can multiply parts. */
const PARTS_MAX = 200;

const UNSPLITTABLE_KEYWORDS = "not if dependentSchemas patternProperties enum const".split(" ");

/** The fields of a body whose schema is a plain object; null if the body must be a single parameter. */
function readBodyFields(schema: Json, definitions: SchemaDefinitions): BodyFields | null {
  const fields = new Map<string, Json>();
  const required = new Set<string>();
  const alternatives: string[][] = [];
  let parts = 0;

  function take(part: Json): boolean {
    parts += 1;
    if (!isJsonObject(part) || parts > PARTS_MAX) return false;
    if (UNSPLITTABLE_KEYWORDS.some((keyword) => part[keyword] !== undefined)) return false;
    if (!isObjectType(part["type"]) || !ignoresExtraFields(part["additionalProperties"]))
      return false;
    const reference = part["$ref"];
    if (typeof reference === "string") {
      const name = reference.slice(DEFINITION_PREFIX.length);
      if (!take(definitions.get(name) ?? false)) return false;
    }
    const choices = [toList(part["anyOf"]), toList(part["oneOf"])];
    // A single alternative is not a choice.
    const members = [part["allOf"], ...choices.filter(({ length }) => length === 1)];
    for (const member of members.flatMap(toList)) {
      if (!take(member)) return false;
    }
    for (const branches of choices.filter(({ length }) => length > 1)) {
      const choice = branches.map(readRequiredOnly);
      if (choice.includes(null)) return false;
      alternatives.push(...choice.filter((names) => names !== null));
    }
    for (const name of toList(part["required"])) {
      if (typeof name === "string") required.add(name);
    }
    return takeFields(part["properties"]);
  }

  function takeFields(properties: Json | undefined): boolean {
    for (const [name, field] of Object.entries(toJsonObject(properties))) {
      const before = fields.get(name);
      if (before !== undefined && JSON.stringify(before) !== JSON.stringify(field)) return false;
      if (!isReadOnly(field, definitions)) fields.set(name, field);
    }
    return true;
  }

  if (!take(schema)) return null;
  const isFreeForm = fields.size === 0 && !declaresFields(schema);
  if (isFreeForm) return null;
  return { fields, required: required.intersection(new Set(fields.keys())), alternatives };
}

function isObjectType(type: Json | undefined): boolean {
  if (type === undefined || type === "object") return true;
  return Array.isArray(type) && type.includes("object");
}

/** Whether undeclared fields can be ignored, so that no parameter is needed for them. */
function ignoresExtraFields(additional: Json | undefined): boolean {
  if (additional === undefined || typeof additional === "boolean") return true;
  return isJsonObject(additional) && Object.keys(additional).length === 0;
}

function declaresFields(schema: Json): boolean {
  return (
    isJsonObject(schema) &&
    (schema["additionalProperties"] === false || isJsonObject(schema["properties"]))
  );
}

function isReadOnly(field: Json, definitions: SchemaDefinitions): boolean {
  if (!isJsonObject(field)) return false;
  if (typeof field["readOnly"] === "boolean") return field["readOnly"];
  const reference = field["$ref"];
  if (typeof reference !== "string") return false;
  const target = definitions.get(reference.slice(DEFINITION_PREFIX.length));
  return isJsonObject(target) && target["readOnly"] === true;
}

/** The required fields of an alternative; null if the alternative has any other condition. */
function readRequiredOnly(alternative: Json): string[] | null {
  if (!isJsonObject(alternative)) return null;
  const { required, type: _type, title: _title, description: _description, ...rest } = alternative;
  if (Object.keys(rest).length > 0 || !Array.isArray(required)) return null;
  return required.filter((name) => typeof name === "string");
}

function toList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

interface BodyParameters {
  readonly body: BodyMapping | null;
  readonly contentType: string | null;
  readonly parameters: ParameterSet;
  /** A sentence about a rule that involves several parameters; empty if there is none. */
  readonly rule: string;
}

/** Fields up to this total size become separate parameters, even if they repeat schemas. */
const SPLIT_CHARACTERS_MAX = 32_768;
const REPETITIONS_MAX = 2;

/**
 * Converts a body to parameters: one per field of a plain object, otherwise a single one. `newSet` returns a set that
 * contains the operation's other parameters.
 */
export function readOperationBody(
  method: HttpMethod,
  given: OperationBody | null,
  definitions: SchemaDefinitions,
  newSet: () => ParameterSet,
  dropped: (what: string) => void,
): Result<BodyParameters, string> {
  const none = { body: null, contentType: null, parameters: newSet(), rule: "" };
  if (given === null) return ok(none);
  const { required, type, schema } = given;
  if (type === null) {
    const types = given.offered.join(", ");
    const unfit = types === "" ? "a body without a media type" : `a body of type ${types}`;
    if (required) return fail(`requires ${unfit}`);
    dropped(unfit);
    return ok(none);
  }
  const shape = type.as === "text" ? null : readBodyFields(schema, definitions);
  const isBodiless = method === "GET" || method === "HEAD";
  if (shape?.fields.size === 0 && (isBodiless || !required)) return ok(none);
  if (isBodiless) {
    if (required) return fail(`requires a body, which ${method} requests cannot have`);
    dropped(`the body of a ${method} request`);
    return ok(none);
  }
  const fields = shape === null ? null : toFieldParameters(type, schema, shape, required, newSet());
  if (fields !== null) {
    const isField = (name: string) => shape?.fields.has(name) ?? false;
    const forms = readFormFields(type.as, given, definitions, isField);
    return ok({ ...fields, body: { ...fields.body, ...forms } });
  }
  const parameters = newSet();
  const parameter = parameters.add({
    name: "body",
    otherwise: "request-body",
    required,
    description: given.description,
    deprecated: false,
    schema,
    usualType: type.as === "text" ? "string" : "object",
  });
  if (parameter === null) return fail(TOO_MANY_PARAMETERS);
  const { as, contentType } = type;
  const forms = readFormFields(as, given, definitions, () => true);
  return ok({ body: { as, parameter, ...forms }, contentType, parameters, rule: "" });
}

/**
 * Converts each field to a parameter. Returns null if a field's name is empty or taken, if the fields do not fit, or if
 * shared schemas would be repeated too often.
 */
function toFieldParameters(
  { as, contentType }: BodyMediaType,
  schema: Json,
  shape: BodyFields,
  required: boolean,
  parameters: ParameterSet,
): (BodyParameters & { readonly body: BodyMapping }) | null {
  if ([...shape.fields.keys()].some((name) => name === "" || parameters.has(name))) return null;
  const size = parameters.sizeOf([...shape.fields.values()]);
  const wholeSize = parameters.sizeOf([schema]) ?? Infinity;
  if (size === null || size > Math.max(SPLIT_CHARACTERS_MAX, REPETITIONS_MAX * wholeSize))
    return null;
  const names: [string, string][] = [];
  for (const [name, field] of shape.fields) {
    const parameter = parameters.add({
      name,
      otherwise: name,
      required: required && shape.required.has(name),
      description: "",
      deprecated: false,
      schema: field,
      usualType: as === "json" ? "object" : "string",
    });
    if (parameter === null) return null;
    names.push([name, parameter]);
  }
  const body = { as, fields: Object.fromEntries(names) };
  return { body, contentType, parameters, rule: formatBodyRule(shape, required) };
}

function formatBodyRule({ required: names, alternatives }: BodyFields, required: boolean): string {
  if (alternatives.length > 0) {
    const lists = alternatives.map((fields) => fields.join(" with "));
    return `Requires at least one of: ${lists.join(", ")}.`;
  }
  if (required || names.size === 0) return "";
  return `The body is optional. If you send one, it must contain ${[...names].join(", ")}.`;
}
