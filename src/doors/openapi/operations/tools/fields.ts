type Fields = Readonly<Record<string, string>>;

/** How lists and objects are written, wherever a parameter goes into a query, a header or a form. */
function styled(path: string): Fields {
  return {
    [`${path}.style`]:
      "How a list or an object is written, in OpenAPI's words: `form` (the default in a query and in forms), `simple` (in a header), `spaceDelimited`, `pipeDelimited`, `deepObject`, or `json`.",
    [`${path}.explode`]:
      "Whether each item of a list, or field of an object, is written by itself. By default with `form` it is.",
  };
}

function mapped(path: string, where: string): Fields {
  return {
    [path]: `By name, what goes into ${where}: \`{"parameter": "<its name>"}\` or \`{"value": "<a fixed text>"}\`. A parameter that is not given is left out.`,
    [`${path}.*.value`]: "A fixed text.",
    [`${path}.*.parameter`]: "The parameter whose value goes here.",
    ...styled(`${path}.*`),
  };
}

const BODY = "capabilities[].request.body";

/** Of `capabilities`, where a tool is registered or changed. */
export const CAPABILITY_FIELDS: Fields = {
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
  ...mapped("capabilities[].request.query", "the query"),
  ...mapped("capabilities[].request.headers", "the headers"),
  [BODY]: "What goes into the body: one parameter as a whole, or fields from several.",
  [`${BODY}.as`]:
    "How it is written: `json`, `form` (URL-encoded), `multipart`, or `text` (a string as it is).",
  [`${BODY}.parameter`]: "The parameter whose value is the whole body; give it or `fields`.",
  [`${BODY}.fields`]:
    "By field of the body, the parameter whose value it has; give it or `parameter`.",
  [`${BODY}.styles`]:
    "How single fields of a form are written, by field. Goes with `form` and `multipart`.",
  ...styled(`${BODY}.styles.*`),
  [`${BODY}.files`]: "Fields that are files, by field. Goes with `multipart`.",
  [`${BODY}.files.*.encoding`]:
    "Whether the parameter's text is the file itself, or the file in base64.",
  [`${BODY}.files.*.contentType`]: "The file's media type.",
  "capabilities[].request.result":
    "A JSONPath (RFC 9535) into the answer, such as `$.tides[*].at`: `body` of the result is what it selects. Left out, the whole answer is.",
  "capabilities[].request.baseUrl":
    "Another server than the tool's, for this request alone. The guard judges it, too.",
  "capabilities[].request.anonymous":
    "Whether the system takes this request without a credential, so that it can be called before the tool has any.",
  "capabilities[].tool": "The remote tool that is called, of an `mcp` tool.",
};

/** Of `rateLimit` and `pricing`. */
export const TERM_FIELDS: Fields = {
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
export const CONNECTOR_FIELDS: Fields = {
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
export const AUTHENTICATION_FIELDS: Fields = {
  authentication:
    "What the system behind the tool asks for. Calls of a tool that asks for something are refused until it has credentials.",
  "authentication.type": "`none`, `api-key`, or `oauth`.",
  "authentication.scopes": "The OAuth scopes that it needs; only with `oauth`.",
};
