import * as z from "zod";
import { PARAMETER_TYPES } from "./model/capability.ts";
import * as schema from "../http/schemas.ts";
import {
  BODY_ENCODINGS,
  type BodyEncoding,
  type BodyMapping,
  FILE_ENCODINGS,
  HTTP_METHODS,
  PARAMETER_STYLES,
  type HttpRequestTemplate,
} from "./model/connector.ts";
import { CAPABILITIES_MAX, PARAMETERS_MAX } from "./limits.ts";
import { URL_BYTES_MAX } from "../kernel/limits.ts";
import {
  displayName,
  identifier,
  jsonObject,
  pageQueryOf,
  searchText,
} from "../http/validation.ts";
import { baseUrlSchema, headerNameSchema, RESERVED_HEADER_RULE } from "./connectors/schemas.ts";
import { descriptionText, nameText } from "./tool-field-schemas.ts";

const page = pageQueryOf("Capabilities");

export const capabilitiesQuery = z.object({
  search: searchText.describe(
    "Only capabilities whose id, name or description contains this text; case-insensitive.",
  ),
  limit: page.limit.describe("Capabilities on one page, at most."),
  offset: page.offset.describe("Capabilities to skip: `nextOffset` of the page before."),
});

const urlText = z.string().max(URL_BYTES_MAX);

/** How a value is written that is not sent as JSON. */
const styleFields = {
  style: z
    .enum(PARAMETER_STYLES)
    .optional()
    .describe(
      "How a list or an object is written, in OpenAPI's terms: `form` (the default in a query and in forms), `simple` (the default in a header), `spaceDelimited`, `pipeDelimited`, `deepObject`, or `json`.",
    ),
  explode: schema.optional.flag(
    "Whether each item of a list, or field of an object, is written by itself. By default with `form` it is.",
  ),
};

/** A fixed text, or the value of a parameter. Requests limit the name and the text. */
function mappedValue(name: z.ZodString, text: z.ZodString) {
  return z.union(
    [
      z.strictObject({ value: text.describe("A fixed text.") }),
      z.strictObject({
        parameter: name.describe("The parameter whose value goes here."),
        ...styleFields,
      }),
    ],
    { error: 'must be {"parameter": "<its name>"} or {"value": "<a fixed text>"}' },
  );
}

const bodyEncoding = z
  .enum(BODY_ENCODINGS)
  .describe(
    "How it is written: `json`, `form` (URL-encoded), `multipart`, or `text` (a string as it is).",
  );
const fileEncoding = z
  .enum(FILE_ENCODINGS)
  .describe("Whether the parameter's text is the file itself, or the file in base64.");
const FILE_TYPE_MEANING = "The file's media type.";

/** A body from one parameter, or from several. Requests limit names, and have defaults. */
function mappedBody<As extends z.ZodType, File extends z.ZodObject>(
  as: As,
  name: z.ZodString,
  file: File,
) {
  const options = {
    styles: z
      .record(name, z.strictObject(styleFields))
      .optional()
      .describe(
        "How single fields of a form are written, by field. Goes with `form` and `multipart`.",
      ),
    files: z
      .record(name, file)
      .optional()
      .describe("Fields that are files, by field. Goes with `multipart`."),
  };
  return z.union(
    [
      z.strictObject({
        as,
        parameter: name.describe(
          "The parameter whose value is the whole body, instead of `fields`.",
        ),
        ...options,
      }),
      z.strictObject({
        as,
        fields: z
          .record(name, name)
          .describe(
            "The parameters whose values the fields of the body have, by field, instead of `parameter`.",
          ),
        ...options,
      }),
    ],
    {
      error:
        'must be {"parameter": "<its name>"} or {"fields": {"<field>": "<parameter>"}}; a form may add "styles": {"<field>": {"style", "explode"}}, and a multipart one "files": {"<field>": {"encoding", "contentType"}}',
    },
  );
}

