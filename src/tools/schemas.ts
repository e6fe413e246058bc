import * as z from "zod";
import { PARAMETER_TYPES } from "./model/capability.ts";
import {
  BODY_ENCODINGS,
  type BodyEncoding,
  type BodyMapping,
  FILE_ENCODINGS,
  HTTP_METHODS,
  PARAMETER_STYLES,
} from "./model/connector.ts";
import { CAPABILITIES_MAX, PARAMETERS_MAX, USAGE_DAYS_DEFAULT, USAGE_DAYS_MAX } from "./limits.ts";
import {
  DESCRIPTION_CHARACTERS_MAX,
  ID_CHARACTERS_MAX,
  LIST_ITEMS_MAX,
  SEARCH_CHARACTERS_MAX,
  URL_BYTES_MAX,
} from "../kernel/limits.ts";
import {
  CATEGORIES,
  DEFAULT_TOOL_TERMS,
  PROFICIENCIES,
  RATE_PERIODS,
  RESERVED_TOOL_IDS,
} from "./model/tool.ts";
import {
  pageQuery,
  queryInteger,
  agentIdentifier,
  displayName,
  identifier,
  jsonObject,
} from "../http/validation.ts";
import { credentialBody } from "./credentials/schemas.ts";
import {
  connectorSchema,
  connectorChangeSchema,
  constantHeadersSchema,
  RESERVED_HEADER_RULE,
  headerNameSchema,
  baseUrlSchema,
} from "./connectors/schemas.ts";

const nameSchema = z.string().min(1).max(ID_CHARACTERS_MAX);
const mediaType = z.string().regex(/^[\w.!#$&^-]{1,100}[/][\w.!#$&^+-]{1,100}$/, {
  error: "must be a media type, such as image/png",
});

/** The style of a value that is not sent as JSON. */
const styleFields = {
  style: z.enum(PARAMETER_STYLES).optional(),
  explode: z.boolean().optional(),
};
const as = z.enum(BODY_ENCODINGS).default("json");
const fieldOptions = {
  styles: z.record(nameSchema, z.strictObject(styleFields)).optional(),
  files: z
    .record(
      nameSchema,
      z.strictObject({
        encoding: z.enum(FILE_ENCODINGS).default("text"),
        contentType: mediaType.default("application/octet-stream"),
      }),
    )
    .optional(),
};
const bodyMappingSchema = z
  .union(
    [
      z.strictObject({ as, parameter: nameSchema, ...fieldOptions }),
      z.strictObject({ as, fields: z.record(nameSchema, nameSchema), ...fieldOptions }),
    ],
    {
      error:
        'must be {"parameter": "<its name>"} or {"fields": {"<field>": "<parameter>"}}; a form may add "styles": {"<field>": {"style", "explode"}}, and a multipart one "files": {"<field>": {"encoding", "contentType"}}',
    },
  )
  .refine((body) => areKnownFields(body, body.styles, ["form", "multipart"]), {
    path: ["styles"],
    error: "must name fields of the body, and goes with as: form or multipart",
  })
  .refine((body) => areKnownFields(body, body.files, ["multipart"]), {
    path: ["files"],
    error: "must name fields of the body, and goes with as: multipart",
  });

/** Whether options by field name fields of the body, and fit its encoding. */
function areKnownFields(body: BodyMapping, by: object | undefined, forms: BodyEncoding[]): boolean {
  if (by === undefined) return true;
  const isNamed = (field: string) => !("fields" in body) || Object.hasOwn(body.fields, field);
  return forms.includes(body.as) && Object.keys(by).every(isNamed);
}

const descriptionSchema = z.string().max(DESCRIPTION_CHARACTERS_MAX);
const urlSchema = z.string().min(1).max(URL_BYTES_MAX);
const nameListSchema = z.array(nameSchema).min(1).max(LIST_ITEMS_MAX);

const toolIdSchema = identifier.refine((id) => !RESERVED_TOOL_IDS.includes(id), {
  error: `must not be one of the reserved words ${RESERVED_TOOL_IDS.join(", ")}`,
});

const parameterSchema = z.strictObject({
  name: nameSchema,
  type: z.enum(PARAMETER_TYPES),
  required: z.boolean().default(false),
  description: descriptionSchema.optional(),
  schema: jsonObject.optional(),
});

const parameterMappingSchema = z.union(
  [
    z.strictObject({ value: z.string().max(URL_BYTES_MAX) }),
    z.strictObject({ parameter: nameSchema, ...styleFields }),
  ],
  { error: 'must be {"parameter": "<its name>"} or {"value": "<a fixed text>"}' },
);

const requestSchema = z.strictObject({
  method: z.enum(HTTP_METHODS),
  path: z.string().min(1).max(URL_BYTES_MAX).meta({ pattern: "^/" }),
  query: z.record(nameSchema, parameterMappingSchema).optional(),
  headers: z
    .record(headerNameSchema, parameterMappingSchema)
    .refine(...RESERVED_HEADER_RULE)
    .optional(),
  body: bodyMappingSchema.optional(),
  result: z.string().min(1).max(URL_BYTES_MAX).optional(),
  baseUrl: baseUrlSchema.optional(),
  anonymous: z.boolean().optional(),
});

const capabilitySchema = z
  .strictObject({
    id: identifier,
    name: displayName.optional(),
    description: descriptionSchema.default(""),
    parameters: z.array(parameterSchema).max(PARAMETERS_MAX).default([]),
    /** Of an `http` tool. */
    request: requestSchema.optional(),
    /** Of an `mcp` tool: the name of the remote tool. */
    tool: nameSchema.optional(),
  })
  .refine((one) => (one.request === undefined) !== (one.tool === undefined), {
    path: ["request"],
    error: "is required for an http tool; an mcp tool has `tool` instead",
  });

