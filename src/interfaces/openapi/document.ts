import { type ApiRoute, listEndpoints, listErrorCodes, toPathTemplate } from "./api-route.ts";
import { PROTOCOL_ROUTES } from "./protocol-routes.ts";
import { createDocument, type ZodOpenApiOperationObject } from "zod-openapi";
import { buildErrorComponents, buildErrorResponses, listSoleCodes } from "./error-responses.ts";
import { describeDefaults, type DocumentSchemas } from "./field-defaults.ts";
import { buildProtocolErrorResponses, buildSuccessResponses } from "./success-responses.ts";
import { RESPONSE_HEADERS } from "./response-headers.ts";
import { API_INFO, BEARER_SECURITY_SCHEME, TAG_DESCRIPTIONS } from "./info.ts";
import { bodyComponentNameOf, buildRequestBody, buildRequestParameters } from "./request-parts.ts";
import { overrideJsonSchema, SHARED_COMPONENTS } from "./components.ts";

type OpenApiDocument = ReturnType<typeof createDocument>;

/** The document of this API, from the routes of its app. */
export function buildApiDocument(
  routes: Parameters<typeof listEndpoints>[0],
  version: string,
): OpenApiDocument {
  return buildOpenApiDocument([...listEndpoints(routes), ...PROTOCOL_ROUTES], version);
}

export function buildOpenApiDocument(
  routes: readonly ApiRoute[],
  version: string,
): OpenApiDocument {
  const used = new Set(routes.flatMap(listErrorCodes));
  const errors = buildErrorComponents(used, new Set(routes.flatMap(listSoleCodes)));
  const document = createDocument(
    {
      openapi: "3.1.1",
      info: { ...API_INFO, version },
      servers: [{ url: "/" }],
      tags: Object.entries(TAG_DESCRIPTIONS).map(([name, description]) => ({ name, description })),
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
  const schemas = readComponentSchemas(document);
  for (const { operation } of routes) {
    const body = schemas[bodyComponentNameOf(operation)];
    if (body !== undefined) describeDefaults(schemas, body);
  }
  return document;
}

/** The schemas of createDocument() have the fields of DocumentSchema. */
function readComponentSchemas({ components }: OpenApiDocument): DocumentSchemas {
  return (components?.schemas ?? {}) as DocumentSchemas;
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
    ...buildRequestBody(route),
    responses: {
      ...buildSuccessResponses(route),
      ...buildErrorResponses(route),
      ...buildProtocolErrorResponses(operation),
    },
  };
}
