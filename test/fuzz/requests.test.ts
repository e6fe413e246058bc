import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { get, post, send, type Answer } from "../support/client.ts";
import { keyId, keyWith, UNMANAGING } from "../support/keys.ts";
import { sendBytes } from "../support/raw-request.ts";
import { ROUTES } from "../support/routes.ts";
import { stopClock, taskIn } from "../support/tasks.ts";
import { anyRequest, requestOf, type FuzzRequest, type Known } from "./request-generator.ts";
import { expectValidResponse, tableReader, storedObjects } from "./invariants.ts";

const SEED = 20_260_801;
/** ./openapi sends many more requests, but does not check what each request changes. */
const RUNS_A_ROUTE = 80;

/** For each route that writes, a valid body to mutate. */
const VALID: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "POST /agents/keys": { name: "fuzz", scopes: ["tools:read"], agentId: "researcher" },
  "PATCH /agents/keys/:id": { limits: { requestsPerMinute: 100, openStreams: null } },
  "POST /agents/tools/:id/invoke": {
    capability: "query",
    parameters: { document: "[1]", path: "$[0]" },
    agentId: "integrator",
  },
  "POST /agents/tools": {
    id: "fuzzed",
    name: "Fuzzed",
    description: "d",
    documentation: "https://example.com",
    category: "data",
    authentication: { type: "api-key", scopes: [] },
    connector: { type: "http", baseUrl: "https://203.0.113.7/v1", headers: { Accept: "a/b" } },
    rateLimit: { requests: 5, period: "hour" },
    pricing: { free: 1, overage: 0.5 },
    capabilities: [
      {
        id: "one",
        parameters: [{ name: "p", type: "string", required: true, schema: { minLength: 1 } }],
        request: { method: "POST", path: "/x/{p}", body: { fields: { p: "p" } }, result: "$.a" },
      },
    ],
  },
  "PATCH /agents/tools/:id": { name: "Other", rateLimit: { requests: 9, period: "day" } },
  "POST /agents/tools/import": {
    id: "imported",
    openapi: { document: { openapi: "3.1.0", info: { title: "t", version: "1" }, paths: {} } },
    only: { tags: ["a"], names: ["b"] },
    dryRun: true,
  },
  "PUT /agents/tools/:id/credentials": { type: "api-key", value: "v", in: "header", name: "X-K" },
  "POST /agents/tools/:id/credentials/connect": {},
  "POST /agents/tools/access": {
    agentId: "fuzz",
    toolId: "json-workbench",
    proficiency: "expert",
    capabilities: ["query"],
  },
  "POST /agents/tasks": {
    task: "Look around",
    agentId: "researcher",
    teamId: "insights",
    context: { text: "wind" },
    priority: "high",
    deadline: `${new Date().getUTCFullYear() + 1}-12-31T00:00:00Z`,
    deliverables: ["summary"],
    budget: { maxCost: 1 },
  },
  "PATCH /agents/tasks/:id": { priority: "low", context: { a: null }, notes: "n" },
  "POST /agents/tasks/:id/cancel": { reason: "fuzz" },
  "POST /agents/tasks/:id/retry": { reassign: true, context: { a: 1 } },
  "POST /agents/tasks/:id/respond": { response: "2025" },
  "POST /agents/tasks/:id/review": { decision: "request_changes", comment: "more" },
  // This agent is not a worker agent. A claim for a worker agent without tasks would wait.
  "POST /agents/tasks/claim": { agentId: "researcher", worker: "w", max: 1, leaseSeconds: 60 },
  "POST /agents/tasks/:id/report": { lease: "lse_fuzz", type: "progress", progress: 1, phase: "p" },
  "POST /agents/tasks/:id/feedback": { rating: 4, feedback: "good", issues: ["long"] },
  "POST /agents/webhooks": {
    url: "https://93.184.216.34/hook",
    types: ["completed", "failed"],
    agentId: "researcher",
    teamId: "insights",
    description: "d",
    secret: `whsec_${btoa("a-secret-of-32-bytes-for-testing")}`,
  },
  "PATCH /agents/webhooks/:id": { types: ["failed"], agentId: null, enabled: false },
  "POST /agents/webhooks/:id/secret": {
    secret: `whsec_${btoa("another-secret-of-32-bytes-or-so")}`,
  },
  "PUT /agents/teams/:teamId": { name: "Fuzz", agents: ["researcher"] },
  "POST /agents": {
    id: "fuzzer",
    name: "Fuzzer",
    description: "d",
    skills: ["fuzz"],
    teams: ["insights"],
    enabled: true,
    executor: { type: "model", model: "m", baseUrl: "https://93.184.216.34/v1", apiKey: "k" },
    maxConcurrentTasks: 2,
    requireReview: true,
    noProgress: { failedAttempts: 3, calls: null },
  },
  "POST /agents/:agentId/pause": { reason: "fuzz" },
  "POST /agents/pause-all": { reason: "fuzz" },
  "PATCH /agents/:agentId": { name: "Other", teams: ["studio"], executor: { type: "worker" } },
};

