import type { HttpMethod, MappedBody } from "../../../domain/connector.ts";
import { isJsonObject, type JsonObject } from "../../../domain/json.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { bodyShape, type BodyShape } from "./body-shape.ts";
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
  const media = content[type.key];
  const schema = (isJsonObject(media) ? media["schema"] : undefined) ?? {};
  const shape = type.as === "text" ? null : bodyShape(schema, components);
  const isBodiless = method === "GET" || method === "HEAD";
  if (shape?.fields.size === 0 && (isBodiless || !required)) return ok(none);
  if (isBodiless) {
    if (required) return fail(`requires a body, which ${method} requests do not have`);
    dropped(`the body of a ${method} request`);
    return ok(none);
  }
  const fields = shape === null ? null : asFields(type, shape, required, newSet());
  if (fields !== null) return ok(fields);
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
  return ok({ body: { as, parameter }, contentType, parameters, rule: "" });
}

/** Null when a field's name is taken or there is no room for all of them. */
function asFields(
  { as, contentType }: BodyType,
  shape: BodyShape,
  required: boolean,
  parameters: ParameterSet,
): BodyParts | null {
  const names: [string, string][] = [];
  for (const [name, schema] of shape.fields) {
    if (name === "" || parameters.has(name)) return null;
    const parameter = parameters.add({
      name,
      otherwise: name,
      required: required && shape.required.has(name),
      description: "",
      deprecated: false,
      schema,
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
