/** A schema of the finished document, as far as it is walked through. */
export interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly const?: unknown;
  description?: string;
}

export type Schemas = Readonly<Record<string, Schema>>;

/**
 * Writes the texts of a body's fields into its schema, by path (`budget.maxCost`, `items[].name`,
 * `query.*.style`). Answers with what does not fit: texts without a field, two texts for one field.
 */
export function describeFields(
  schemas: Schemas,
  body: Schema,
  fields: Readonly<Record<string, string>>,
): string[] {
  const places = Map.groupBy(fieldsOf(schemas, body), ({ path }) => path);
  return Object.entries(fields).flatMap(([path, text]) => {
    const there = places.get(path) ?? [];
    if (there.length === 0) return [`${path} is described and is no field`];
    return there.flatMap(({ schema }) => {
      if (schema.description !== undefined && schema.description !== text) {
        return [`${path} is described in two ways: "${schema.description}" and "${text}"`];
      }
      schema.description = text;
      return [];
    });
  });
}

/** The fields of a body that nothing describes. What only tells variants apart is described by its value. */
export function undescribed(schemas: Schemas, body: Schema): string[] {
  const lacking = fieldsOf(schemas, body).filter(
    ({ schema }) => schema.description === undefined && schema.const === undefined,
  );
  return [...new Set(lacking.map(({ path }) => path))];
}

interface Field {
  readonly path: string;
  readonly schema: Schema;
}

/** Every field of a schema with the schema of its value, in all variants. */
function fieldsOf(schemas: Schemas, schema: Schema, base = ""): Field[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const path = base === "" ? name : `${base}.${name}`;
    return [{ path, schema: value }, ...fieldsOf(schemas, value, path)];
  });
  const { additionalProperties: rest, items } = schema;
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const shared = resolved(schemas, schema);
  return [
    ...own,
    ...(items === undefined ? [] : fieldsOf(schemas, items, `${base}[]`)),
    ...(typeof rest === "object" ? fieldsOf(schemas, rest, base === "" ? "*" : `${base}.*`) : []),
    ...parts.flatMap((part) => fieldsOf(schemas, part, base)),
    ...(shared === undefined ? [] : fieldsOf(schemas, shared, base)),
  ];
}

/** The component that a schema refers to. */
function resolved(schemas: Schemas, { $ref }: Schema): Schema | undefined {
  return $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf("/") + 1)];
}
