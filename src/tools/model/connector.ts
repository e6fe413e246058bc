import type { JsonObject } from "../../kernel/json.ts";

/** How a tool is executed: by the service itself, through HTTP requests, or by a remote MCP server. */
export type Connector = BuiltinConnector | HttpConnector | McpConnector;

interface BuiltinConnector {
  readonly type: "builtin";
}

/**
 * An HTTP API. The `path` of each request is appended to `baseUrl`. `timeoutMs` covers a call including its retries.
 */
export interface HttpConnector extends RemoteConnector {
  readonly type: "http";
  readonly baseUrl: string;
}

/** A remote MCP server over Streamable HTTP. */
export interface McpConnector extends RemoteConnector {
  readonly type: "mcp";
  readonly url: string;
}

interface RemoteConnector {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly credential: CredentialPlace | null;
}

/** Where a system expects its credential, such as `Authorization: Bearer …`, `X-Api-Key: …` or `?api_key=…`. */
export interface CredentialPlace {
  readonly in: "header" | "query";
  readonly name: string;
  /** The text before the secret, including the space, such as `Bearer `. Empty in a query. */
  readonly prefix: string;
}

export interface RequestAuthorization {
  readonly in: "header" | "query";
  readonly name: string;
  readonly value: string;
  /** The secret part of `value`, so that it can be masked. */
  readonly secret?: string | undefined;
}

export const HTTP_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** How lists and objects are serialised in a query, header or form: OpenAPI's styles, and JSON. */
export const PARAMETER_STYLES = [
  "form",
  "simple",
  "spaceDelimited",
  "pipeDelimited",
  "deepObject",
  "json",
] as const;

/**
 * A fixed string, or the value of a parameter. The default style is `form` (exploded) in a query and `simple` in a
 * header.
 */
export type ParameterMapping =
  | { readonly value: string }
  | ({ readonly parameter: string } & FieldStyle);

export const BODY_ENCODINGS = ["json", "form", "multipart", "text"] as const;
export type BodyEncoding = (typeof BODY_ENCODINGS)[number];

/**
 * The serialisation style of a value. The default in a URL-encoded form is `form` (exploded), with the path of nested
 * values in brackets.
 */
export interface FieldStyle {
  readonly style?: (typeof PARAMETER_STYLES)[number] | undefined;
  readonly explode?: boolean | undefined;
}

export const FILE_ENCODINGS = ["text", "base64"] as const;

/** A file in a multipart form: how the parameter encodes it, and its media type. */
export interface FilePart {
  readonly encoding: (typeof FILE_ENCODINGS)[number];
  readonly contentType: string;
}

/**
 * A body: the value of one parameter, or an object whose fields are the values of parameters. `styles` and `files` are
 * keyed by field name.
 */
export type BodyMapping = (
  | { readonly as: BodyEncoding; readonly parameter: string }
  | { readonly as: BodyEncoding; readonly fields: Readonly<Record<string, string>> }
) & {
  readonly styles?: Readonly<Record<string, FieldStyle>> | undefined;
  readonly files?: Readonly<Record<string, FilePart>> | undefined;
};

/** The request behind one capability of an `http` tool. */
export interface HttpRequestTemplate {
  readonly method: HttpMethod;
  /** A URI template (RFC 6570), such as `/harbours/{harbour}/tides{?days}`, whose variables are parameters. */
  readonly path: string;
  readonly query?: Readonly<Record<string, ParameterMapping>> | undefined;
  readonly headers?: Readonly<Record<string, ParameterMapping>> | undefined;
  readonly body?: BodyMapping | undefined;
  /** A JSONPath (RFC 9535) that selects the result from the response. If absent, the result is the whole response. */
  readonly result?: string | undefined;
  /** The base URL, if it is not the tool's. OpenAPI allows a different server per operation. */
  readonly baseUrl?: string | undefined;
  /** Whether the request works without a credential. The default is false. */
  readonly anonymous?: boolean | undefined;
}

/** How a capability is executed, unless its tool is built in. */
export type CapabilityOperation =
  | { readonly type: "http"; readonly request: HttpRequestTemplate }
  | { readonly type: "mcp"; readonly tool: string };

export interface RemoteCall {
  readonly toolId: string;
  readonly capability: string;
  readonly parameters: JsonObject;
  readonly authorization: RequestAuthorization | null;
}
