import * as z from "zod";
import {
  LIST_ITEMS_MAX,
  NAME_CHARACTERS_MAX,
  TOOL_TIMEOUT_DEFAULT_MS,
  TOOL_TIMEOUT_MAX_MS,
  URL_BYTES_MAX,
} from "../../domain/limits.ts";
import { DISCREET } from "../../http/validate.ts";
import { isReservedHeader } from "../connectors/http/headers.ts";
import { isCredentialName } from "../../secrets/credential-name.ts";
import { isFraming } from "../../secrets/wire.ts";

const url = z.string().min(1).max(URL_BYTES_MAX);

/** Where an API is. A query would go out with every request, and could hold a secret for all to read. */
export const place = url.refine((text) => !/[?#]/.test(text), {
  error:
    "must have no query and no fragment: constants go into request.query, secrets into credentials",
  params: DISCREET,
});

/** RFC 9110: a token, and a value of visible characters, spaces and tabs. */
export const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, {
  error: "must be the name of a header",
});
const HEADER_VALUE = /^[\t\u0020-\u007e\u00a0-\u00ff]{0,2000}$/;
const headerValue = z
  .string()
  .refine((text) => HEADER_VALUE.test(text), {
    error: "must be the value of a header: at most 2000 characters of Latin-1 without line breaks",
    params: DISCREET,
  })
  .meta({ pattern: HEADER_VALUE.source });

/** Headers that make up the request itself or say who asks are set by the service. */
export const FREE_HEADERS = [
  (headers: object) => !Object.keys(headers).some(isReservedHeader),
  { error: "must leave Host, Content-Length, Authorization, Cookie and their like to the service" },
] as const;

/** Headers for every request. Secrets have a place of their own, in which nobody can read them. */
export const constantHeaders = z
  .record(headerName, headerValue)
  .refine((headers) => Object.keys(headers).length <= LIST_ITEMS_MAX, {
    error: `must hold at most ${LIST_ITEMS_MAX} headers`,
  })
  .refine((headers) => !Object.keys(headers).some(isCredentialName), {
    error: "must hold no credential; put it with PUT /agents/tools/:id/credentials",
    abort: true,
  })
  .refine(...FREE_HEADERS);

const timeoutMs = z.int().min(1).max(TOOL_TIMEOUT_MAX_MS);
const credentialPlace = z
  .strictObject({
    in: z.enum(["header", "query"]),
    name: z.string().min(1).max(NAME_CHARACTERS_MAX),
    prefix: headerValue.default(""),
  })
  .refine(({ in: where, name }) => where === "query" || isFreeHeader(name), {
    path: ["name"],
    error:
      "must be the name of a header, and of none that makes up the request itself, as Host does",
  });

function isFreeHeader(name: string): boolean {
  return headerName.safeParse(name).success && !isFraming(name);
}

const remote = {
  headers: constantHeaders.default({}),
  timeoutMs: timeoutMs.default(TOOL_TIMEOUT_DEFAULT_MS),
  credential: credentialPlace.nullable().default(null),
};

/** How a tool reaches its system. */
export const connector = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("http"), baseUrl: place, ...remote }),
  z.strictObject({ type: z.literal("mcp"), url, ...remote }),
]);

/** What changes of a connector; the rest stays, unless its type changes. */
export const connectorChange = z
  .strictObject({
    type: z.enum(["http", "mcp"]).optional(),
    baseUrl: place.optional(),
    url: url.optional(),
    headers: constantHeaders.optional(),
    timeoutMs: timeoutMs.optional(),
    credential: credentialPlace.nullable().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, { error: "must change something" })
  .meta({ minProperties: 1 });
export type ConnectorChange = z.output<typeof connectorChange>;
