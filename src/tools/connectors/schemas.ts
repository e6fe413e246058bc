import * as z from "zod";
import { LIST_ITEMS_MAX, NAME_CHARACTERS_MAX, URL_BYTES_MAX } from "../../kernel/limits.ts";
import { TOOL_TIMEOUT_DEFAULT_MS, TOOL_TIMEOUT_MAX_MS } from "../limits.ts";
import * as schema from "../../http/schemas.ts";
import { REDACT_INPUT } from "../../http/validation.ts";
import {
  HEADER_NAME_CHARACTER,
  isFramingHeader,
  isReservedHeader,
} from "../../kernel/header-name.ts";
import { isCredentialName } from "../../kernel/credential-name.ts";

const urlSchema = z.string().min(1).max(URL_BYTES_MAX);

/** An API's base URL. It must not have a query, which would be sent with every request and could expose a secret. */
export const baseUrlSchema = urlSchema.refine((text) => !/[?#]/.test(text), {
  error:
    "must not have a query or fragment; put constants in request.query and secrets in the credentials",
  params: REDACT_INPUT,
});

/** As in RFC 9110, the name is a token, and the value consists of visible characters, spaces and tabs. */
export const headerNameSchema = z.string().regex(new RegExp(`^${HEADER_NAME_CHARACTER}{1,100}$`), {
  error: "must be a valid header name",
});
const HEADER_VALUE = /^[\t\u0020-\u007e\u00a0-\u00ff]{0,2000}$/;
const headerValueSchema = z
  .string()
  .refine((text) => HEADER_VALUE.test(text), {
    error: "must be a valid header value: at most 2000 printable Latin-1 characters or tabs",
    params: REDACT_INPUT,
  })
  .meta({ pattern: HEADER_VALUE.source });

/** The service itself sets the headers for message framing and authentication. */
export const RESERVED_HEADER_RULE = [
  (headers: object) => !Object.keys(headers).some(isReservedHeader),
  {
    error:
      "must not contain a header that the service sets, such as Host, Content-Length, Authorization or Cookie",
  },
] as const;

/** Headers sent with every request. Secrets belong in the credentials, where they are never shown. */
export const constantHeadersSchema = z
  .record(headerNameSchema, headerValueSchema)
  .refine((headers) => Object.keys(headers).length <= LIST_ITEMS_MAX, {
    error: `must have at most ${LIST_ITEMS_MAX} headers`,
  })
  .refine((headers) => !Object.keys(headers).some(isCredentialName), {
    error: "must not contain a credential; set it with PUT /agents/tools/:id/credentials",
    abort: true,
  })
  .refine(...RESERVED_HEADER_RULE);

const HEADERS_MEANING =
  "Headers sent with every request. Secrets are not allowed here; set them with `PUT …/credentials`.";
const TIMEOUT_MEANING = "Time limit for a call, including redirects and retries, in milliseconds.";
const CREDENTIAL_NAME_MEANING = "Name of the header or query parameter.";
const CREDENTIAL_PREFIX_MEANING =
  "The text before the secret, including any space, such as `Bearer `. Often empty.";

const credentialPart = z
  .enum(["header", "query"])
  .describe("The part of the request that contains the credential.");

const credentialPlaceBody = z
  .strictObject({
    in: credentialPart,
    name: z.string().min(1).max(NAME_CHARACTERS_MAX).describe(CREDENTIAL_NAME_MEANING),
    prefix: headerValueSchema.default("").describe(CREDENTIAL_PREFIX_MEANING),
  })
  .refine(({ in: where, name }) => where === "query" || isAllowedHeader(name), {
    path: ["name"],
    error:
      "must be a valid header name, but not a header that controls the request itself, such as Host",
  })
  .nullable();

function isAllowedHeader(name: string): boolean {
  return headerNameSchema.safeParse(name).success && !isFramingHeader(name);
}

