import { defineOperations, respond } from "../api-operation.ts";
import { changedToolSchema, retiredToolSchema, registeredToolSchema } from "../schemas/tool.ts";

type FieldDescriptions = Readonly<Record<string, string>>;

/** How lists and objects are written into a query, a header or a form. */
function describeStyle(path: string): FieldDescriptions {
  return {
    [`${path}.style`]:
      "How a list or an object is written, in OpenAPI's words: `form` (the default in a query and in forms), `simple` (in a header), `spaceDelimited`, `pipeDelimited`, `deepObject`, or `json`.",
    [`${path}.explode`]:
      "Whether each item of a list, or field of an object, is written by itself. By default with `form` it is.",
  };
}

function describeMapping(path: string, where: string): FieldDescriptions {
  return {
    [path]: `By name, what goes into ${where}: \`{"parameter": "<its name>"}\` or \`{"value": "<a fixed text>"}\`. A parameter that is not given is left out.`,
    [`${path}.*.value`]: "A fixed text.",
    [`${path}.*.parameter`]: "The parameter whose value goes here.",
    ...describeStyle(`${path}.*`),
  };
}

const BODY_PATH = "capabilities[].request.body";

/** Of `capabilities`, where a tool is registered or changed. */
const CAPABILITY_FIELDS: FieldDescriptions = {
  "capabilities[].id": "Unique within the tool: what invocations and grants name.",
  "capabilities[].name": "For people to read; the id when left out.",
  "capabilities[].description": "What it does and gives. Language models read it, too.",
  "capabilities[].parameters": "What it takes; names are unique.",
  "capabilities[].parameters[].name": "The key in `parameters` of an invocation.",
  "capabilities[].parameters[].type": "The JSON type of its value.",
  "capabilities[].parameters[].required": "Whether a call must give it.",
  "capabilities[].parameters[].description": "What it means.",
  "capabilities[].parameters[].schema":
    "A JSON Schema (draft 2020-12) of the value, where more is known than its type; it may refer to itself alone. Calls are checked against it, and patterns are matched in linear time.",
  "capabilities[].request":
    "The HTTP request that is made, of an `http` tool. Each parameter must be used at least once.",
  "capabilities[].request.method":
    "The HTTP method. GET and HEAD are taken to change nothing, and are tried up to three times.",
  "capabilities[].request.path":
    "A URI template (RFC 6570) below `baseUrl`, whose names are parameters: `/harbours/{harbour}/tides{?days}`.",
  ...describeMapping("capabilities[].request.query", "the query"),
  ...describeMapping("capabilities[].request.headers", "the headers"),
  [BODY_PATH]: "What goes into the body: one parameter as a whole, or fields from several.",
  [`${BODY_PATH}.as`]:
    "How it is written: `json`, `form` (URL-encoded), `multipart`, or `text` (a string as it is).",
  [`${BODY_PATH}.parameter`]: "The parameter whose value is the whole body; give it or `fields`.",
  [`${BODY_PATH}.fields`]:
    "By field of the body, the parameter whose value it has; give it or `parameter`.",
  [`${BODY_PATH}.styles`]:
    "How single fields of a form are written, by field. Goes with `form` and `multipart`.",
  ...describeStyle(`${BODY_PATH}.styles.*`),
  [`${BODY_PATH}.files`]: "Fields that are files, by field. Goes with `multipart`.",
  [`${BODY_PATH}.files.*.encoding`]:
    "Whether the parameter's text is the file itself, or the file in base64.",
  [`${BODY_PATH}.files.*.contentType`]: "The file's media type.",
  "capabilities[].request.result":
    "A JSONPath (RFC 9535) into the answer, such as `$.tides[*].at`: `body` of the result is what it selects. Left out, the whole answer is.",
  "capabilities[].request.baseUrl":
    "Another server than the tool's, for this request alone. The guard judges it, too.",
  "capabilities[].request.anonymous":
    "Whether the system takes this request without a credential, so that it can be called before the tool has any.",
  "capabilities[].tool": "The remote tool that is called, of an `mcp` tool.",
};

/** Of `rateLimit` and `pricing`. */
export const TERM_FIELDS: FieldDescriptions = {
  category: "The category that lists can be cut to.",
  rateLimit: "How often it may be called, all agents together.",
  "rateLimit.requests": "Calls that one window has room for.",
  "rateLimit.period": "Length of the window, which opens with the first call.",
  pricing: "What calls cost. Failed and refused ones cost nothing.",
  "pricing.model": "Priced by the call; there is no other model.",
  "pricing.free": "Calls without charge in each calendar month (UTC), all agents together.",
  "pricing.overage": "Price of each further call, in US dollars.",
};

