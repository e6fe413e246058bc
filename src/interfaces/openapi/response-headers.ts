function defineHeader(
  description: string,
  example: string | number,
  presence: { readonly required?: true } = {},
) {
  const type = typeof example === "number" ? ("integer" as const) : ("string" as const);
  return { description, ...presence, schema: { type }, example };
}

/** Headers that several operations have. */
export const RESPONSE_HEADERS = {
  "X-Request-Id": defineHeader(
    "The id of this request: the one that you sent in `X-Request-Id`, if it has 1 to 128 characters of `A-Z a-z 0-9 . _ -`, or a new one. It identifies the request in the service's log.",
    "b7f1c9d0-6a43-4f7e-9a51-0d2c8e5f4a13",
    { required: true },
  ),
  "WWW-Authenticate": defineHeader("How to authenticate.", "Bearer"),
  ETag: defineHeader("The version of the resource in the response, for `If-Match`.", '"12"'),
  Allow: defineHeader("The methods that this path supports.", "GET, HEAD, OPTIONS"),
  "Retry-After": defineHeader("The number of seconds to wait before a retry.", 30),
  RateLimit: defineHeader(
    'What is left of a window: `r` calls or requests, and `t` seconds until a new window opens (draft-ietf-httpapi-ratelimit-headers). "tool" is the tool\'s window. "key" is the key\'s minute, sent with every response to a key that has limits.',
    '"tool";r=4999;t=3600',
  ),
  "RateLimit-Policy": defineHeader(
    "The limits: `q` tool calls, or requests with the key, in a window of `w` seconds.",
    '"tool";q=5000;w=3600',
  ),
  "Idempotency-Replayed": defineHeader(
    "`true` if this is the response to an earlier request with the same Idempotency-Key; absent otherwise.",
    "true",
  ),
};

/** The header of this name, or a plain one. */
export function findResponseHeader(name: string) {
  const known: Readonly<Record<string, ReturnType<typeof defineHeader>>> = RESPONSE_HEADERS;
  return known[name] ?? { description: name, schema: { type: "string" as const } };
}

export const COMMON_HEADERS = {
  "X-Request-Id": { $ref: "#/components/headers/XRequestId" },
} as const;

export const REPLAY_HEADERS = {
  "Idempotency-Replayed": RESPONSE_HEADERS["Idempotency-Replayed"],
} as const;
