import type { Schemas } from "../api/client.ts";
import { constraintsOf, simplify, type JsonSchema } from "./parameter-schema.ts";

type Parameter = Schemas["Parameter"];

/** `json`: the value as JSON, for every type that has no control of its own. `list`: strings, one per line. */
export type FieldKind =
  | "text"
  | "long-text"
  | "date"
  | "number"
  | "integer"
  | "boolean"
  | "choice"
  | "list"
  | "json";

export interface FormField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly description: string;
  /** What the schema demands of a value, in words. */
  readonly constraints: readonly string[];
  /** The allowed values of a choice. */
  readonly options: readonly unknown[];
  /** The JSON type of a field of the kind `json`. */
  readonly jsonType: Parameter["type"];
}

/** What is typed into each field, by parameter. The empty string means that the parameter is omitted. */
export type FormValues = Readonly<Record<string, string>>;

interface FormResult {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Why the value of a field is invalid, by parameter. */
  readonly problems: ReadonlyMap<string, string>;
}

/** A string with a higher maximum length gets a control with several lines, because it may contain line breaks. */
const SHORT_TEXT_MAX = 200;

/** Returns the fields of a form for the parameters of a capability. */
export function fieldsOf(parameters: readonly Parameter[]): readonly FormField[] {
  return parameters.map(({ name, type, required, description = "", schema = {} }) => {
    const simple = simplify(schema);
    return {
      name,
      kind: kindOf(type, simple),
      required,
      description,
      constraints: simple === null ? [] : constraintsOf(simple),
      options: optionsOf(simple),
      jsonType: type,
    };
  });
}

function optionsOf(schema: JsonSchema | null): readonly unknown[] {
  if (schema === null) return [];
  if (Array.isArray(schema["enum"])) return schema["enum"];
  return "const" in schema ? [schema["const"]] : [];
}

function kindOf(declared: Parameter["type"], schema: JsonSchema | null): FieldKind {
  if (schema === null) return "json";
  if (optionsOf(schema).length > 0) return "choice";
  switch (schema["type"] ?? declared) {
    case "string":
      return textKindOf(schema);
    case "integer":
      return "integer";
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return isListOfStrings(schema) ? "list" : "json";
    default:
      return "json";
  }
}

function textKindOf({ format, maxLength }: JsonSchema): FieldKind {
  if (format === "date") return "date";
  const isShort = typeof maxLength === "number" && maxLength <= SHORT_TEXT_MAX;
  return isShort || typeof format === "string" ? "text" : "long-text";
}

function isListOfStrings({ items }: JsonSchema): boolean {
  return typeof items === "object" && items !== null && Reflect.get(items, "type") === "string";
}

/** Reads the parameters from what is typed into the fields. Fields with problems are left out. */
export function parametersOf(fields: readonly FormField[], values: FormValues): FormResult {
  const parameters: [string, unknown][] = [];
  const problems = new Map<string, string>();
  for (const field of fields) {
    const typed = typedOf(values, field.name);
    if (typed === "") {
      if (field.required) problems.set(field.name, "Required.");
      continue;
    }
    const read = readValue(field, typed);
    if ("problem" in read) problems.set(field.name, read.problem);
    else parameters.push([field.name, read.value]);
  }
  return { parameters: Object.fromEntries(parameters), problems };
}

/** What is typed into the field of a parameter, whose name can also be that of a property of every object. */
export function typedOf(values: FormValues, name: string): string {
  return Object.hasOwn(values, name) ? (values[name] ?? "") : "";
}

type Read = { readonly value: unknown } | { readonly problem: string };

function readValue(field: FormField, typed: string): Read {
  switch (field.kind) {
    case "text":
    case "long-text":
    case "date":
      return { value: typed };
    case "number":
    case "integer":
      return readNumber(typed, field.kind);
    case "boolean":
      return { value: typed === "true" };
    case "choice":
      return readChoice(field, typed);
    case "list":
      return { value: typed.split("\n").filter((line) => line !== "") };
    case "json":
      return readJson(typed, field.jsonType);
  }
}

function readNumber(typed: string, kind: "number" | "integer"): Read {
  const value = typed.trim() === "" ? Number.NaN : Number(typed);
  if (!Number.isFinite(value)) return { problem: "Enter a number." };
  if (kind === "integer" && !Number.isInteger(value)) return { problem: "Enter a whole number." };
  return { value };
}

function readChoice({ options }: FormField, typed: string): Read {
  const chosen = options.find((option) => JSON.stringify(option) === typed);
  return chosen === undefined ? { problem: "Choose one of the values." } : { value: chosen };
}

function readJson(typed: string, expected: Parameter["type"]): Read {
  let value: unknown;
  try {
    value = JSON.parse(typed);
  } catch {
    return { problem: `Enter valid JSON: ${exampleOf(expected)}.` };
  }
  // A schema may allow several types, so the service decides about scalars.
  const isWrong =
    (expected === "array" && !Array.isArray(value) && !isObject(value)) ||
    (expected === "object" && (typeof value !== "object" || value === null));
  return isWrong ? { problem: `Enter an ${expected}: ${exampleOf(expected)}.` } : { value };
}

function exampleOf(type: Parameter["type"]): string {
  if (type === "array") return '["a", "b"]';
  if (type === "object") return '{"name": "value"}';
  return type === "string" ? '"text"' : "1";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns what to type to get these parameters, or null if the form cannot express them: an unknown parameter, an
 * empty string or a value of another type.
 */
export function valuesOf(fields: readonly FormField[], parameters: unknown): FormValues | null {
  if (!isObject(parameters)) return null;
  const values: [string, string][] = [];
  for (const [name, value] of Object.entries(parameters)) {
    const field = fields.find((one) => one.name === name);
    const typed = field === undefined ? null : typedValue(field, value);
    if (typed === null) return null;
    values.push([name, typed]);
  }
  return Object.fromEntries(values);
}

function typedValue(field: FormField, value: unknown): string | null {
  const typed = typedText(field, value);
  if (typed === null || typed === "") return null;
  // The text must read back as the same value.
  const read = readValue(field, typed);
  return "value" in read && JSON.stringify(read.value) === JSON.stringify(value) ? typed : null;
}

function typedText({ kind }: FormField, value: unknown): string | null {
  switch (kind) {
    case "text":
    case "long-text":
    case "date":
      return typeof value === "string" ? value : null;
    case "number":
    case "integer":
    case "boolean":
      return String(value);
    case "list":
      return Array.isArray(value) ? value.join("\n") : null;
    case "choice":
      return JSON.stringify(value);
    case "json":
      return JSON.stringify(value, null, 2);
  }
}

/** The problems that the API reports for the parameters of the form, by parameter. */
export function problemsByField(
  fields: readonly FormField[],
  problems: readonly { readonly path: string; readonly message: string }[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name } of fields) {
    const path = `parameters.${name}`;
    const own = problems.filter(
      (problem) =>
        problem.path === path ||
        problem.path.startsWith(`${path}.`) ||
        problem.path.startsWith(`${path}[`),
    );
    if (own.length === 0) continue;
    found.set(
      name,
      own.map((one) => `${one.path.slice(path.length)} ${one.message}`.trim()).join("; "),
    );
  }
  return found;
}
