import type { HttpMethod, MappedBody } from "../../../domain/connector.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { bodyShape, type BodyShape } from "./body-shape.ts";
import { formFields } from "./form-fields.ts";
import { chooseBodyType, type BodyType } from "./media-type.ts";
import { textIn, type ParameterSet } from "./parameter-set.ts";
import { NO_ROOM } from "./request-parts.ts";

/** How a body's parameters come together. */
export interface BodyParts {
  readonly body: MappedBody | null;
  readonly contentType: string | null;
  readonly parameters: ParameterSet;
  /** What no single parameter's schema can tell: a sentence, or an empty text. */
  readonly rule: string;
}

/** Fields up to this size are parameters of their own, however much they repeat. */
const MODEST_CHARACTERS = 32_768;
const REPETITIONS_MAX = 2;

/**
 * Reads an operation's body into parameters: one for each field of a plain object, else one for the
 * whole. `newSet` begins again with the parameters that are not of the body.
 */
export function readBody(
  method: HttpMethod,
  operation: JsonObject,
  components: JsonObject,
  newSet: () => ParameterSet,
  dropped: (what: string) => void,
): Result<BodyParts, string> {
  const none = { body: null, contentType: null, parameters: newSet(), rule: "" };
  const { requestBody } = operation;
  if (!isJsonObject(requestBody)) return ok(none);
  const required = requestBody["required"] === true;
  const content = isJsonObject(requestBody["content"]) ? requestBody["content"] : {};
  const type = chooseBodyType(content);
  if (type === null) {
    const offered = Array.isArray(requestBody["offered"]) ? requestBody["offered"].join(", ") : "";
    if (required) return fail(`requires a body of ${offered || "no media type"}`);
    dropped(`a body of ${offered || "no media type"}`);
    return ok(none);
  }
  const described = content[type.key];
  const media = isJsonObject(described) ? described : {};
  const schema = media["schema"] ?? {};
  const shape = type.as === "text" ? null : bodyShape(schema, components);
  const isBodiless = method === "GET" || method === "HEAD";
  if (shape?.fields.size === 0 && (isBodiless || !required)) return ok(none);
  if (isBodiless) {
    if (required) return fail(`requires a body, which ${method} requests do not have`);
    dropped(`the body of a ${method} request`);
    return ok(none);
  }
  const fields = shape === null ? null : asFields(type, schema, shape, required, newSet());
  if (fields !== null) {
    const isField = (name: string) => shape?.fields.has(name) ?? false;
    const forms = formFields(type.as, media, components, isField);
    return ok({ ...fields, body: { ...fields.body, ...forms } });
  }
  const parameters = newSet();
  const parameter = parameters.add({
    name: "body",
    otherwise: "request-body",
    required,
    description: textIn(requestBody, "description"),
    deprecated: false,
    schema,
    usualType: type.as === "text" ? "string" : "object",
  });
  if (parameter === null) return fail(NO_ROOM);
  const { as, contentType } = type;
  const forms = formFields(as, media, components, () => true);
  return ok({ body: { as, parameter, ...forms }, contentType, parameters, rule: "" });
}

/** Null when a field's name is taken, or they would repeat too much of what they share. */
function asFields(
  { as, contentType }: BodyType,
  schema: Json,
  shape: BodyShape,
  required: boolean,
  parameters: ParameterSet,
): (BodyParts & { readonly body: MappedBody }) | null {
  if ([...shape.fields.keys()].some((name) => name === "" || parameters.has(name))) return null;
  const size = parameters.sizeOf([...shape.fields.values()]);
  const wholeSize = parameters.sizeOf([schema]) ?? Infinity;
  if (size === null || size > Math.max(MODEST_CHARACTERS, REPETITIONS_MAX * wholeSize)) return null;
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
  return { body, contentType, parameters, rule: ruleOf(shape, required) };
}

function ruleOf({ required: names, alternatives }: BodyShape, required: boolean): string {
  if (alternatives.length > 0) {
    const lists = alternatives.map((fields) => fields.join(" with "));
    return `Needs at least one of: ${lists.join(", ")}.`;
  }
  if (required || names.size === 0) return "";
  return `Takes a body, which can be left out; with one, these are required: ${[...names].join(", ")}.`;
}
