import * as z from "zod";
import { CATEGORIES, type ImportSource } from "../../../tools/model/tool.ts";

export const toolCategorySchema = z.enum(CATEGORIES).meta({
  id: "ToolCategory",
  description: "The six categories of the catalogue.",
});

const credentialPlace = z
  .strictObject({
    in: z.enum(["header", "query"]).meta({ description: "The part of the request it goes into." }),
    name: z
      .string()
      .meta({ description: "Name of the header or the query parameter.", examples: ["X-Api-Key"] }),
    prefix: z.string().meta({
      description: "What stands before the secret, with its space, such as `Bearer `; often empty.",
    }),
  })
  .meta({
    id: "CredentialPlace",
    description:
      "Where the system behind a tool wants its credential. The secret itself lies apart.",
  });

const remote = {
  headers: z
    .record(z.string(), z.string())
    .meta({ description: "Headers that go out with every request." }),
  timeoutMs: z.int().min(1).meta({
    description:
      "How long one call may take, in milliseconds: redirects and further tries included.",
  }),
  credential: credentialPlace.nullable().meta({
    description: "Where the credential goes; null where nobody has said.",
  }),
};

const builtinConnector = z
  .strictObject({ type: z.literal("builtin").meta({ description: "Runs inside the service." }) })
  .meta({ id: "BuiltinConnector", description: "A tool that comes with the service." });

const httpConnector = z
  .strictObject({
    type: z.literal("http").meta({ description: "Works by HTTP requests." }),
    baseUrl: z.string().meta({ description: "Where the API is: paths are resolved below it." }),
    ...remote,
  })
  .meta({ id: "HttpConnector", description: "A tool behind an HTTP API." });

const mcpConnector = z
  .strictObject({
    type: z.literal("mcp").meta({ description: "Works through a remote MCP server." }),
    url: z.string().meta({ description: "Address of the MCP server (streamable HTTP)." }),
    ...remote,
  })
  .meta({ id: "McpConnector", description: "A tool behind an MCP server." });

/** As those who manage tools see it. */
export const connectorResponseSchema = z
  .discriminatedUnion("type", [builtinConnector, httpConnector, mcpConnector])
  .meta({ id: "Connector", description: "How a tool reaches the system behind it." });

/** As everybody else sees it. */
export const connectorTypeSchema = z
  .strictObject({
    type: z.enum(["builtin", "http", "mcp"]).meta({
      description: "Whether the tool runs inside the service, behind an HTTP API or an MCP server.",
    }),
  })
  .meta({
    id: "ConnectorType",
    description: "How a tool works, for keys that do not manage tools: nothing but its kind.",
  });

const names = (description: string) => z.array(z.string()).meta({ description }).optional();

export const importSourceSchema = z
  .strictObject({
    type: z.enum(["openapi", "mcp"]).meta({ description: "What was imported." }),
    url: z.string().nullable().meta({
      description: "Where it was read; null for a document that came in the request itself.",
    }),
    only: z
      .strictObject({
        tags: names("Operations with any of these tags were taken."),
        names: names("Operations with any of these names were taken."),
      })
      .meta({ description: "The part that was taken; absent when it was the whole." })
      .optional(),
    baseUrl: z
      .string()
      .meta({ description: "Where the API is, when it is not where its document says." })
      .optional(),
  } satisfies Record<keyof ImportSource, z.ZodType>)
  .meta({
    id: "ImportSource",
    description: "What a tool was imported from; the same import again brings it up to date.",
  });
