import * as z from "zod";
import { PARAMETER_TYPES } from "./model/capability.ts";
import * as schema from "../http/schemas.ts";
import {
  BODY_ENCODINGS,
  FILE_ENCODINGS,
  HTTP_METHODS,
  PARAMETER_STYLES,
  type HttpRequestTemplate,
} from "./model/connector.ts";

const styled = {
  style: z
    .enum(PARAMETER_STYLES)
    .describe(
      "How a list or an object is written, in OpenAPI's terms: `form` (the default in a query and in forms), `simple` (the default in a header), `spaceDelimited`, `pipeDelimited`, `deepObject`, or `json`.",
    )
    .optional(),
  explode: schema.optional.flag(
    "Whether each item of a list, or field of an object, is written by itself. By default with `form` it is.",
  ),
};

const mapped = z
  .union([
    z.strictObject({ value: schema.text("A fixed text.") }),
    z.strictObject({ parameter: schema.text("The parameter whose value goes here."), ...styled }),
  ])
  .meta({ id: "MappedValue", description: "A fixed text, or the value of a parameter." });

const as = z
  .enum(BODY_ENCODINGS)
  .describe(
    "How it is written: `json`, `form` (URL-encoded), `multipart`, or `text` (a string as it is).",
  );

const byField = {
  styles: z
    .record(z.string(), z.strictObject(styled))
    .describe(
      "How single fields of a form are written, by field. Goes with `form` and `multipart`.",
    )
    .optional(),
  files: z
    .record(
      z.string(),
      z.strictObject({
        encoding: z
          .enum(FILE_ENCODINGS)
          .describe("Whether the parameter's text is the file itself, or the file in base64."),
        contentType: schema.text("The file's media type."),
      }),
    )
    .describe("Fields that are files, by field. Goes with `multipart`.")
    .optional(),
};

const body = z
  .union([
    z.strictObject({
      as,
      parameter: schema.text("The parameter whose value is the whole body, instead of `fields`."),
      ...byField,
    }),
    z.strictObject({
      as,
      fields: z
        .record(z.string(), z.string())
        .describe(
          "The parameters whose values the fields of the body have, by field, instead of `parameter`.",
        ),
      ...byField,
    }),
  ])
  .meta({
    id: "MappedBody",
    description: "A body made of one parameter as a whole, or of fields from several.",
  });

const mappedByName = (description: string) =>
  z.record(z.string(), mapped).describe(description).optional();

/** The request behind one capability. */
const httpRequestSchema = schema.component(
  "HttpRequest",
  "How the parameters of a capability become an HTTP request.",
  {
    method: z
      .enum(HTTP_METHODS)
      .describe("The HTTP method. GET and HEAD count as safe and are tried up to three times."),
    path: schema.text(
      "A URI template (RFC 6570) below `baseUrl`, whose names are parameters.",
      "/harbours/{harbour}/tides{?days}",
    ),
    query: mappedByName(
      "What goes into the query, by name: a fixed text, or the value of a parameter. A parameter that is not given is left out.",
    ),
    headers: mappedByName(
      "What goes into the headers, by name: a fixed text, or the value of a parameter. A parameter that is not given is left out.",
    ),
    body: body.optional(),
    result: schema.optional.text(
      "A JSONPath (RFC 9535) into the response: `body` of the result is what it selects. Without it, `body` is the whole response.",
      "$.tides[*].at",
    ),
    baseUrl: schema.optional.text(
      "Another server than the tool's, for this request alone. The guard checks it, too.",
    ),
    anonymous: schema.optional.flag(
      "Whether the system takes this request without a credential, so that it can be called before the tool has any; false if absent. If the tool has credentials, they are sent anyway.",
    ),
  } satisfies Record<keyof HttpRequestTemplate, z.ZodType>,
);

const parameter = schema.component("Parameter", "One parameter of a capability.", {
  name: schema.text("The key in `parameters` of an invocation."),
  type: z.enum(PARAMETER_TYPES).describe("The JSON type of its value."),
  required: schema.flag("Whether a call must give it."),
  description: schema.optional.text("What it means."),
  schema: schema.optional.freeForm(
    "The JSON Schema (draft 2020-12) of the value, if more is known than its type. It can refer only to itself. Calls are checked against it; patterns are matched in linear time.",
  ),
});

const capabilityFieldSchemas = {
  id: schema.text(
    "The capability's id, unique within its tool: what invocations and grants name.",
    "correlate",
  ),
  name: schema.text("Its name, for people to read."),
  description: schema.text("What it does and gives; may be empty. Language models read it, too."),
  parameters: schema.list(parameter, "What it takes, in order; names are unique."),
};

/** A capability; only keys with `tools:manage` see its `request` or `tool`. */
export const capabilitySchema = schema.component("Capability", "One thing that a tool can do.", {
  ...capabilityFieldSchemas,
  request: httpRequestSchema
    .describe(
      "The HTTP request that is made, of an `http` tool. Only for keys with the scope `tools:manage`.",
    )
    .optional(),
  tool: schema.optional.text(
    "The remote tool that is called, of an `mcp` tool. Only for keys with the scope `tools:manage`.",
  ),
});

/** GET …/capabilities. */
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