const TYPE_MEANING = "`http` for an HTTP API, `mcp` for a remote MCP server (Streamable HTTP).";
const CREDENTIAL_MEANING =
  "Where the credential is sent; null to use the place set in the credentials, which is `Authorization: Bearer …` by default.";

const baseUrl = baseUrlSchema.describe(
  "The API's base URL, to which paths are appended. Only for `http` tools. The address is checked before anything is stored; private, loopback and other special addresses are rejected.",
);
const url = urlSchema.describe(
  "The URL of the MCP server. Only for `mcp` tools. It is checked in the same way as a base URL.",
);
const headers = constantHeadersSchema.describe(HEADERS_MEANING);
const timeoutMs = z.int().min(1).max(TOOL_TIMEOUT_MAX_MS).describe(TIMEOUT_MEANING);

const remoteFields = {
  headers: headers.default({}),
  timeoutMs: timeoutMs.default(TOOL_TIMEOUT_DEFAULT_MS),
  credential: credentialPlaceBody.default(null).describe(CREDENTIAL_MEANING),
};

export const connectorBody = z
  .discriminatedUnion("type", [
    z
      .strictObject({ type: z.literal("http").describe(TYPE_MEANING), baseUrl, ...remoteFields })
      .meta({ id: "HttpConnectorInput" }),
    z
      .strictObject({ type: z.literal("mcp").describe(TYPE_MEANING), url, ...remoteFields })
      .meta({ id: "McpConnectorInput" }),
  ])
  .meta({ id: "ConnectorInput" });

/** A change to a connector. Omitted fields keep their values unless the type changes. */
export const connectorChangeBody = z
  .strictObject({
    type: z.enum(["http", "mcp"]).optional().describe(TYPE_MEANING),
    baseUrl: baseUrl.optional(),
    url: url.optional(),
    headers: headers.optional(),
    timeoutMs: timeoutMs.optional(),
    credential: credentialPlaceBody.optional().describe(CREDENTIAL_MEANING),
  })
  .refine((change) => Object.keys(change).length > 0, { error: "must set at least one field" })
  .meta({ minProperties: 1 });
export type ConnectorChange = z.output<typeof connectorChangeBody>;

const credentialPlaceSchema = schema.component(
  "CredentialPlace",
  "Where the system behind a tool expects its credential. The secret is stored separately.",
  {
    in: credentialPart,
    name: schema.text(CREDENTIAL_NAME_MEANING, "X-Api-Key"),
    prefix: schema.text(CREDENTIAL_PREFIX_MEANING),
  },
);

const remoteFieldSchemas = {
  headers: z.record(z.string(), z.string()).describe(HEADERS_MEANING),
  timeoutMs: z.int().min(1).describe(TIMEOUT_MEANING),
  credential: credentialPlaceSchema
    .nullable()
    .describe("Where the credential is sent; null if not specified."),
};

/** The connector as shown to keys with `tools:manage`. */
export const connectorSchema = z
  .discriminatedUnion("type", [
    schema.component("BuiltinConnector", "A built-in tool.", {
      type: z.literal("builtin").describe("Runs inside the service."),
    }),
    schema.component("HttpConnector", "A tool behind an HTTP API.", {
      type: z.literal("http").describe("Sends HTTP requests."),
      baseUrl: schema.text("The API's base URL, to which paths are appended."),
      ...remoteFieldSchemas,
    }),
    schema.component("McpConnector", "A tool behind an MCP server.", {
      type: z.literal("mcp").describe("Calls a remote MCP server."),
      url: schema.text("The URL of the MCP server (Streamable HTTP)."),
      ...remoteFieldSchemas,
    }),
  ])
  .meta({ id: "Connector", description: "How a tool reaches the system behind it." });

/** The connector as shown to all other keys. */
export const connectorTypeSchema = schema.component(
  "ConnectorType",
  "The connector's type, as shown to keys without `tools:manage`.",
  {
    type: z
      .enum(["builtin", "http", "mcp"])
      .describe("Whether the tool runs inside the service, or calls an HTTP API or an MCP server."),
  },
);
