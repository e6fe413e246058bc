import {
  acceptsIdempotencyKey,
  type ApiRoute,
  listEndpoints,
  listErrorCodes,
  listPathParameters,
  PROTOCOL_ROUTES,
  routeKeyOf,
  toPathTemplate,
} from "./api-route.ts";
import { API_OPERATIONS } from "./operations.ts";
import { createDocument, type ZodOpenApiOperationObject } from "zod-openapi";
import {
  listSoleCodes,
  buildErrorComponents,
  buildErrorResponses,
  type ErrorResponseOptions,
} from "./error-responses.ts";
import {
  copyDescriptions,
  describeFields,
  listUndescribedFields,
  type DocumentSchemas,
} from "./field-descriptions.ts";
import { buildProtocolErrorResponses, buildSuccessResponses } from "./success-responses.ts";
import { RESPONSE_HEADERS } from "./response-headers.ts";
import { API_INFO, BEARER_SECURITY_SCHEME, TAG_DESCRIPTIONS } from "./info.ts";
import { API_TAGS, type ApiOperation, type ApiOperations } from "./api-operation.ts";
import {
  bodyComponentNameOf,
  buildRequestBody,
  buildRequestParameters,
  querySchemasOf,
} from "./request-parts.ts";
import { overrideJsonSchema, SHARED_COMPONENTS } from "./components.ts";

type OpenApiDocument = ReturnType<typeof createDocument>;

interface DocumentedRoute {
  readonly route: ApiRoute;
  readonly operation: ApiOperation;
}

/** The document, and the mismatches between routes and operations; a test requires that there are none. */
export function buildOpenApiDocument(
  routes: readonly ApiRoute[],
  operations: ApiOperations,
  version: string,
): { readonly document: OpenApiDocument; readonly problems: readonly string[] } {
  const documented = routes.flatMap((route): DocumentedRoute[] => {
    const operation = operations[routeKeyOf(route)];
    return operation === undefined ? [] : [{ route, operation }];
  });
  const used = documented.flatMap(({ route, operation }) => listErrorCodes(route, operation));
  const alone = documented.flatMap(({ route, operation }) =>
    listSoleCodes(listErrorCodes(route, operation), errorOptionsOf(route, operation)),
  );
  const errors = buildErrorComponents(new Set(used), new Set(alone));
  const document = createDocument(
    {
      openapi: "3.1.1",
      info: { ...API_INFO, version },
      servers: [{ url: "/" }],
      tags: API_TAGS.map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
      security: [{ bearerAuth: [] }],
      paths: buildPaths(documented),
      components: {
        securitySchemes: { bearerAuth: BEARER_SECURITY_SCHEME },
        schemas: { ...SHARED_COMPONENTS, ...errors.schemas },
        headers: { XRequestId: RESPONSE_HEADERS["X-Request-Id"] },
        responses: errors.responses,
        examples: errors.examples,
      },
    },
    { override: overrideJsonSchema },
  );
  return {
    document,
    problems: [
      ...findMismatches(routes, operations),
      ...checkParameters(documented),
      ...applyFieldDescriptions(readComponentSchemas(document), documented),
    ],
  };
}

/** The schemas of createDocument() have the fields of DocumentSchema. */
function readComponentSchemas({ components }: OpenApiDocument): DocumentSchemas {
  return (components?.schemas ?? {}) as DocumentSchemas;
}

/** Describes the fields of all bodies, then lists those without a description, as bodies share schemas. */
function applyFieldDescriptions(
  schemas: DocumentSchemas,
  documented: readonly DocumentedRoute[],
): string[] {
  const bodies = documented.flatMap(({ operation, route }) => {
    const schema = schemas[bodyComponentNameOf(operation)];
    return schema === undefined ? [] : [{ name: routeKeyOf(route), operation, schema }];
  });
  const misfits = bodies.flatMap(({ name, operation: { fields = {} }, schema }) =>
    describeFields(schemas, schema, fields).map((problem) => `${name}: ${problem}`),
  );
  for (const { operation, schema } of bodies) {
    copyDescriptions(schemas, schema, operation.fieldsLike ?? {});
  }
  const gaps = bodies.flatMap(({ name, schema }) =>
    listUndescribedFields(schemas, schema).map((path) => `${name}: ${path} has no description`),
  );
  return [...misfits, ...gaps];
}

function checkParameters(documented: readonly DocumentedRoute[]): string[] {
  return documented.flatMap(({ route, operation }) => {
    const known = new Set([
      ...listPathParameters(route),
      ...Object.keys(querySchemasOf(route, operation)),
    ]);
    const described = Object.keys(operation.parameters ?? {});
    const bodyless = route.inputs.body === undefined;
    return [
      ...described.filter((name) => !known.has(name)).map((name) => `${name} is no parameter`),
      ...[...known.difference(new Set(described))].map((name) => `${name} has no description`),
      ...(bodyless && operation.fields !== undefined ? ["there is no body for its fields"] : []),
    ].map((problem) => `${routeKeyOf(route)}: ${problem}`);
  });
}

function buildPaths(documented: readonly DocumentedRoute[]) {
  const byPath = Map.groupBy(documented, ({ route }) => toPathTemplate(route));
  return Object.fromEntries(
    [...byPath].map(([path, some]) => [
      path,
      Object.fromEntries(
        some.map(({ route, operation }) => [
          route.method.toLowerCase(),
          buildOperation(route, operation),
        ]),
      ),
    ]),
  );
}

function buildOperation(route: ApiRoute, operation: ApiOperation): ZodOpenApiOperationObject {
  const { operationId, tag, summary, description, access } = operation;
  const scope = route.inputs.scope ?? operation.scope;
  const requestParams = buildRequestParameters(route, operation);
  return {
    operationId,
    tags: [tag],
    summary,
    description:
      scope === undefined ? description : `${description}\n\nNeeds the scope \`${scope}\`.`,
    ...(scope === undefined ? {} : { "x-required-scope": scope }),
    ...(access === "public" ? { security: [] } : {}),
    ...(access === "link" ? { security: [{ bearerAuth: [] }, {}] } : {}),
    ...(Object.keys(requestParams).length === 0 ? {} : { requestParams }),
    ...buildRequestBody(route, operation),
    responses: {
      ...buildSuccessResponses(route, operation),
      ...buildErrorResponses(listErrorCodes(route, operation), errorOptionsOf(route, operation)),
      ...buildProtocolErrorResponses(operation),
    },
  };
}

/** A replay repeats the errors of the operation itself, not those of the layers before it. */
function errorOptionsOf(
  route: ApiRoute,
  { errorCodes, hasHtmlErrors = false }: ApiOperation,
): ErrorResponseOptions {
  return { replayedCodes: new Set(acceptsIdempotencyKey(route) ? errorCodes : []), hasHtmlErrors };
}

function findMismatches(routes: readonly ApiRoute[], operations: ApiOperations): string[] {
  const names = new Set(routes.map(routeKeyOf));
  return [
    ...[...names]
      .filter((name) => !(name in operations))
      .map((name) => `${name} is not documented`),
    ...Object.keys(operations)
      .filter((name) => !names.has(name))
      .map((name) => `${name} is documented and is no route`),
  ];
}

/** The document of this API, from the routes of its app. */
export function buildApiDocument(
  routes: Parameters<typeof listEndpoints>[0],
  version: string,
): ReturnType<typeof buildOpenApiDocument> {
  return buildOpenApiDocument(
    [...listEndpoints(routes), ...PROTOCOL_ROUTES],
    API_OPERATIONS,
    version,
  );
}
