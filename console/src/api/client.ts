import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "../../generated/api.d.ts";

/** The schemas of the API's requests and responses, by name. */
export type Schemas = components["schemas"];

/**
 * The API, typed from its OpenAPI document. The session cookie authorises requests. The header and the content type
 * prove that a request that changes something was sent by this page.
 */
export const api: Client<paths> = createClient<paths>({
  headers: { "X-Bosun-Console": "1", "Content-Type": "application/json" },
});

/** An error response of the API, or a request that got no response. */
export class ApiError extends Error {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  /** The problems of invalid input. */
  readonly problems: readonly Problem[];

  constructor(status: number, code: string, message: string, details: ErrorDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = details.requestId ?? null;
    this.problems = details.problems ?? [];
  }
}

interface Problem {
  /** The path of the field, such as `context.items[3].name`. */
  readonly path: string;
  readonly message: string;
}

interface ErrorDetails {
  readonly requestId?: string | null;
  readonly problems?: readonly Problem[];
}

interface Answer<Data> {
  /** Text if the operation can also respond with another media type, such as an event stream or CSV. */
  readonly data?: { readonly data: Data } | string | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the data of a successful response. Throws an ApiError for any other response, and if there is none. */
export async function dataOf<Data>(request: Promise<Answer<Data>>): Promise<Data> {
  const answer = await received(request);
  if (typeof answer.data === "object") return answer.data.data;
  throw errorOf(answer.response, answer.error);
}

/** Waits for a response. Throws an ApiError if there is none. */
export async function received<Got>(request: Promise<Got>): Promise<Got> {
  try {
    return await request;
  } catch {
    throw new ApiError(0, "NO_RESPONSE", "The service did not respond. Check your connection.");
  }
}

/** Reads an error response. A response from something else, such as a proxy, may not be one of the API's. */
export function errorOf(response: Response, body: unknown): ApiError {
  const requestId = response.headers.get("X-Request-Id");
  const error = fieldOf(body, "error");
  const code = fieldOf(error, "code");
  const message = fieldOf(error, "message");
  if (typeof code !== "string" || typeof message !== "string") {
    const text = `The service responded with the status ${response.status}.`;
    return new ApiError(response.status, "UNEXPECTED_RESPONSE", text, { requestId });
  }
  const problems = fieldOf(error, "details");
  return new ApiError(response.status, code, message, {
    requestId,
    problems: Array.isArray(problems) ? problems.filter(isProblem) : [],
  });
}

function isProblem(value: unknown): value is Problem {
  return (
    typeof fieldOf(value, "path") === "string" && typeof fieldOf(value, "message") === "string"
  );
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
