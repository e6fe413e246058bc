export type JsonSchema = Readonly<Record<string, unknown>>;

const COMBINATIONS = ["anyOf", "oneOf"] as const;

/**
 * Reduces a schema to one type, without `null`, which a form expresses by an empty field. Returns null if the schema
 * allows several types or refers to other schemas.
 */
export function simplify(schema: JsonSchema): JsonSchema | null {
  if ("$ref" in schema || "allOf" in schema || "if" in schema || "not" in schema) return null;
  for (const combination of COMBINATIONS) {
    const { [combination]: variants, ...rest } = schema;
    if (variants === undefined) continue;
    const [only, ...others] = Array.isArray(variants)
      ? variants.filter((variant: unknown) => !isNullSchema(variant))
      : [];
    return isSchema(only) && others.length === 0 ? simplify({ ...rest, ...only }) : null;
  }
  const { type } = schema;
  if (!Array.isArray(type)) return schema;
  const [only, ...others] = type.filter((one) => one !== "null");
  return typeof only === "string" && others.length === 0 ? { ...schema, type: only } : null;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNullSchema(value: unknown): boolean {
  return isSchema(value) && value["type"] === "null";
}

/** What a schema demands of a value, in words: "from 1 to 7", "at most 80 characters", "default: 1". */
export function constraintsOf(schema: JsonSchema): readonly string[] {
  const { format, pattern, items } = schema;
  const defaultValue = schema["default"];
  return [
    ...rangeOf(schema, "minimum", "maximum", ""),
    ...boundOf(schema["exclusiveMinimum"], "more than"),
    ...boundOf(schema["exclusiveMaximum"], "less than"),
    ...rangeOf(schema, "minLength", "maxLength", " characters"),
    ...rangeOf(schema, "minItems", "maxItems", " items"),
    ...(typeof format === "string" ? [`format: ${format}`] : []),
    ...(typeof pattern === "string" ? [`pattern: ${pattern}`] : []),
    ...(isSchema(items) && Array.isArray(items["enum"])
      ? [`allowed: ${items["enum"].map(String).join(", ")}`]
      : []),
    ...(defaultValue === undefined ? [] : [`default: ${JSON.stringify(defaultValue)}`]),
  ];
}

function boundOf(value: unknown, words: string): readonly string[] {
  return typeof value === "number" ? [`${words} ${value}`] : [];
}

function rangeOf(schema: JsonSchema, least: string, most: string, unit: string): readonly string[] {
  const from = schema[least];
  const to = schema[most];
  if (typeof from === "number" && typeof to === "number") return [`from ${from} to ${to}${unit}`];
  if (typeof from === "number") return [`at least ${from}${unit}`];
  return typeof to === "number" ? [`at most ${to}${unit}`] : [];
}
