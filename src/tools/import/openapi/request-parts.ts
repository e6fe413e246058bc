import type { Mapped, ParameterStyle } from "../../../domain/connector.ts";
import { PARAMETER_STYLES } from "../../../domain/connector.ts";
import { isJsonObject, type JsonObject } from "../../../domain/json.ts";
import { PARAMETERS_MAX } from "../../../domain/limits.ts";
import { shown } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { isReservedHeader } from "../../connectors/http/headers.ts";
import type { ParameterSet } from "./parameter-set.ts";
import { textIn } from "./parameter-set.ts";
import { pathTemplate, type PathParameter } from "./path-template.ts";

/** The parts of a request that parameters other than the body's make. */
export interface RequestParts {
  readonly path: string;
  readonly query: Readonly<Record<string, Mapped>>;
  readonly headers: Readonly<Record<string, Mapped>>;
}

export const NO_ROOM = "has too many or too large parameters";

/** Headers that OpenAPI describes elsewhere, so that parameters of their names mean nothing. */
const DESCRIBED_ELSEWHERE = new Set(["accept", "content-type"]);
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/**
 * Reads an operation's parameters into `set`. A reason why the operation cannot be offered completes
 * "…, as it …"; `dropped` hears of optional parameters that are left out.
 */
export function readParts(
  path: string,
  objects: readonly JsonObject[],
  set: ParameterSet,
  dropped: (what: string) => void,
): Result<RequestParts, string> {
  if (objects.length > PARAMETERS_MAX) return fail(NO_ROOM);
  const inPath = new Map(
    objects.filter(isIn("path")).map((object) => [textIn(object, "name"), pathParameter(object)]),
  );
  const template = pathTemplate(path, inPath);
  if (!template.ok) return template;
  const query: [string, Mapped][] = Object.entries(template.value.query).map(([name, value]) => [
    name,
    { value },
  ]);
  const headers: [string, Mapped][] = [];
  for (const name of template.value.names) {
    const described = objects.find((object) => isIn("path")(object) && object["name"] === name);
    if (described?.["content"] !== undefined) return fail("has a path parameter with a media type");
    // A template's variable is a parameter even where the document forgets to describe it.
    const object = described ?? { name, in: "path", schema: { type: "string" } };
    if (add({ ...object, required: true }, set) === null) return fail(NO_ROOM);
  }
  for (const object of objects) {
    const name = textIn(object, "name");
    if (isIn("path")(object)) {
      if (!template.value.names.includes(name)) dropped("a path parameter that is not in its path");
      continue;
    }
    const place = textIn(object, "in");
    if (place === "header" && isLookedAfter(name)) continue;
    const unfit = unfitness(place, name);
    if (unfit !== null) {
      if (object["required"] === true) return fail(`requires ${unfit}`);
      dropped(unfit);
      continue;
    }
    const parameter = add(object, set);
    if (parameter === null) return fail(NO_ROOM);
    if (place === "query") query.push([name, queryMapped(object, parameter)]);
    else headers.push([name, headerMapped(object, parameter)]);
  }
  return ok({
    path: template.value.template,
    query: Object.fromEntries(query),
    headers: Object.fromEntries(headers),
  });
}

function isIn(place: string): (object: JsonObject) => boolean {
  return (object) => object["in"] === place;
}

function pathParameter(object: JsonObject): PathParameter {
  return { style: textIn(object, "style") || "simple", explode: object["explode"] === true };
}

/** Whether a header is sent as it must be without anybody's doing: Content-Length, Authorization, … */
function isLookedAfter(name: string): boolean {
  const lowered = name.toLowerCase();
  return DESCRIBED_ELSEWHERE.has(lowered) || (lowered !== "cookie" && isReservedHeader(lowered));
}

function unfitness(place: string, name: string): string | null {
  if (name === "") return "a parameter without a name";
  switch (place) {
    case "query":
      return null;
    case "header":
      if (name.toLowerCase() === "cookie") return "a cookie";
      return HEADER_NAME.test(name) ? null : "a header with a name that HTTP does not allow";
    case "cookie":
      return "a cookie";
    default:
      return `a parameter in ${shown(place)}`;
  }
}

function add(object: JsonObject, set: ParameterSet): string | null {
  const name = textIn(object, "name");
  return set.add({
    name,
    otherwise: `${textIn(object, "in")}-${name}`,
    required: object["required"] === true,
    description: textIn(object, "description"),
    deprecated: object["deprecated"] === true,
    schema: object["schema"] ?? {},
    usualType: object["content"] === undefined ? "string" : "object",
  });
}

function queryMapped(object: JsonObject, parameter: string): Mapped {
  if (object["content"] !== undefined) return jsonOrText(object, parameter);
  const style = PARAMETER_STYLES.find((one) => one === object["style"]) ?? "form";
  return { parameter, ...styleOf(style, "form"), ...explodeOf(object, style === "form") };
}

function headerMapped(object: JsonObject, parameter: string): Mapped {
  if (object["content"] !== undefined) return jsonOrText(object, parameter);
  return { parameter, ...explodeOf(object, false) };
}

/** A parameter with a media type is JSON, or else a text that is sent as it is. */
function jsonOrText(object: JsonObject, parameter: string): Mapped {
  const isJson = /^(?:application\/(?:.*\+)?json|\*\/\*)\s*(?:;|$)/i.test(
    textIn(object, "content"),
  );
  return isJson ? { parameter, style: "json" } : { parameter };
}

function styleOf(style: ParameterStyle, usual: ParameterStyle): { style?: ParameterStyle } {
  return style === usual ? {} : { style };
}

function explodeOf({ explode }: JsonObject, usual: boolean): { explode?: boolean } {
  return typeof explode === "boolean" && explode !== usual ? { explode } : {};
}

/** An operation as the surface holds it: its parameters. */
export function parametersOf(operation: JsonObject): JsonObject[] {
  const { parameters } = operation;
  return Array.isArray(parameters) ? parameters.filter(isJsonObject) : [];
}
