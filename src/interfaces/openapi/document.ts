import {
  acceptsIdempotencyKey,
  type ApiRoute,
  listEndpoints,
  listErrorCodes,
  listPathParameters,
  routeKeyOf,
  toPathTemplate,
} from "./api-route.ts";
import { PROTOCOL_ROUTES } from "./protocol-routes.ts";
import { createDocument, type ZodOpenApiOperationObject } from "zod-openapi";
import {
  listSoleCodes,
  buildErrorComponents,
  buildErrorResponses,
  type ErrorResponseOptions,
} from "./error-responses.ts";
import {
  describeDefaults,
  listUndescribedFields,
  type DocumentSchemas,
} from "./field-descriptions.ts";
import { buildProtocolErrorResponses, buildSuccessResponses } from "./success-responses.ts";
import { RESPONSE_HEADERS } from "./response-headers.ts";
import { API_INFO, BEARER_SECURITY_SCHEME, TAG_DESCRIPTIONS } from "./info.ts";
import { API_TAGS } from "./api-operation.ts";
import {
  bodyComponentNameOf,
  buildRequestBody,
  buildRequestParameters,
  querySchemasOf,
} from "./request-parts.ts";
import { overrideJsonSchema, SHARED_COMPONENTS } from "./components.ts";

type OpenApiDocument = ReturnType<typeof createDocument>;

/** The document, and its problems; a test requires that there are none. */
export function buildOpenApiDocument(
  routes: readonly ApiRoute[],
  version: string,
): { readonly document: OpenApiDocument; readonly problems: readonly string[] } {
  const used = routes.flatMap(listErrorCodes);
  const alone = routes.flatMap((route) =>
    listSoleCodes(listErrorCodes(route), errorOptionsOf(route)),
  );
  const errors = buildErrorComponents(new Set(used), new Set(alone));
  const document = createDocument(
    {
      openapi: "3.1.1",
      info: { ...API_INFO, version },
      servers: [{ url: "/" }],
      tags: API_TAGS.map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
      security: [{ bearerAuth: [] }],
      paths: buildPaths(routes),
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
      ...checkParameters(routes),
      ...checkFieldDescriptions(readComponentSchemas(document), routes),
    ],
  };
}

/** The schemas of createDocument() have the fields of DocumentSchema. */
function readComponentSchemas({ components }: OpenApiDocument): DocumentSchemas {
  return (components?.schemas ?? {}) as DocumentSchemas;
}

/** Moves defaults to descriptions, and lists the fields of bodies without a description. */
function checkFieldDescriptions(schemas: DocumentSchemas, routes: readonly ApiRoute[]): string[] {
  return routes.flatMap((route) => {
    const schema = schemas[bodyComponentNameOf(route.operation)];
    if (schema === undefined) return [];
    const gaps = listUndescribedFields(schemas, schema);
    describeDefaults(schemas, schema);
    return gaps.map((path) => `${routeKeyOf(route)}: ${path} has no description`);
  });
}

function checkParameters(routes: readonly ApiRoute[]): string[] {
  return routes.flatMap((route) => {
    const { operation } = route;
    const known = new Set([
      ...listPathParameters(route),
      ...Object.keys(querySchemasOf(operation)),
    ]);
    const described = Object.keys(operation.parameters);
    return [
      ...described.filter((name) => !known.has(name)).map((name) => `${name} is no parameter`),
      ...[...known.difference(new Set(described))].map((name) => `${name} has no description`),
    ].map((problem) => `${routeKeyOf(route)}: ${problem}`);
  });
}

function buildPaths(routes: readonly ApiRoute[]) {
  const byPath = Map.groupBy(routes, toPathTemplate);
  return Object.fromEntries(
    [...byPath].map(([path, some]) => [
      path,
      Object.fromEntries(some.map((route) => [route.method.toLowerCase(), buildOperation(route)])),
    ]),
  );
}

function buildOperation(route: ApiRoute): ZodOpenApiOperationObject {
  const { operation } = route;
  const { operationId, tag, summary, description, access, scope } = operation;
  const requestParams = buildRequestParameters(route);
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
    ...buildRequestBody(operation),
    responses: {
      ...buildSuccessResponses(route),
      ...buildErrorResponses(listErrorCodes(route), errorOptionsOf(route)),
      ...buildProtocolErrorResponses(operation),
    },
  };
}

/** A replay repeats the errors of the operation itself, not those of the layers before it. */
function errorOptionsOf(route: ApiRoute): ErrorResponseOptions {
  const { errorCodes, hasHtmlErrors = false } = route.operation;
  return { replayedCodes: new Set(acceptsIdempotencyKey(route) ? errorCodes : []), hasHtmlErrors };
}

/** The document of this API, from the routes of its app. */
export function buildApiDocument(
  routes: Parameters<typeof listEndpoints>[0],
  version: string,
): ReturnType<typeof buildOpenApiDocument> {
  return buildOpenApiDocument([...listEndpoints(routes), ...PROTOCOL_ROUTES], version);
}
