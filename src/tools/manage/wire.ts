import * as z from "zod";
import { PARAMETER_TYPES } from "../../domain/capability.ts";
import { HTTP_METHODS } from "../../domain/connector.ts";
import { IDENTIFIER, IDENTIFIER_RULE } from "../../domain/identifier.ts";
import {
  CAPABILITIES_MAX,
  DESCRIPTION_CHARACTERS_MAX,
  ID_CHARACTERS_MAX,
  LIST_ITEMS_MAX,
  PARAMETERS_MAX,
  URL_BYTES_MAX,
} from "../../domain/limits.ts";
import { CATEGORIES, DEFAULT_TERMS, RATE_PERIODS, RESERVED_TOOL_IDS } from "../../domain/tool.ts";
import { displayName, jsonObject } from "../../http/body.ts";
import { credentialBody } from "../credentials/wire.ts";
import { mappedBody, styled } from "./body-wire.ts";
import {
  connector,
  connectorChange,
  constantHeaders,
  FREE_HEADERS,
  headerName,
  place,
} from "./connector-wire.ts";

const identifier = z.string().regex(IDENTIFIER, { error: IDENTIFIER_RULE });
const named = z.string().min(1).max(ID_CHARACTERS_MAX);
const description = z.string().max(DESCRIPTION_CHARACTERS_MAX);
const url = z.string().min(1).max(URL_BYTES_MAX);
const names = z.array(named).min(1).max(LIST_ITEMS_MAX);

const toolId = identifier.refine((id) => !RESERVED_TOOL_IDS.includes(id), {
  error: `must not be one of the reserved words ${RESERVED_TOOL_IDS.join(", ")}`,
});

const parameter = z.strictObject({
  name: named,
  type: z.enum(PARAMETER_TYPES),
  required: z.boolean().default(false),
  description: description.optional(),
  schema: jsonObject.optional(),
});

const mapped = z.union(
  [
    z.strictObject({ value: z.string().max(URL_BYTES_MAX) }),
    z.strictObject({ parameter: named, ...styled }),
  ],
  { error: 'must be {"parameter": "<its name>"} or {"value": "<a fixed text>"}' },
);

const request = z.strictObject({
  method: z.enum(HTTP_METHODS),
  path: z.string().min(1).max(URL_BYTES_MAX).meta({ pattern: "^/" }),
  query: z.record(named, mapped).optional(),
  headers: z
    .record(headerName, mapped)
    .refine(...FREE_HEADERS)
    .optional(),
  body: mappedBody.optional(),
  result: z.string().min(1).max(URL_BYTES_MAX).optional(),
  baseUrl: place.optional(),
  anonymous: z.boolean().optional(),
});

const capability = z
  .strictObject({
    id: identifier,
    name: displayName.optional(),
    description: description.default(""),
    parameters: z.array(parameter).max(PARAMETERS_MAX).default([]),
    /** Of an `http` tool. */
    request: request.optional(),
    /** Of an `mcp` tool: the name of the remote tool. */
    tool: named.optional(),
  })
  .refine((one) => (one.request === undefined) !== (one.tool === undefined), {
    path: ["request"],
    error: "is required for an http tool; an mcp tool has `tool` instead",
  });

const terms = {
  category: z.enum(CATEGORIES),
  rateLimit: z.strictObject({ requests: z.int().min(1).max(1e9), period: z.enum(RATE_PERIODS) }),
  pricing: z.strictObject({
    model: z.literal("usage").default("usage"),
    free: z.int().min(0).max(1e12),
    overage: z.number().min(0).max(1e6),
  }),
};

const authentication = z
  .strictObject({
    type: z.enum(["none", "oauth", "api-key"]),
    scopes: z.array(named).max(LIST_ITEMS_MAX).default([]),
  })
  .refine(({ type, scopes }) => type === "oauth" || scopes.length === 0, {
    path: ["scopes"],
    error: "must be empty: only oauth has scopes",
  });

const documentation = z.union([z.literal(""), z.url({ protocol: /^https?$/ })], {
  error: "must be a URL, or empty",
});

/** Body of POST /agents/tools. */
export const registerBody = z.strictObject({
  id: toolId,
  name: displayName,
  description: description.default(""),
  documentation: documentation.default(""),
  authentication: authentication.default({ type: "none", scopes: [] }),
  connector,
  capabilities: z.array(capability).min(1).max(CAPABILITIES_MAX),
  category: terms.category.default(DEFAULT_TERMS.category),
  rateLimit: terms.rateLimit.default(DEFAULT_TERMS.rateLimit),
  pricing: terms.pricing.default(DEFAULT_TERMS.pricing),
});
export type RegisterBody = z.output<typeof registerBody>;

/** Body of PATCH /agents/tools/:id; what is given of `connector` changes, `capabilities` are replaced whole. */
export const changeBody = z
  .strictObject({
    name: displayName.optional(),
    description: description.optional(),
    documentation: documentation.optional(),
    authentication: authentication.optional(),
    connector: connectorChange.optional(),
    capabilities: z.array(capability).min(1).max(CAPABILITIES_MAX).optional(),
    category: terms.category.optional(),
    rateLimit: terms.rateLimit.optional(),
    pricing: terms.pricing.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, { error: "must change something" })
  .meta({ minProperties: 1 });
export type ChangeBody = z.output<typeof changeBody>;

const ONLY_RULE = 'must be {"tags": […]}, {"names": […]}, or "all" to take everything again';

const selection = z
  .strictObject({ tags: names.optional(), names: names.optional() })
  .refine(({ tags, names: some }) => tags !== undefined || some !== undefined, {
    error: "must hold tags or names",
  })
  .meta({ minProperties: 1 });

/** Body of POST /agents/tools/import: exactly one of `openapi` and `mcp`. */
export const importBody = z
  .strictObject({
    id: toolId,
    openapi: z
      .strictObject({
        url: url.optional(),
        document: z.union([z.string().min(1), jsonObject]).optional(),
        baseUrl: place.optional(),
      })
      .refine(({ url: at, document }) => (at === undefined) !== (document === undefined), {
        error: "must hold either url or document",
      })
      .optional(),
    mcp: z.strictObject({ url, headers: constantHeaders.default({}) }).optional(),
    /** For an MCP server that shows its tools to those it knows; kept with the tool. */
    credentials: credentialBody.optional(),
    only: z.union([z.literal("all"), selection], { error: ONLY_RULE }).optional(),
    name: displayName.optional(),
    description: description.optional(),
    category: terms.category.optional(),
    rateLimit: terms.rateLimit.optional(),
    pricing: terms.pricing.optional(),
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
export type ImportBody = z.output<typeof importBody>;
