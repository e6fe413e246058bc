import * as z from "zod";
import { PARAMETER_TYPES } from "../../../tools/model/capability.ts";
import { freeFormSchema } from "./common.ts";
import {
  BODY_ENCODINGS,
  FILE_ENCODINGS,
  HTTP_METHODS,
  PARAMETER_STYLES,
  type HttpRequestTemplate,
} from "../../../tools/model/connector.ts";

const styled = {
  style: z
    .enum(PARAMETER_STYLES)
    .meta({
      description:
        "How a list or an object is written, in OpenAPI's words; without it `form` in a query and in forms, `simple` in a header.",
    })
    .optional(),
  explode: z
    .boolean()
    .meta({
      description: "Whether each item of a list, or field of an object, is written by itself.",
    })
    .optional(),
};

const mapped = z
  .union([
    z.strictObject({ value: z.string().meta({ description: "A fixed text." }) }),
    z.strictObject({
      parameter: z.string().meta({ description: "The parameter whose value goes here." }),
      ...styled,
    }),
  ])
  .meta({ id: "MappedValue", description: "A fixed text, or the value of a parameter." });

const as = z.enum(BODY_ENCODINGS).meta({
  description:
    "How it is written: `json`, `form` (URL-encoded), `multipart`, or `text` (a string as it is).",
});

const byField = {
  styles: z
    .record(z.string(), z.strictObject(styled))
    .meta({ description: "How single fields of a form are written, by field." })
    .optional(),
  files: z
    .record(
      z.string(),
      z.strictObject({
        encoding: z.enum(FILE_ENCODINGS).meta({
          description: "Whether the parameter's text is the file itself, or the file in base64.",
        }),
        contentType: z.string().meta({ description: "The file's media type." }),
      }),
    )
    .meta({ description: "Fields of a multipart form that are files, by field." })
    .optional(),
};

const body = z
  .union([
    z.strictObject({
      as,
      parameter: z.string().meta({ description: "The parameter whose value is the whole body." }),
      ...byField,
    }),
    z.strictObject({
      as,
      fields: z
        .record(z.string(), z.string())
        .meta({ description: "By field of the body, the parameter whose value it has." }),
      ...byField,
    }),
  ])
  .meta({
    id: "MappedBody",
    description: "A body made of one parameter as a whole, or of fields from several.",
  });

const mappedByName = (description: string) =>
  z.record(z.string(), mapped).meta({ description }).optional();

/** The request behind one capability. */
export const httpRequestSchema = z
  .strictObject({
    method: z.enum(HTTP_METHODS).meta({ description: "The HTTP method." }),
    path: z.string().meta({
      description: "A URI template (RFC 6570) whose names are parameters.",
      examples: ["/harbours/{harbour}/tides{?days}"],
    }),
    query: mappedByName("By query parameter, what goes into it."),
    headers: mappedByName("By header, what goes into it."),
    body: body.optional(),
    result: z
      .string()
      .meta({
        description:
          "A JSONPath (RFC 9535) into the answer; without it the whole answer is the result.",
        examples: ["$.tides[*].at"],
      })
      .optional(),
    baseUrl: z
      .string()
      .meta({ description: "Another server than the tool's, for this request alone." })
      .optional(),
    anonymous: z
      .boolean()
      .meta({
        description:
          "Whether the system takes this request without a credential; false when absent. With credentials at hand they are sent all the same.",
      })
      .optional(),
  } satisfies Record<keyof HttpRequestTemplate, z.ZodType>)
  .meta({
    id: "HttpRequest",
    description: "How the parameters of a capability become an HTTP request.",
  });

const parameter = z
  .strictObject({
    name: z.string().meta({ description: "The key in `parameters` of an invocation." }),
    type: z.enum(PARAMETER_TYPES).meta({ description: "The JSON type of its value." }),
    required: z.boolean().meta({ description: "Whether a call must give it." }),
    description: z.string().meta({ description: "What it means." }).optional(),
    schema: freeFormSchema(
      "The JSON Schema (draft 2020-12) of the value, where more is known than its type. It refers to nothing outside itself, and calls are checked against it.",
    ).optional(),
  })
  .meta({ id: "Parameter", description: "One parameter of a capability." });

const capabilityFieldSchemas = {
  id: z.string().meta({
    description: "The capability's id, unique within its tool.",
    examples: ["correlate"],
  }),
  name: z.string().meta({ description: "Its name, for people to read." }),
  description: z.string().meta({ description: "What it does and gives; may be empty." }),
  parameters: z.array(parameter).meta({ description: "What it takes, in order." }),
};

/** With what carries it out, which only those who manage tools see. */
export const capabilitySchema = z
  .strictObject({
    ...capabilityFieldSchemas,
    request: httpRequestSchema
      .meta({
        description:
          "The HTTP request that is made, of an `http` tool. Only for keys with the scope `tools:manage`.",
      })
      .optional(),
    tool: z
      .string()
      .meta({
        description:
          "The remote tool that is called, of an `mcp` tool. Only for keys with the scope `tools:manage`.",
      })
      .optional(),
  })
  .meta({ id: "Capability", description: "One thing that a tool can do." });

/** GET …/capabilities. */
export const capabilityListSchema = z
  .strictObject({
    toolId: z.string().meta({ description: "The tool's id." }),
    capabilities: z.array(capabilitySchema).meta({
      description:
        "The page, in the tool's own order. Very large ones end it before `limit` is reached: go on at `nextOffset`.",
    }),
    total: z.int().min(0).meta({ description: "How many match in all." }),
    nextOffset: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: "`offset` of the next page; null on the last one." }),
  })
  .meta({ id: "CapabilityList", description: "One page of a tool's capabilities." });
