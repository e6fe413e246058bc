/** A response header, as OpenAPI describes it. */
interface ResponseHeader {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: { readonly type: "string" | "integer" };
  readonly example?: string | number;
}

/** Headers that several operations have. */
export const RESPONSE_HEADERS = {
  "X-Request-Id": {
    description:
      "The id of this request: the one that you sent in `X-Request-Id`, if it has 1 to 128 characters of `A-Z a-z 0-9 . _ -`, or a new one. It leads to the request in the service's log.",
    required: true,
    schema: { type: "string" },
    example: "b7f1c9d0-6a43-4f7e-9a51-0d2c8e5f4a13",
  },
  "WWW-Authenticate": {
    description: "How to authenticate.",
    schema: { type: "string" },
    example: "Bearer",
  },
  ETag: {
    description: "The version of what the answer shows, for `If-Match`.",
    schema: { type: "string" },
    example: '"12"',
  },
  Allow: {
    description: "The methods that this path takes.",
    schema: { type: "string" },
    example: "GET, HEAD, OPTIONS",
  },
  "Retry-After": {
    description: "After how many seconds it is worth trying again.",
    schema: { type: "integer" },
    example: 30,
  },
  RateLimit: {
    description:
      'What is left of a window: `r` calls or requests, and `t` seconds until a new window opens (draft-ietf-httpapi-ratelimit-headers). "tool" is the tool\'s window. "key" is the key\'s minute, sent with every response to a key that has limits.',
    schema: { type: "string" },
    example: '"tool";r=4999;t=3600',
  },
  "RateLimit-Policy": {
    description:
      "The limits: `q` tool calls, or requests with the key, in a window of `w` seconds.",
    schema: { type: "string" },
    example: '"tool";q=5000;w=3600',
  },
  "Idempotency-Replayed": {
    description:
      "`true` where this is the answer that an earlier request with the same Idempotency-Key got; absent otherwise.",
    schema: { type: "string" },
    example: "true",
  },
} as const satisfies Readonly<Record<string, ResponseHeader>>;

/** The header of this name, or a plain one. */
export function findResponseHeader(name: string): ResponseHeader {
  const known: Readonly<Record<string, ResponseHeader>> = RESPONSE_HEADERS;
  return known[name] ?? { description: name, schema: { type: "string" } };
}

/** Headers of every response. */
export const COMMON_HEADERS = {
  "X-Request-Id": { $ref: "#/components/headers/XRequestId" },
} as const;

/** Headers of a replayed response. */
export const REPLAY_HEADERS = {
  "Idempotency-Replayed": RESPONSE_HEADERS["Idempotency-Replayed"],
} as const;
