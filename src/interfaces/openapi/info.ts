export const API_INFO = {
  title: "Bosun",
  summary: "Tools and tasks for AI agents",
  contact: { name: "The operator of this Bosun" },
  license: { name: "MIT", identifier: "MIT" },
  description: `A catalogue of **tools** with per-agent grants, and **tasks** that agents carry out under deadlines.

**Authentication.** Every request needs a key, unless its description states otherwise: \`Authorization: Bearer <API_KEY>\`. A key has scopes and may be bound to an agent or a team; then it sees only what belongs to them, and everything else is 404.

**Requests.** Bodies are JSON objects of at most 1 MiB and 32 levels, counting the body as the first. Text must be well-formed Unicode without U+0000, and its length is counted in characters (Unicode code points), as JSON Schema does. Numbers must be finite, and integers must be exactly representable as a double. A query parameter must be given once and not be empty; omit it otherwise. Unknown parameters are rejected.

**Responses.** A successful response is \`{"success": true, "data", "metadata"}\`, a failure is \`{"success": false, "error": {"code", "message", "retryable"}, "metadata"}\`. A validation failure lists the invalid fields; some checks follow only when these fields are valid. An unknown path gets 404 \`NOT_FOUND\`; a method that the path does not support gets 405 with \`Allow\`. HEAD works on every path with GET, and OPTIONS on every path. JSON responses have \`Cache-Control: no-store\`, except public documents that state their own caching.

**Limits.** Each key except the root key has limits (\`limits\`, changed with \`PATCH /agents/keys/{id}\`). The \`RateLimit\` header states how many requests the key has left in the current minute. A request that exceeds a limit gets 429 \`RATE_LIMIT_EXCEEDED\`, which names the limit.

**Safe retries.** Every POST accepts an \`Idempotency-Key\`: a repeat within 24 hours gets the first response, with \`Idempotency-Replayed: true\`. PATCH of tasks and tools accepts \`If-Match\` with the \`ETag\` that was read.

**Changes.** Fields and operations are added, never removed. Clients should ignore unknown fields.`,
};

export const BEARER_SECURITY_SCHEME = {
  type: "http",
  scheme: "bearer",
  description:
    "A key of this service: `bsn_…`. The first one is created when the service is deployed.",
} as const;
