import { createDocument, type ZodOpenApiOperationObject } from "zod-openapi";
import { codesOf, isPublic, isRepeatable } from "./codes.ts";
import { aloneAmong, errorComponents, errorResponses, type Manner } from "./errors.ts";
import { describeFields, undescribed, type Schemas } from "./fields.ts";
import { foreignResponses, goodResponses } from "./answers.ts";
import { HEADERS } from "./headers.ts";
import { INFO, SECURITY_SCHEME, TAG_TEXTS } from "./info.ts";
import type { Operation, Operations } from "./operation.ts";
import { bodyName, bodyOf, parametersOf, queryOf } from "./requests.ts";
import { nameOf, pathParameters, templated, type Route } from "./route.ts";
import { override, SHARED } from "./schemas.ts";
import { TAGS } from "./operation.ts";

export type OpenApiDocument = ReturnType<typeof createDocument>;

interface Documented {
  readonly route: Route;
  readonly operation: Operation;
}

/** The API's document, and what the operations lack or have too much of, for a test to refuse. */
export function openApiDocument(
  routes: readonly Route[],
  operations: Operations,
  version: string,
): { readonly document: OpenApiDocument; readonly problems: readonly string[] } {
  const documented = routes.flatMap((route): Documented[] => {
    const operation = operations[nameOf(route)];
    return operation === undefined ? [] : [{ route, operation }];
  });
  const used = documented.flatMap(({ route, operation }) => codesOf(route, operation));
  const alone = documented.flatMap(({ route, operation }) =>
    aloneAmong(codesOf(route, operation), mannerOf(route, operation)),
  );
  const errors = errorComponents(new Set(used), new Set(alone));
  const document = createDocument(
    {
      openapi: "3.1.1",
      info: { ...INFO, version },
      servers: [{ url: "/" }],
      tags: TAGS.map((name) => ({ name, description: TAG_TEXTS[name] })),
      security: [{ bearerAuth: [] }],
      paths: pathsOf(documented),
      components: {
        securitySchemes: { bearerAuth: SECURITY_SCHEME },
        schemas: { ...SHARED, ...errors.schemas },
        headers: { XRequestId: HEADERS["X-Request-Id"] },
        responses: errors.responses,
        examples: errors.examples,
      },
    },
    { override },
  );
  return {
    document,
    problems: [
      ...mismatches(routes, operations),
      ...parameterProblems(documented),
      ...describeBodies(schemasOf(document), documented),
    ],
  };
}

/** What createDocument makes are schemas with the very fields that are walked through. */
function schemasOf({ components }: OpenApiDocument): Schemas {
  return (components?.schemas ?? {}) as Schemas;
}

/** Puts the texts of fields in; what shared schemas lack can only be told after all of them. */
function describeBodies(schemas: Schemas, documented: readonly Documented[]): string[] {
  const bodies = documented.flatMap(({ operation, route }) => {
    const schema = schemas[bodyName(operation)];
    return schema === undefined ? [] : [{ name: nameOf(route), fields: operation.fields, schema }];
  });
  const misfits = bodies.flatMap(({ name, fields = {}, schema }) =>
    describeFields(schemas, schema, fields).map((problem) => `${name}: ${problem}`),
  );
  const gaps = bodies.flatMap(({ name, schema }) =>
    undescribed(schemas, schema).map((path) => `${name}: ${path} has no description`),
  );
  return [...misfits, ...gaps];
}

function parameterProblems(documented: readonly Documented[]): string[] {
  return documented.flatMap(({ route, operation }) => {
    const known = new Set([...pathParameters(route), ...Object.keys(queryOf(route, operation))]);
    const told = Object.keys(operation.parameters ?? {});
    const bodyless = route.inputs.body === undefined;
    return [
      ...told.filter((name) => !known.has(name)).map((name) => `${name} is no parameter`),
      ...[...known.difference(new Set(told))].map((name) => `${name} has no description`),
      ...(bodyless && operation.fields !== undefined ? ["there is no body for its fields"] : []),
    ].map((problem) => `${nameOf(route)}: ${problem}`);
  });
}

function pathsOf(documented: readonly Documented[]) {
  const byPath = Map.groupBy(documented, ({ route }) => templated(route));
  return Object.fromEntries(
    [...byPath].map(([path, some]) => [
      path,
      Object.fromEntries(
        some.map(({ route, operation }) => [
          route.method.toLowerCase(),
          described(route, operation),
        ]),
      ),
    ]),
  );
}

function described(route: Route, operation: Operation): ZodOpenApiOperationObject {
  const { operationId, tag, summary, description, access } = operation;
  const scope = route.inputs.scope ?? operation.scope;
  const requestParams = parametersOf(route, operation);
  return {
    operationId,
    tags: [tag],
    summary,
    description:
      scope === undefined ? description : `${description}\n\nNeeds the scope \`${scope}\`.`,
    ...(scope === undefined ? {} : { "x-required-scope": scope }),
    ...(isPublic(operation) ? { security: [] } : {}),
    ...(access === "link" ? { security: [{ bearerAuth: [] }, {}] } : {}),
    ...(Object.keys(requestParams).length === 0 ? {} : { requestParams }),
    ...bodyOf(route, operation),
    responses: {
      ...goodResponses(route, operation),
      ...errorResponses(codesOf(route, operation), mannerOf(route, operation)),
      ...foreignResponses(operation),
    },
  };
}

/** A repeat of a request is given again whatever its route's own work has ended with. */
function mannerOf(route: Route, { codes, showsPages = false }: Operation): Manner {
  return { replayed: new Set(isRepeatable(route) ? codes : []), showsPages };
}

function mismatches(routes: readonly Route[], operations: Operations): string[] {
  const names = new Set(routes.map(nameOf));
  return [
    ...[...names]
      .filter((name) => !(name in operations))
      .map((name) => `${name} is not documented`),
    ...Object.keys(operations)
      .filter((name) => !names.has(name))
      .map((name) => `${name} is documented and is no route`),
  ];
}