const mediaType = z.string().regex(/^[\w.!#$&^-]{1,100}[/][\w.!#$&^+-]{1,100}$/, {
  error: "must be a media type, such as image/png",
});
const bodyMappingBody = mappedBody(
  bodyEncoding.default("json"),
  nameText,
  z.strictObject({
    encoding: fileEncoding.default("text"),
    contentType: mediaType.default("application/octet-stream").describe(FILE_TYPE_MEANING),
  }),
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

const bodyMappingSchema = mappedBody(
  bodyEncoding,
  z.string(),
  z.strictObject({ encoding: fileEncoding, contentType: schema.text(FILE_TYPE_MEANING) }),
).meta({
  id: "MappedBody",
  description: "A body made of one parameter as a whole, or of fields from several.",
});

const method = z
  .enum(HTTP_METHODS)
  .describe("The HTTP method. GET and HEAD count as safe and are tried up to three times.");
const anonymous = schema.optional.flag(
  "Whether the system takes this request without a credential, so that it can be called before the tool has any; false if absent. If the tool has credentials, they are sent anyway.",
);

/** The meaning of the other fields of a request. */
const REQUEST_MEANINGS = {
  path: "A URI template (RFC 6570) below `baseUrl`, whose names are parameters.",
  query:
    "What goes into the query, by name: a fixed text, or the value of a parameter. A parameter that is not given is left out.",
  headers:
    "What goes into the headers, by name: a fixed text, or the value of a parameter. A parameter that is not given is left out.",
  result:
    "A JSONPath (RFC 9535) into the response: `body` of the result is what it selects. Without it, `body` is the whole response.",
  baseUrl: "Another server than the tool's, for this request alone. The guard checks it, too.",
};

const mappedValueBody = mappedValue(nameText, urlText);
const requestBody = z.strictObject({
  method,
  path: urlText.min(1).meta({ pattern: "^/", description: REQUEST_MEANINGS.path }),
  query: z.record(nameText, mappedValueBody).optional().describe(REQUEST_MEANINGS.query),
  headers: z
    .record(headerNameSchema, mappedValueBody)
    .refine(...RESERVED_HEADER_RULE)
    .optional()
    .describe(REQUEST_MEANINGS.headers),
  body: bodyMappingBody
    .optional()
    .describe("What goes into the body: one parameter as a whole, or fields from several."),
  result: urlText.min(1).optional().describe(REQUEST_MEANINGS.result),
  baseUrl: baseUrlSchema.optional().describe(REQUEST_MEANINGS.baseUrl),
  anonymous,
});

const mappedValueSchema = mappedValue(z.string(), z.string()).meta({
  id: "MappedValue",
  description: "A fixed text, or the value of a parameter.",
});
const mappedValues = z.record(z.string(), mappedValueSchema).optional();
const requestSchema = schema.component(
  "HttpRequest",
  "How the parameters of a capability become an HTTP request.",
  {
    method,
    path: schema.text(REQUEST_MEANINGS.path, "/harbours/{harbour}/tides{?days}"),
    query: mappedValues.describe(REQUEST_MEANINGS.query),
    headers: mappedValues.describe(REQUEST_MEANINGS.headers),
    body: bodyMappingSchema.optional(),
    result: schema.optional.text(REQUEST_MEANINGS.result, "$.tides[*].at"),
    baseUrl: schema.optional.text(REQUEST_MEANINGS.baseUrl),
    anonymous,
  } satisfies Record<keyof HttpRequestTemplate, z.ZodType>,
);

const parameterType = z.enum(PARAMETER_TYPES).describe("The JSON type of its value.");
const required = schema.flag("Whether a call must give it.");
const PARAMETER_MEANINGS = {
  name: "The key in `parameters` of an invocation.",
  description: "What it means.",
  schema:
    "The JSON Schema (draft 2020-12) of the value, if more is known than its type. It can refer only to itself. Calls are checked against it; patterns are matched in linear time.",
};

const parameterBody = schema.component("ParameterInput", null, {
  name: nameText.describe(PARAMETER_MEANINGS.name),
  type: parameterType,
  required: required.default(false),
  description: descriptionText.optional().describe(PARAMETER_MEANINGS.description),
  schema: jsonObject.optional().describe(PARAMETER_MEANINGS.schema),
});

const parameterSchema = schema.component("Parameter", "One parameter of a capability.", {
  name: schema.text(PARAMETER_MEANINGS.name),
  type: parameterType,
  required,
  description: schema.optional.text(PARAMETER_MEANINGS.description),
  schema: schema.optional.freeForm(PARAMETER_MEANINGS.schema),
});

const CAPABILITY_MEANINGS = {
  id: "The capability's id, unique within its tool: what invocations and grants name.",
  description: "What it does and gives; may be empty. Language models read it, too.",
  parameters: "What it takes, in order; names are unique.",
};

const capabilityBody = z
  .strictObject({
    id: identifier.describe(CAPABILITY_MEANINGS.id),
    name: displayName.optional().describe("For people to read; the id if omitted."),
    description: descriptionText.default("").describe(CAPABILITY_MEANINGS.description),
    parameters: z
      .array(parameterBody)
      .max(PARAMETERS_MAX)
      .default([])
      .describe(CAPABILITY_MEANINGS.parameters),
    request: requestBody
      .optional()
      .describe(
        "The HTTP request that is made, of an `http` tool. Each parameter must be used at least once.",
      ),
    tool: nameText.optional().describe("The remote tool that is called, of an `mcp` tool."),
  })
  .refine((one) => (one.request === undefined) !== (one.tool === undefined), {
    path: ["request"],
    error: "is required for an http tool; an mcp tool has `tool` instead",
  })
  .meta({ id: "CapabilityInput" });
export const capabilitiesBody = z.array(capabilityBody).min(1).max(CAPABILITIES_MAX);

/** A capability; only keys with `tools:manage` see its `request` or `tool`. */
export const capabilitySchema = schema.component("Capability", "One thing that a tool can do.", {
  id: schema.text(CAPABILITY_MEANINGS.id, "correlate"),
  name: schema.text("Its name, for people to read."),
  description: schema.text(CAPABILITY_MEANINGS.description),
  parameters: schema.list(parameterSchema, CAPABILITY_MEANINGS.parameters),
  request: requestSchema
    .optional()
    .describe(
      "The HTTP request that is made, of an `http` tool. Only for keys with the scope `tools:manage`.",
    ),
  tool: schema.optional.text(
    "The remote tool that is called, of an `mcp` tool. Only for keys with the scope `tools:manage`.",
  ),
});
export type CapabilityResponse = schema.ResponseOf<typeof capabilitySchema>;

export const capabilityListSchema = schema.component(
  "CapabilityList",
  "One page of a tool's capabilities.",
  {
    toolId: schema.text("The tool's id."),
    capabilities: schema.list(
      capabilitySchema,
      "The page, in the tool's own order. Very large capabilities end it before `limit` is reached: continue at `nextOffset`.",
    ),
    total: schema.count("How many match in all."),
    nextOffset: z
      .int()
      .min(1)
      .nullable()
      .describe("`offset` of the next page; null on the last one."),
  },
);
