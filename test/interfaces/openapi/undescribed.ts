import { toPathTemplate, type ApiRoute } from "../../../src/interfaces/openapi/api-route.ts";
import type { buildOpenApiDocument } from "../../../src/interfaces/openapi/document.ts";
import type {
  DocumentSchema,
  DocumentSchemas,
} from "../../../src/interfaces/openapi/field-defaults.ts";
import { bodyComponentNameOf } from "../../../src/interfaces/openapi/request-parts.ts";

type OpenApiDocument = ReturnType<typeof buildOpenApiDocument>;

interface DocumentParameter {
  readonly name: string;
  readonly description?: string;
}

/** Returns a route's method and path, such as GET /agents/tasks/:id. */
export function routeKeyOf({ method, path }: ApiRoute): string {
  return `${method} ${path}`;
}

/**
 * Lists the parameters and body fields that have no description, and the descriptions of parameters
 * that do not exist.
 */
export function listUndescribed(document: OpenApiDocument, routes: readonly ApiRoute[]): string[] {
  const schemas = (document.components?.schemas ?? {}) as DocumentSchemas;
  return routes.flatMap((route) => {
    const { operation } = route;
    const parameters = parametersOf(document, route);
    const names = new Set(parameters.map(({ name }) => name));
    const body = schemas[bodyComponentNameOf(operation)];
    const fields = body === undefined ? [] : listFields(schemas, body);
    const undescribed = [
      ...parameters.filter(({ description = "" }) => description === "").map(({ name }) => name),
      ...fields.filter(({ schema }) => !isDescribed(schema)).map(({ path }) => path),
    ];
    return [
      ...Object.keys(operation.parameters ?? {})
        .filter((name) => !names.has(name))
        .map((name) => `${name} is no parameter`),
      ...new Set(undescribed.map((path) => `${path} has no description`)),
    ].map((problem) => `${routeKeyOf(route)}: ${problem}`);
  });
}

function parametersOf({ paths = {} }: OpenApiDocument, route: ApiRoute): DocumentParameter[] {
  const item = Object.entries(paths[toPathTemplate(route)] ?? {});
  const operation: { readonly parameters?: DocumentParameter[] } | undefined = new Map(item).get(
    route.method.toLowerCase(),
  );
  return operation?.parameters ?? [];
}

/** A constant needs no description. A generated `Default: …` sentence is not a description. */
function isDescribed({ description = "", const: constant }: DocumentSchema): boolean {
  return constant !== undefined || description.replace(/(?:^| )Default: .*/s, "") !== "";
}

/** Lists every field of a schema, in all variants, with the schema of the field's value. */
function listFields(
  schemas: DocumentSchemas,
  schema: DocumentSchema,
  base = "",
): { readonly path: string; readonly schema: DocumentSchema }[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const path = base === "" ? name : `${base}.${name}`;
    return [{ path, schema: value }, ...listFields(schemas, value, path)];
  });
  const { additionalProperties: rest, items, $ref } = schema;
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const shared = $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf("/") + 1)];
  return [
    ...own,
    ...(items === undefined ? [] : listFields(schemas, items, `${base}[]`)),
    ...(typeof rest === "object" ? listFields(schemas, rest, base === "" ? "*" : `${base}.*`) : []),
    ...parts.flatMap((part) => listFields(schemas, part, base)),
    ...(shared === undefined ? [] : listFields(schemas, shared, base)),
  ];
}
