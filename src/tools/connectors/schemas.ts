import * as z from "zod";
import { LIST_ITEMS_MAX, NAME_CHARACTERS_MAX, URL_BYTES_MAX } from "../../kernel/limits.ts";
import { TOOL_TIMEOUT_DEFAULT_MS, TOOL_TIMEOUT_MAX_MS } from "../limits.ts";
import { REDACT_INPUT } from "../../http/validation.ts";
import {
  HEADER_NAME_CHARACTER,
  isFramingHeader,
  isReservedHeader,
} from "../../kernel/header-name.ts";
import { isCredentialName } from "../../kernel/credential-name.ts";

const urlSchema = z.string().min(1).max(URL_BYTES_MAX);

/** The base URL of an API. A query would be sent with every request, and could expose a secret. */
export const baseUrlSchema = urlSchema.refine((text) => !/[?#]/.test(text), {
  error:
    "must have no query and no fragment: constants go into request.query, secrets into credentials",
  params: REDACT_INPUT,
});

/** RFC 9110: a token, and a value of visible characters, spaces and tabs. */
export const headerNameSchema = z.string().regex(new RegExp(`^${HEADER_NAME_CHARACTER}{1,100}$`), {
  error: "must be the name of a header",
});
const HEADER_VALUE = /^[\t\u0020-\u007e\u00a0-\u00ff]{0,2000}$/;
const headerValueSchema = z
  .string()
  .refine((text) => HEADER_VALUE.test(text), {
    error: "must be the value of a header: at most 2000 characters of Latin-1 without line breaks",
    params: REDACT_INPUT,
  })
  .meta({ pattern: HEADER_VALUE.source });

/** The service sets headers for framing and for the caller's identity. */
export const RESERVED_HEADER_RULE = [
  (headers: object) => !Object.keys(headers).some(isReservedHeader),
  {
    error:
      "must not be a header that the service sets, such as Host, Content-Length, Authorization or Cookie",
  },
] as const;

/** Headers for every request. Secrets belong in the credentials, which are never shown. */
export const constantHeadersSchema = z
  .record(headerNameSchema, headerValueSchema)
  .refine((headers) => Object.keys(headers).length <= LIST_ITEMS_MAX, {
    error: `must hold at most ${LIST_ITEMS_MAX} headers`,
  })
  .refine((headers) => !Object.keys(headers).some(isCredentialName), {
    error: "must hold no credential; put it with PUT /agents/tools/:id/credentials",
    abort: true,
  })
  .refine(...RESERVED_HEADER_RULE);

const timeoutMsSchema = z.int().min(1).max(TOOL_TIMEOUT_MAX_MS);
const credentialPlaceSchema = z
  .strictObject({
    in: z.enum(["header", "query"]),
    name: z.string().min(1).max(NAME_CHARACTERS_MAX),
    prefix: headerValueSchema.default(""),
  })
  .refine(({ in: where, name }) => where === "query" || isAllowedHeader(name), {
    path: ["name"],
    error:
      "must be the name of a header, and of none that makes up the request itself, as Host does",
  });

function isAllowedHeader(name: string): boolean {
  return headerNameSchema.safeParse(name).success && !isFramingHeader(name);
}

const remoteFields = {
  headers: constantHeadersSchema.default({}),
  timeoutMs: timeoutMsSchema.default(TOOL_TIMEOUT_DEFAULT_MS),
  credential: credentialPlaceSchema.nullable().default(null),
};

export const connectorSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("http"), baseUrl: baseUrlSchema, ...remoteFields }),
  z.strictObject({ type: z.literal("mcp"), url: urlSchema, ...remoteFields }),
]);

/** A change of a connector. Other fields stay, unless the type changes. */
export const connectorChangeSchema = z
  .strictObject({
    type: z.enum(["http", "mcp"]).optional(),
    baseUrl: baseUrlSchema.optional(),
    url: urlSchema.optional(),
    headers: constantHeadersSchema.optional(),
    timeoutMs: timeoutMsSchema.optional(),
    credential: credentialPlaceSchema.nullable().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, { error: "must change something" })
  .meta({ minProperties: 1 });
export type ConnectorChange = z.output<typeof connectorChangeSchema>;
