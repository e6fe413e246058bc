/** The parts of a schema in the finished document that this module reads. */
interface DocumentSchema {
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

/** The fields of a body without a description. A constant needs none. */
export function listUndescribedFields(schemas: DocumentSchemas, body: DocumentSchema): string[] {
  const lacking = listFields(schemas, body).filter(
    ({ schema }) => schema.description === undefined && schema.const === undefined,
  );
  return [...new Set(lacking.map(({ path }) => path))];
}

/**
 * Moves the default of each field of a body to its description, because some generators make a type of which every
 * field with a default is required.
 */
export function describeDefaults(schemas: DocumentSchemas, body: DocumentSchema): void {
  for (const { schema } of listFields(schemas, body)) {
    if (schema.default === undefined) continue;
    schema.description =
      `${schema.description ?? ""} Default: \`${JSON.stringify(schema.default)}\`.`.trim();
    delete schema.default;
  }
}

interface SchemaField {
  readonly path: string;
  readonly schema: DocumentSchema;
}

/** Every field of a schema, in all variants, with the schema of its value. */
function listFields(schemas: DocumentSchemas, schema: DocumentSchema, base = ""): SchemaField[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const path = base === "" ? name : `${base}.${name}`;
    return [{ path, schema: value }, ...listFields(schemas, value, path)];
  });
  const { additionalProperties: rest, items } = schema;
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const shared = resolveReference(schemas, schema);
  return [
    ...own,
    ...(items === undefined ? [] : listFields(schemas, items, `${base}[]`)),
    ...(typeof rest === "object" ? listFields(schemas, rest, base === "" ? "*" : `${base}.*`) : []),
    ...parts.flatMap((part) => listFields(schemas, part, base)),
    ...(shared === undefined ? [] : listFields(schemas, shared, base)),
  ];
}

/** The component that a schema refers to. */
function resolveReference(
  schemas: DocumentSchemas,
  { $ref }: DocumentSchema,
): DocumentSchema | undefined {
  return $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf("/") + 1)];
}
