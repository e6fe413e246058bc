import type { JsonObject } from "../../kernel/json.ts";

/** How a tool is executed: in the service, by HTTP requests, or by a remote MCP server. */
export type Connector = BuiltinConnector | HttpConnector | McpConnector;

interface BuiltinConnector {
  readonly type: "builtin";
}

/** An HTTP API. `path` of each request is resolved below `baseUrl`; `timeoutMs` covers a call with its retries. */
export interface HttpConnector extends RemoteConnector {
  readonly type: "http";
  readonly baseUrl: string;
}

/** A remote MCP server over streamable HTTP. */
export interface McpConnector extends RemoteConnector {
  readonly type: "mcp";
  readonly url: string;
}

interface RemoteConnector {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly credential: CredentialPlace | null;
}

/** Where a system expects its credential: `Authorization: Bearer …`, `X-Api-Key: …`, `?api_key=…`. */
export interface CredentialPlace {
  readonly in: "header" | "query";
  readonly name: string;
  /** The prefix of the secret, with its space: `Bearer `. Empty in a query. */
  readonly prefix: string;
}

export interface RequestAuthorization {
  readonly in: "header" | "query";
  readonly name: string;
  readonly value: string;
  /** The secret part of the value, for masking. */
  readonly secret?: string | undefined;
}

export const HTTP_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** Styles of lists and objects in a query or header, as in OpenAPI. */
export const PARAMETER_STYLES = [
  "form",
  "simple",
  "spaceDelimited",
  "pipeDelimited",
  "deepObject",
  "json",
] as const;

/** A fixed text, or the value of a parameter. Defaults: `form` exploded in a query, `simple` in a header. */
export type ParameterMapping =
  | { readonly value: string }
  | ({ readonly parameter: string } & FieldStyle);

export const BODY_ENCODINGS = ["json", "form", "multipart", "text"] as const;
export type BodyEncoding = (typeof BODY_ENCODINGS)[number];

/** The style of a value. By default, a form field is `form` exploded, with the path of nested values in brackets. */
export interface FieldStyle {
  readonly style?: (typeof PARAMETER_STYLES)[number] | undefined;
  readonly explode?: boolean | undefined;
}

export const FILE_ENCODINGS = ["text", "base64"] as const;

/** A file in a multipart form: the encoding of its text, and its media type. */
export interface FilePart {
  readonly encoding: (typeof FILE_ENCODINGS)[number];
  readonly contentType: string;
}

/** A body: the value of one parameter, or an object of fields, each from a parameter. `styles` and `files` by field. */
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
  /** A URI template (RFC 6570): `/harbours/{harbour}/tides{?days}`; its names are parameters. */
  readonly path: string;
  readonly query?: Readonly<Record<string, ParameterMapping>> | undefined;
  readonly headers?: Readonly<Record<string, ParameterMapping>> | undefined;
  readonly body?: BodyMapping | undefined;
  /** A JSONPath (RFC 9535) that selects the result from the response; absent: the whole response. */
  readonly result?: string | undefined;
  /** A server other than the tool's, which OpenAPI allows per operation. */
  readonly baseUrl?: string | undefined;
  /** Whether the request works without a credential; default false. */
  readonly anonymous?: boolean | undefined;
}

/** How a capability is executed; null for a built-in tool. */
export type CapabilityOperation =
  | { readonly type: "http"; readonly request: HttpRequestTemplate }
  | { readonly type: "mcp"; readonly tool: string };

export interface RemoteCall {
  readonly toolId: string;
  readonly capability: string;
  readonly parameters: JsonObject;
  readonly authorization: RequestAuthorization | null;
}
