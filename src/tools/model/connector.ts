import type { JsonObject } from "../../kernel/json.ts";

/** How a tool works: inside the service, by HTTP requests, or through a remote MCP server. */
export type Connector = BuiltinConnector | HttpConnector | McpConnector;

export interface BuiltinConnector {
  readonly type: "builtin";
}

/** An HTTP API. `path` of each request is resolved below `baseUrl`; `timeoutMs` covers a call with its retries. */
export interface HttpConnector {
  readonly type: "http";
  readonly baseUrl: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly credential: CredentialPlace | null;
}

/** A remote MCP server over streamable HTTP. */
export interface McpConnector {
  readonly type: "mcp";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly credential: CredentialPlace | null;
}

/** Where a system wants its credential: `Authorization: Bearer …`, `X-Api-Key: …`, `?api_key=…`. */
export interface CredentialPlace {
  readonly in: "header" | "query";
  readonly name: string;
  /** What stands before the secret, with its space: `Bearer `. Empty in a query. */
  readonly prefix: string;
}

/** A credential as it goes onto one request. */
export interface RequestAuthorization {
  readonly in: "header" | "query";
  readonly name: string;
  readonly value: string;
  /** The part of the value that is secret, for masking where it comes back alone. */
  readonly secret?: string | undefined;
}

export const HTTP_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** How lists and objects are written into a query or header: OpenAPI's words for it. */
export const PARAMETER_STYLES = [
  "form",
  "simple",
  "spaceDelimited",
  "pipeDelimited",
  "deepObject",
  "json",
] as const;
export type ParameterStyle = (typeof PARAMETER_STYLES)[number];

/** A fixed text, or the value of a parameter. Defaults: `form` exploded in a query, `simple` in a header. */
export type ParameterMapping =
  | { readonly value: string }
  | {
      readonly parameter: string;
      readonly style?: ParameterStyle | undefined;
      readonly explode?: boolean | undefined;
    };

export const BODY_ENCODINGS = ["json", "form", "multipart", "text"] as const;
export type BodyEncoding = (typeof BODY_ENCODINGS)[number];

/** How a field of a form is written: `form` exploded, but what nests with its path in brackets. */
export interface FieldStyle {
  readonly style?: ParameterStyle | undefined;
  readonly explode?: boolean | undefined;
}

export const FILE_ENCODINGS = ["text", "base64"] as const;

/** A field of a multipart form that is a file: what its text holds, and its media type. */
export interface FilePart {
  readonly encoding: (typeof FILE_ENCODINGS)[number];
  readonly contentType: string;
}

/**
 * A body: one parameter's value as a whole, or an object of fields, each from the parameter named.
 * `styles` and `files` are by field and go with forms; `files` with multipart ones.
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
  /** A URI template (RFC 6570): `/harbours/{harbour}/tides{?days}`; its names are parameters. */
  readonly path: string;
  readonly query?: Readonly<Record<string, ParameterMapping>> | undefined;
  readonly headers?: Readonly<Record<string, ParameterMapping>> | undefined;
  readonly body?: BodyMapping | undefined;
  /** A JSONPath (RFC 9535) into the answer; without it the whole answer is the result. */
  readonly result?: string | undefined;
  /** Another server than the tool's, as OpenAPI allows for single operations. */
  readonly baseUrl?: string | undefined;
  /** Whether the system takes this request without a credential; false when left out. */
  readonly anonymous?: boolean | undefined;
}

/** What carries out one capability; null where the tool's own code does. */
export type CapabilityOperation =
  | { readonly type: "http"; readonly request: HttpRequestTemplate }
  | { readonly type: "mcp"; readonly tool: string };

/** One call of a capability that lies outside the service. */
export interface RemoteCall {
  readonly toolId: string;
  readonly capability: string;
  readonly parameters: JsonObject;
  readonly authorisation: RequestAuthorization | null;
}
