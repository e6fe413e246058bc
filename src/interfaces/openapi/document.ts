import { type ApiRoute, listEndpoints, listErrorCodes, toPathTemplate } from "./api-route.ts";
import { PROTOCOL_ROUTES } from "./protocol-routes.ts";
import type * as z from "zod";
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
} from "zod-openapi";
import { describeDefaults, type DocumentSchemas } from "./field-defaults.ts";
import {
  buildErrorComponents,
  buildErrorResponses,
  buildProtocolErrorResponses,
  buildSuccessResponses,
  listSoleCodes,
  RESPONSE_HEADERS,
} from "./responses.ts";
import { TAG_DESCRIPTIONS } from "../../http/operation.ts";
import { API_INFO, BEARER_SECURITY_SCHEME } from "./info.ts";
import { bodyComponentNameOf, buildRequestBody, buildRequestParameters } from "./request-parts.ts";
import { liveMarkSchema } from "../../events/stream-schemas.ts";
import { taskSnapshotSchema } from "../../tasks/api/stream-schemas.ts";
import { credentialInputSchema } from "../../tools/credentials/schemas.ts";

type OpenApiDocument = ReturnType<typeof createDocument>;

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
        // Always include these schemas, even if nothing refers to them.
        schemas: {
          CredentialInput: credentialInputSchema,
          LiveMark: liveMarkSchema,
          TaskSnapshot: taskSnapshotSchema,
          ...errors.schemas,
        },
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
      scope === undefined ? description : `${description}\n\nRequires the scope \`${scope}\`.`,
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

/** Adjusts the JSON Schema that Zod generates. */
const overrideJsonSchema: ZodOpenApiOverride = ({ jsonSchema, zodSchema }) => {
  const { def } = zodSchema._zod;
  // Zod validates a parameter's text, but the document shows the type of its value.
  if (jsonSchema.type === "integer" || jsonSchema.type === "boolean") {
    delete jsonSchema.pattern;
    delete jsonSchema.enum;
    // Zod omits the default of a transformed value.
    if (def.type === "default") jsonSchema.default ??= defaultOf(def);
  }
  // Client generators for OpenAPI 3.0 do not support `const`.
  if (typeof jsonSchema.const === "string") {
    jsonSchema.enum = [jsonSchema.const];
    delete jsonSchema.const;
  }
  // `format` makes the long pattern redundant.
  if (jsonSchema.format === "date-time" || jsonSchema.format === "date") delete jsonSchema.pattern;
};

/** Every ZodDefault definition has a `defaultValue`. */
function defaultOf(def: object): z.core.util.JSONType {
  return (def as { readonly defaultValue: z.core.util.JSONType }).defaultValue;
}
