/** The fields of the document's schemas that this module and tests use. */
export interface DocumentSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly items?: DocumentSchema;
  readonly additionalProperties?: DocumentSchema | boolean;
  readonly anyOf?: readonly DocumentSchema[];
  readonly oneOf?: readonly DocumentSchema[];
  readonly allOf?: readonly DocumentSchema[];
  readonly const?: unknown;
  description?: string;
  default?: unknown;
}

export type DocumentSchemas = Readonly<Record<string, DocumentSchema>>;

/**
 * Moves the default of each field in a body to the field's description. Otherwise, some generators create types in
 * which every field with a default is required.
 */
export function describeDefaults(schemas: DocumentSchemas, body: DocumentSchema): void {
  for (const field of listFields(schemas, body)) {
    if (field.default === undefined) continue;
    field.description =
      `${field.description ?? ""} Default: \`${JSON.stringify(field.default)}\`.`.trim();
    delete field.default;
  }
}

/** The schemas of all fields in a schema, including all variants. */
function listFields(schemas: DocumentSchemas, schema: DocumentSchema): DocumentSchema[] {
  const { $ref, properties = {}, items, additionalProperties } = schema;
  const { anyOf = [], oneOf = [], allOf = [] } = schema;
  const fields = Object.values(properties);
  const shared = $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf("/") + 1)];
  const parts = [...fields, items, additionalProperties, ...anyOf, ...oneOf, ...allOf, shared];
  const nested = parts.filter((part) => typeof part === "object");
  return [...fields, ...nested.flatMap((part) => listFields(schemas, part))];
}