/** Of `connector`. */
const CONNECTOR_FIELDS: FieldDescriptions = {
  "connector.type": "`http` for an HTTP API, `mcp` for a remote MCP server (streamable HTTP).",
  "connector.baseUrl":
    "Where the API is, of an `http` tool: paths are resolved below it. The guard judges it before anything is stored: private, loopback and otherwise special addresses are refused.",
  "connector.url": "Address of the MCP server, of an `mcp` tool. The guard judges it, too.",
  "connector.headers":
    "Headers that go out with every request. No secrets: they have a place of their own (`PUT …/credentials`).",
  "connector.timeoutMs":
    "How long one call may take, in milliseconds: redirects and further tries included.",
  "connector.credential":
    "Where the credential goes; null to leave that to the credentials themselves, whose default is `Authorization: Bearer …`.",
  "connector.credential.in": "The part of the request it goes into.",
  "connector.credential.name": "Name of the header or the query parameter.",
  "connector.credential.prefix": "What stands before the secret, with its space: `Bearer `.",
};

/** Of `authentication`. */
const AUTHENTICATION_FIELDS: FieldDescriptions = {
  authentication:
    "What the system behind the tool asks for. Calls of a tool that asks for something are refused until it has credentials.",
  "authentication.type": "`none`, `api-key`, or `oauth`.",
  "authentication.scopes": "The OAuth scopes that it needs; only with `oauth`.",
};

/** The operations that register, change and retire tools. */
export const toolManagementOperations = defineOperations("Tools", {
  "POST /agents/tools": {
    operationId: "registerTool",
    summary: "Register a tool by hand",
    description: `Puts a new tool into the catalogue: an HTTP API, request by request, or a remote MCP server, tool by tool. Whatever has an OpenAPI document or speaks MCP is easier to import.

\`request\` of a capability says how its parameters become an HTTP request, and which part of the answer is the result. Every address is judged by the guard before anything is stored. Nobody may use the tool until it is granted; keys that are not bound to an agent or a team may invoke it at once.

All mistakes are told together. The ids \`access\` and \`import\` are reserved, and ids of retired tools are not given again.`,
    fields: {
      id: "The tool's id: it stays as it is for ever.",
      name: "Its name, for people to read.",
      description: "What it is for. Language models read it, too.",
      documentation: "Where its own documentation lies: a URL, or empty.",
      ...AUTHENTICATION_FIELDS,
      connector: "How the tool reaches the system behind it.",
      ...CONNECTOR_FIELDS,
      capabilities:
        "What it can do. Those of an `http` tool have `request`, those of an `mcp` tool `tool`.",
      ...CAPABILITY_FIELDS,
      ...TERM_FIELDS,
    },
    responses: [
      respond(201, "The tool is in the catalogue, at version 1.", registeredToolSchema, {
        headers: { Location: "Where the tool lies: `/agents/tools/{id}`, as a whole URL." },
      }),
    ],
    errorCodes: ["TOOL_EXISTS"],
  },
  "PATCH /agents/tools/:id": {
    operationId: "updateTool",
    summary: "Change a tool",
    description: `Changes the fields that are given; of \`connector\` what is given of it, \`capabilities\` as a whole. \`version\` rises by one, unless nothing is different.

A tool that goes to another origin afterwards loses its credentials, as they were not meant for it. A tool that rested after failures need not rest any longer. A connector of another type wants its capabilities along. Built-in tools follow the release and cannot be changed.

Without \`If-Match\` a change is applied to whatever the one before has left; with it, only to the version that was read.`,
    fields: {
      name: "Its name, for people to read.",
      description: "What it is for.",
      documentation: "Where its own documentation lies: a URL, or empty.",
      ...AUTHENTICATION_FIELDS,
      connector: "What changes of how it reaches its system; all of it where its type changes.",
      ...CONNECTOR_FIELDS,
      capabilities: "All that it can do from now on: what is not among them is gone.",
      ...CAPABILITY_FIELDS,
      ...TERM_FIELDS,
    },
    responses: [respond(200, "The tool as it is now, and what is different.", changedToolSchema)],
    errorCodes: ["TOOL_BUILT_IN"],
  },
  "DELETE /agents/tools/:id": {
    operationId: "retireTool",
    summary: "Retire a tool",
    description:
      "Takes a tool out of the catalogue for good, and deletes its credentials. From then on it answers 404; its usage can still be read, and its id is not given again, as tasks and grants name it.",
    responses: [respond(200, "It is retired.", retiredToolSchema)],
    errorCodes: ["TOOL_BUILT_IN"],
  },
});
