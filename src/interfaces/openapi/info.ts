export const API_INFO = {
  title: "Bosun",
  summary: "Tools and tasks for AI agents",
  contact: { name: "The operator of this Bosun instance" },
  license: { name: "MIT", identifier: "MIT" },
  description: `A catalogue of **tools** with per-agent grants, and **tasks** that agents carry out under deadlines.

**Authentication.** Unless stated otherwise, every request needs a key: \`Authorization: Bearer <API_KEY>\`. A key has scopes and may be bound to an agent or a team. A bound key sees only what belongs to its agent or team; everything else returns 404.

**Requests.** Bodies are JSON objects of at most 1 MiB and 32 levels, counting the body as the first. Text must be well-formed Unicode without U+0000, and its length is counted in characters (Unicode code points), as in JSON Schema. Numbers must be finite, and integers must be from -(2^53 - 1) to 2^53 - 1. A query parameter must not be empty or repeated. Unknown parameters are rejected.

**Responses.** A successful response is \`{"success": true, "data", "metadata"}\`, and a failure is \`{"success": false, "error": {"code", "message", "retryable"}, "metadata"}\`. A validation failure lists up to 20 invalid fields; some checks run only once these fields are valid. An unknown path returns 404 \`NOT_FOUND\`; an unsupported method returns 405 with \`Allow\`. HEAD works on every path that supports GET, and OPTIONS works on every path. JSON responses have \`Cache-Control: no-store\`, except public documents with their own cache headers.

**Limits.** Every key except the root key has limits (\`limits\`, changed with \`PATCH /agents/keys/{id}\`). The \`RateLimit\` header states how many requests the key has left in the current minute. A request that exceeds a limit returns 429 \`RATE_LIMIT_EXCEEDED\`, which names the limit.

**Safe retries.** Every POST except \`/mcp\` and \`/a2a\` accepts an \`Idempotency-Key\`. A repeated request within 24 hours returns the first response, with \`Idempotency-Replayed: true\`. When you PATCH a task or a tool, you can set \`If-Match\` to the \`ETag\` that you read.

**Changes.** Fields and operations are added, never removed. Clients should ignore unknown fields.`,
};

export const BEARER_SECURITY_SCHEME = {
  type: "http",
  scheme: "bearer",
  description:
    "An API key of this service: `bsn_…`. The first key is created when the service is deployed.",
} as const;