const termFields = {
  category: z.enum(CATEGORIES),
  rateLimit: z.strictObject({ requests: z.int().min(1).max(1e9), period: z.enum(RATE_PERIODS) }),
  pricing: z.strictObject({
    model: z.literal("usage").default("usage"),
    free: z.int().min(0).max(1e12),
    overage: z.number().min(0).max(1e6),
  }),
};

const authenticationSchema = z
  .strictObject({
    type: z.enum(["none", "oauth", "api-key"]),
    scopes: z.array(nameSchema).max(LIST_ITEMS_MAX).default([]),
  })
  .refine(({ type, scopes }) => type === "oauth" || scopes.length === 0, {
    path: ["scopes"],
    error: "must be empty: only oauth has scopes",
  });

const documentationSchema = z.union([z.literal(""), z.url({ protocol: /^https?$/ })], {
  error: "must be a URL, or empty",
});

export const registerToolBody = z.strictObject({
  id: toolIdSchema,
  name: displayName,
  description: descriptionSchema.default(""),
  documentation: documentationSchema.default(""),
  authentication: authenticationSchema.default({ type: "none", scopes: [] }),
  connector: connectorSchema,
  capabilities: z.array(capabilitySchema).min(1).max(CAPABILITIES_MAX),
  category: termFields.category.default(DEFAULT_TOOL_TERMS.category),
  rateLimit: termFields.rateLimit.default(DEFAULT_TOOL_TERMS.rateLimit),
  pricing: termFields.pricing.default(DEFAULT_TOOL_TERMS.pricing),
});
export type RegisterToolBody = z.output<typeof registerToolBody>;

/** Body of PATCH /agents/tools/:id. `connector` is merged; `capabilities` are replaced. */
export const changeToolBody = z
  .strictObject({
    name: displayName,
    description: descriptionSchema,
    documentation: documentationSchema,
    authentication: authenticationSchema,
    connector: connectorChangeSchema,
    capabilities: z.array(capabilitySchema).min(1).max(CAPABILITIES_MAX),
    ...termFields,
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, { error: "must change something" })
  .meta({ minProperties: 1 });
export type ChangeToolBody = z.output<typeof changeToolBody>;

const SELECTION_RULE = 'must be {"tags": […]}, {"names": […]}, or "all" to take everything again';

const selectionSchema = z
  .strictObject({ tags: nameListSchema.optional(), names: nameListSchema.optional() })
  .refine(({ tags, names: some }) => tags !== undefined || some !== undefined, {
    error: "must hold tags or names",
  })
  .meta({ minProperties: 1 });

/** Body of POST /agents/tools/import: exactly one of `openapi` and `mcp`. */
export const importToolBody = z
  .strictObject({
    id: toolIdSchema,
    openapi: z
      .strictObject({
        url: urlSchema.optional(),
        document: z.union([z.string().min(1), jsonObject]).optional(),
        baseUrl: baseUrlSchema.optional(),
      })
      .refine(({ url: at, document }) => (at === undefined) !== (document === undefined), {
        error: "must hold either url or document",
      })
      .optional(),
    mcp: z.strictObject({ url: urlSchema, headers: constantHeadersSchema.default({}) }).optional(),
    /** For an MCP server that requires a credential to list its tools. It is saved with the tool. */
    credentials: credentialBody.optional(),
    only: z.union([z.literal("all"), selectionSchema], { error: SELECTION_RULE }).optional(),
    name: displayName.optional(),
    description: descriptionSchema.optional(),
    ...z.object(termFields).partial().shape,
    dryRun: z.boolean().default(false),
  })
  .refine(({ openapi, mcp }) => (openapi === undefined) !== (mcp === undefined), {
    path: ["openapi"],
    error: "or mcp is required, and not both",
  })
  .refine(({ mcp, credentials }) => credentials === undefined || mcp !== undefined, {
    path: ["credentials"],
    error: "must be left out with openapi; put them with PUT /agents/tools/:id/credentials",
  })
  .refine(({ credentials }) => credentials === undefined || credentials.type === "api-key", {
    path: ["credentials", "type"],
    error: "must be api-key; put others with PUT /agents/tools/:id/credentials",
  });
export type ImportToolBody = z.output<typeof importToolBody>;

export const listToolsQuery = z.object({
  category: z.enum(CATEGORIES).optional(),
  agentId: nameSchema.optional(),
  search: z.string().min(1).max(SEARCH_CHARACTERS_MAX).optional(),
  ...pageQuery,
});

export const invokeBody = z.strictObject({
  capability: nameSchema,
  parameters: jsonObject,
  agentId: nameSchema.optional(),
  /** The task whose budget pays for the call. */
  taskId: nameSchema.optional(),
});

export const capabilitiesQuery = z.object({
  search: z.string().min(1).max(SEARCH_CHARACTERS_MAX).optional(),
  ...pageQuery,
});

export const usageQuery = z.object({
  days: queryInteger(1, USAGE_DAYS_MAX)
    .default(USAGE_DAYS_DEFAULT)
    .describe("How many days to include, today being the last."),
});

export const grantBody = z.strictObject({
  agentId: agentIdentifier,
  toolId: nameSchema,
  proficiency: z.enum(PROFICIENCIES).default("intermediate"),
  capabilities: z.array(nameSchema).min(1).max(LIST_ITEMS_MAX).optional(),
});