/**
 * For each route that requires query parameters, a valid query. No arbitrary query has all of them.
 */
const VALID_QUERIES: Readonly<Record<string, string>> = {
  "GET /agents/policies/explain": "?toolId=json-workbench&capability=query",
  "GET /agents/access/explain": "?agentId=researcher&toolId=json-workbench&capability=query",
};

/**
 * All routes except those for the documentation, which test/interfaces/openapi/served.test.ts
 * reads.
 */
const FUZZED = ROUTES.filter(({ path }) => !/^\/(?:openapi\.json|docs)/.test(path));

const known: Known & { readonly tasks: string[]; readonly names: string[] } = {
  tasks: [],
  names: ["json-workbench", "researcher", "insights", "access", "summary.txt", "nobody"],
};
/** The number of tasks that these tests have created. */
let made = 0;
let look = async (): Promise<Record<string, string>> => ({});

/** The log of the task named in a path; null if the path names none. */
async function logAt(path: string): Promise<string | null> {
  const id = known.tasks.find((one) => path.includes(one));
  return id === undefined ? null : JSON.stringify((await events(id)).body.data);
}

/** Creates a webhook at an address that the guard rejects, so nothing is ever sent. */
async function harmlessWebhook(): Promise<string> {
  const { id } = (await post("/agents/webhooks", { url: "https://93.184.216.34/" })).body.data;
  await env.DB.prepare("UPDATE webhooks SET url = 'https://127.0.0.1/'").run();
  return id;
}

const events = (id: string) => get(`/agents/tasks/${id}/events`);

/**
 * Sends a request and asserts what must hold for every response. A rejected request must not change
 * anything.
 */
async function probe({ method, path, headers, body }: FuzzRequest): Promise<Answer> {
  const before = method === "GET" ? null : [await look(), await logAt(path)];
  const answer = await sendBytes(method, path, asBytes(body), headers);
  expectValidResponse(answer);
  if (answer.status >= 400 && before !== null) {
    expect([await look(), await logAt(path)]).toEqual(before);
  }
  const isNew = !answer.headers.has("Idempotency-Replayed");
  if (method === "POST" && answer.status === 201 && "trackingUrl" in answer.body.data && isNew) {
    made += 1;
  }
  return answer;
}

function asBytes(body: FuzzRequest["body"]): Uint8Array | null {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

beforeAll(async () => {
  stopClock();
  for (const status of ["pending", "blocked", "review", "completed", "failed"] as const) {
    known.tasks.push(await taskIn(status, { deliverables: ["summary"] }));
  }
  known.names.push(keyId(await keyWith(UNMANAGING)), await harmlessWebhook());
  look = await tableReader();
});

/** Routes that no random request makes fail. */
const ALWAYS_ACCEPTED = /^\/(?:health|console)(?:\/|$)/;

describe("arbitrary requests", () => {
  it.each(FUZZED)(
    "every request to $method $path gets a valid response, and a rejected request changes nothing",
    { timeout: 60_000 },
    async (route) => {
      const statuses = new Map<number, number>();
      const name = `${route.method} ${route.path}`;
      const before = await storedObjects();
      const madeBefore = made;
      await fc.assert(
        fc.asyncProperty(
          requestOf(route, known, VALID[name] ?? null, VALID_QUERIES[name] ?? null),
          async (request) => {
            const { status } = await probe(request);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          },
        ),
        { seed: SEED, numRuns: RUNS_A_ROUTE },
      );
      // Tasks are created only by 201 responses, and meters exist only for tools in the catalogue.
      const after = await storedObjects();
      expect(after.tasks - before.tasks).toBe(made - madeBefore);
      expect(after.strangeMeters).toEqual(before.strangeMeters);
      // If every request were rejected for the same reason, the test would prove nothing.
      expect(statuses.size).toBeGreaterThanOrEqual(ALWAYS_ACCEPTED.test(route.path) ? 1 : 2);
    },
  );

  it(
    "any method at any path gets a valid response, and a rejected request changes nothing",
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(anyRequest, async (request) => {
          await probe(request);
        }),
        { seed: SEED, numRuns: 500 },
      );
    },
  );

  it("an arbitrary Authorization header is rejected with 401", { timeout: 60_000 }, async () => {
    const credentials = fc.oneof(
      fc.string({ unit: "grapheme-ascii" }),
      fc.string({ unit: "grapheme-ascii" }).map((key) => `Bearer ${key}`),
      fc
        .tuple(fc.integer({ min: 0 }), fc.constantFrom("0".repeat(64), "f".repeat(63), ""))
        .map(([id, secret]) => `Bearer bsn_${id.toString(16).padStart(16, "0")}_${secret}`),
    );
    await fc.assert(
      fc.asyncProperty(credentials, async (Authorization) => {
        const answer = await send("GET", "/agents/tools", undefined, {
          key: null,
          headers: { Authorization },
        });
        expectValidResponse(answer);
        expect(answer.status).toBe(401);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });
});
