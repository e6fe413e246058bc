import type { Json } from "../../../src/kernel/json.ts";
import type { Schema } from "./operations.ts";

/** A value for one field; the rest of the body is minimal. */
export interface Bound {
  /** The field's path, as it appears in problems. */
  readonly path: string;
  readonly what: string;
  readonly body: Json;
  /** Whether the schema allows the value. */
  readonly isWithin: boolean;
}

/** URL fields that are validated without sending a request. */
const URLS = /^(?:tokenUrl|authorizationUrl|baseUrl)$/;
/** Longer arrays are not worth sending. */
const ITEMS_MAX = 1_000;

/** Bodies with values at each bound of a schema and one past it. */
export function boundsOf(schema: Schema): Bound[] {
  return [...walk(schema, "", (value) => value)];
}

type Around = (value: Json) => Json;

function* walk(schema: Schema, path: string, around: Around): Generator<Bound> {
  for (const [what, value, isWithin, field] of edgesOf(schema, path)) {
    yield { path: below(path, field), what, body: around(value), isWithin };
  }
  for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    yield* walk(one, path, around);
  if (schema.type === "array" && schema.items !== undefined) {
    const { items, minItems = 0 } = schema;
    const others = Array.from({ length: Math.max(0, minItems - 1) }, () => smallest(items));
    yield* walk(items, `${path}[0]`, (value) => around([value, ...others]));
  }
  for (const [name, one] of Object.entries(schema.properties ?? {})) {
    const rest = smallestObject(schema);
    yield* walk(one, below(path, name), (value) => around({ ...rest, [name]: value }));
  }
}

function below(path: string, field: string | undefined): string {
  if (field === undefined) return path === "" ? "body" : path;
  return path === "" ? field : `${path}.${field}`;
}

/** `field` is set if the problem is reported for one field of the value. */
type Edge = readonly [what: string, value: Json, isWithin: boolean, field?: string];

function edgesOf(schema: Schema, path: string): Edge[] {
  const { const: only, enum: words, type } = schema;
  if (only !== undefined) return [["another word", `${String(only)}x`, false]];
  if (words !== undefined) {
    return [
      ...words.map((one): Edge => [String(one), valueOf(one), true]),
      ["none of them", "no such word", false],
    ];
  }
  switch (type) {
    case "string":
      return textEdges(schema, letterOf(path));
    case "integer":
    case "number":
      return numberEdges(schema);
    case "array":
      return listEdges(schema);
    case "boolean":
      return [
        ["a word", "true", false],
        ["true", true, true],
        ["false", false, true],
      ];
    case "object":
      return objectEdges(schema);
    default:
      return [];
  }
}

/**
 * The letter that fills a field's value. Secrets use a different letter, so no other value contains
 * a secret.
 */
function letterOf(path: string): string {
  return /secret|token|value|key|lease/i.test(path) ? "s" : "x";
}

function textEdges({ minLength, maxLength, format, pattern }: Schema, letter: string): Edge[] {
  const edges: Edge[] = [["a number", 1, false]];
  if (format !== undefined) return [...edges, [`no ${format}`, "x", false]];
  const mayBeAny = pattern === undefined || new RegExp(pattern).test(letter.repeat(maxLength ?? 1));
  if (minLength !== undefined && minLength > 0) {
    edges.push([`shorter than ${minLength}`, letter.repeat(minLength - 1), false]);
    if (mayBeAny) edges.push([`${minLength} long`, letter.repeat(minLength), true]);
  }
  if (maxLength !== undefined) {
    if (mayBeAny) edges.push([`${maxLength} long`, letter.repeat(maxLength), true]);
    edges.push([`longer than ${maxLength}`, letter.repeat(maxLength + 1), false]);
  }
  if (pattern === "\\S") {
    edges.push(["blank", " ", false]);
    if (maxLength !== undefined) {
      edges.push(["too long with its spaces", `${letter.repeat(maxLength)} `, false]);
    }
  }
  return edges;
}

function numberEdges({ type, minimum, maximum }: Schema): Edge[] {
  const edges: Edge[] = [["a text", "1", false]];
  if (minimum !== undefined) {
    edges.push([String(minimum), minimum, true], [`under ${minimum}`, minimum - 1, false]);
  }
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) {
    edges.push([String(maximum), maximum, true], [`over ${maximum}`, maximum + 1, false]);
  }
  if (type === "integer") edges.push(["a fraction", (minimum ?? 0) + 0.5, false]);
  return edges;
}

function listEdges({ items = {}, minItems = 0, maxItems = Infinity }: Schema): Edge[] {
  const edges: Edge[] = [["a text", "x", false]];
  const list = (length: number): Json[] => Array.from({ length }, () => smallest(items));
  if (minItems > 0) edges.push([`fewer than ${minItems}`, list(minItems - 1), false]);
  edges.push([`${minItems} items`, list(minItems), true]);
  if (maxItems > ITEMS_MAX) return edges;
  return [
    ...edges,
    [`${maxItems} items`, list(maxItems), true],
    [`more than ${maxItems}`, list(maxItems + 1), false],
  ];
}

function objectEdges(schema: Schema): Edge[] {
  const edges: Edge[] = [["a list", [], false]];
  const { required = [], additionalProperties = true, minProperties = 0, maxProperties } = schema;
  const least = smallestObject(schema);
  if (additionalProperties === false)
    edges.push(["a field too many", { ...least, extra: 1 }, false, "extra"]);
  if (minProperties > 0) edges.push(["nothing", {}, false]);
  if (maxProperties !== undefined && typeof additionalProperties === "object") {
    const many = (count: number): Json =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`x-${index}`, smallest(additionalProperties)]),
      );
    edges.push([`${maxProperties} fields`, many(maxProperties), true]);
    edges.push([`more than ${maxProperties} fields`, many(maxProperties + 1), false]);
  }
  for (const name of required) {
    const { [name]: _, ...rest } = least;
    edges.push([`no ${name}`, rest, false, name]);
  }
  return edges;
}

function smallestObject({ properties = {}, required = [] }: Schema): Record<string, Json> {
  const needed = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(needed.map(([name, one]) => [name, smallest(one, name)]));
}

/** The smallest value that a schema allows; `name` is the field's name. */
function smallest(schema: Schema, name = ""): Json {
  const { const: only, enum: words, type, minimum = 0, minItems = 0, items } = schema;
  if (only !== undefined) return String(only);
  if (words !== undefined) return valueOf(words[0]);
  const [variant] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (variant !== undefined) return smallest(variant);
  switch (type) {
    case "string":
      return URLS.test(name) ? "https://93.184.216.34" : smallestText(schema);
    case "integer":
    case "number":
      return minimum;
    case "boolean":
      return true;
    case "array":
      return Array.from({ length: minItems }, () => smallest(items ?? {}));
    case "object":
      return smallestObject(schema);
    default:
      return null;
  }
}

/** A value of an enum as it is sent. */
function valueOf(word: unknown): Json {
  return typeof word === "number" ? word : String(word);
}

const SHA256 = "0".repeat(64);

function smallestText({ minLength = 0, pattern }: Schema): string {
  const plain = "x".repeat(Math.max(1, minLength));
  return pattern === undefined || new RegExp(pattern).test(plain) ? plain : SHA256;
}
