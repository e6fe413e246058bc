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
    "Only capabilities whose id, name or description contains this text, ignoring case.",
  ),
  limit: page.limit.describe("Maximum number of capabilities on the page."),
  offset: page.offset.describe(
    "Number of capabilities to skip: `nextOffset` of the previous page.",
  ),
});

const urlText = z.string().max(URL_BYTES_MAX);

/** How the value of a parameter is serialised. */
const styleFields = {
  style: z
    .enum(PARAMETER_STYLES)
    .optional()
    .describe(
      "How a list or an object is serialised. `form` (the default in a query and in forms), `simple` (the default in a header), `spaceDelimited`, `pipeDelimited` and `deepObject` are OpenAPI's styles; `json` writes the value as JSON.",
    ),
  explode: schema.optional.flag(
    "Whether each list item or object field is serialised separately. Default: true with `form`, otherwise false.",
  ),
};

/** A fixed string, or the value of a parameter. Request schemas limit the lengths of names and strings. */
function mappedValue(name: z.ZodString, text: z.ZodString) {
  return z.union(
    [
      z.strictObject({ value: text.describe("A fixed string.") }),
      z.strictObject({
        parameter: name.describe("The parameter that provides the value."),
        ...styleFields,
      }),
    ],
    { error: 'must be {"parameter": "<its name>"} or {"value": "<a fixed string>"}' },
  );
}

const bodyEncoding = z
  .enum(BODY_ENCODINGS)
  .describe(
    "The encoding of the body: `json`, `form` (URL-encoded), `multipart`, or `text` (an unchanged string).",
  );
const fileEncoding = z
  .enum(FILE_ENCODINGS)
  .describe("Whether the parameter contains the file as text or in base64.");
const FILE_TYPE_MEANING = "The file's media type.";

/** A body built from one or more parameters. Request schemas limit the length of names and set defaults. */
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
        "How individual form fields are serialised, by field name. Only with `form` and `multipart`.",
      ),
    files: z
      .record(name, file)
      .optional()
      .describe("The fields that contain files, by field name. Only with `multipart`."),
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
          .describe("The parameter for each body field, by field name, instead of `parameter`."),
        ...options,
      }),
    ],
    {
      error:
        'must be {"parameter": "<its name>"} or {"fields": {"<field>": "<parameter>"}}; `form` and `multipart` also allow "styles": {"<field>": {"style", "explode"}}, and `multipart` allows "files": {"<field>": {"encoding", "contentType"}}',
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
    error: "must name fields of the body, and is allowed only with `as: form` or `as: multipart`",
  })
  .refine((body) => areKnownFields(body, body.files, ["multipart"]), {
    path: ["files"],
    error: "must name fields of the body, and is allowed only with `as: multipart`",
  });

/** Whether the per-field options name fields of the body and are allowed for its encoding. */
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
  description: "A body whose value is one parameter, or whose fields are parameters.",
});

const method = z
  .enum(HTTP_METHODS)
  .describe("The HTTP method. GET and HEAD count as safe and are tried up to three times.");
const anonymous = schema.optional.flag(
  "Whether the system accepts this request without a credential, so calls do not require credentials; false if absent. If the tool has usable credentials, they are sent anyway.",
);

/** The descriptions of a request's other fields. */
const REQUEST_MEANINGS = {
  path: "A URI template (RFC 6570), relative to `baseUrl`, whose variables are parameters.",
  query:
    "The query parameters, by name. Each is a fixed string or the value of a parameter. Parameters that the call omits are not sent.",
  headers:
    "The headers, by name. Each is a fixed string or the value of a parameter. Parameters that the call omits are not sent.",
  result:
    "A JSONPath (RFC 9535) that selects the result's `body` from the response. Default: the whole response.",
  baseUrl:
    "A different base URL, for this request only. Its address is checked like the tool's own.",
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
    .describe("The body, whose value is one parameter or whose fields are parameters."),
  result: urlText.min(1).optional().describe(REQUEST_MEANINGS.result),
  baseUrl: baseUrlSchema.optional().describe(REQUEST_MEANINGS.baseUrl),
  anonymous,
});

const mappedValueSchema = mappedValue(z.string(), z.string()).meta({
  id: "MappedValue",
  description: "A fixed string, or the value of a parameter.",
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

const parameterType = z.enum(PARAMETER_TYPES).describe("The JSON type of the value.");
const required = schema.flag("Whether calls must include the parameter.");
const PARAMETER_MEANINGS = {
  name: "The parameter's name, which is its key in an invocation's `parameters`.",
  description: "The meaning of the parameter.",
  schema:
    "The value's JSON Schema (draft 2020-12), if more than its type is known. It must not contain external references. Calls are validated against it; patterns are matched in linear time.",
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
  id: "The capability's id, which is unique within its tool. Invocations and grants refer to it.",
  description: "What the capability does and returns; may be empty. Language models also read it.",
  parameters: "The parameters, in order. Their names are unique.",
};

const capabilityBody = z
  .strictObject({
    id: identifier.describe(CAPABILITY_MEANINGS.id),
    name: displayName.optional().describe("Display name. Default: the id."),
    description: descriptionText.default("").describe(CAPABILITY_MEANINGS.description),
    parameters: z
      .array(parameterBody)
      .max(PARAMETERS_MAX)
      .default([])
      .describe(CAPABILITY_MEANINGS.parameters),
    request: requestBody
      .optional()
      .describe("For an `http` tool: the HTTP request. Each parameter must be used at least once."),
    tool: nameText.optional().describe("For an `mcp` tool: the name of the remote tool."),
  })
  .refine((one) => (one.request === undefined) !== (one.tool === undefined), {
    path: ["request"],
    error: "is required for an http tool, and `tool` for an mcp tool; set exactly one of them",
  })
  .meta({ id: "CapabilityInput" });
export const capabilitiesBody = z.array(capabilityBody).min(1).max(CAPABILITIES_MAX);

/** A capability. Its `request` or `tool` is shown only to keys with `tools:manage`. */
export const capabilitySchema = schema.component("Capability", "One operation of a tool.", {
  id: schema.text(CAPABILITY_MEANINGS.id, "correlate"),
  name: schema.text("Display name."),
  description: schema.text(CAPABILITY_MEANINGS.description),
  parameters: schema.list(parameterSchema, CAPABILITY_MEANINGS.parameters),
  request: requestSchema
    .optional()
    .describe("For an `http` tool: the HTTP request. Only for keys with the scope `tools:manage`."),
  tool: schema.optional.text(
    "For an `mcp` tool: the name of the remote tool. Only for keys with the scope `tools:manage`.",
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
      "The capabilities on the page, in the order of the tool's definition. A page of very large capabilities ends before it reaches `limit`; continue at `nextOffset`.",
    ),
    total: schema.count("Total number of matches."),
    nextOffset: z
      .int()
      .min(1)
      .nullable()
      .describe("`offset` of the next page; null on the last page."),
  },
);
