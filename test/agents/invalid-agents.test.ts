import { describe, expect, it } from "vitest";
import { RESERVED_AGENT_IDS } from "../../src/kernel/identifier.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { get, patch, post } from "../support/client.ts";
import { expectProblems, expectError } from "../support/expect-errors.ts";
import { MODEL, PUBLIC, registerNewAgent } from "./fixtures.ts";

const A2A = { type: "a2a", cardUrl: `${PUBLIC}/card.json` };

/** Each invalid agent with the problems that the response must list. */
const WRONG: readonly [
  what: string,
  body: JsonObject,
  problems: Record<string, string | RegExp>,
][] = [
  ["an unknown field", { name: "Red", colour: "red" }, { colour: "is not a known field" }],
  ["no name", { name: " " }, { name: "must not be empty" }],
  ["a name that is too long", { name: "x".repeat(201) }, { name: "at most 200" }],
  [
    "a description that is too long",
    { description: "x".repeat(2_001) },
    { description: "at most 2000" },
  ],
  ["invalid skills", { skills: ["", 5] }, { "skills[0]": "empty", "skills[1]": "string" }],
  ["too many skills", { skills: Array.from({ length: 51 }, (_, i) => `s${i}`) }, { skills: "50" }],
  ["teams that are not a list", { teams: "studio" }, { teams: "must be an array" }],
  ["an enabled that is not a boolean", { enabled: 1 }, { enabled: "must be a boolean" }],
  ["a limit of 0 tasks", { maxConcurrentTasks: 0 }, { maxConcurrentTasks: "at least 1" }],
  [
    "a limit of too many tasks",
    { maxConcurrentTasks: 10_001 },
    { maxConcurrentTasks: "at most 10000" },
  ],
  ["a limit that is not an integer", { maxConcurrentTasks: 1.5 }, { maxConcurrentTasks: "int" }],
  ["null for an optional field", { requireReview: null }, { requireReview: "boolean" }],
  [
    "an executor that is a string, without showing it",
    { executor: "s3cret" },
    { executor: /^must be an object$/ },
  ],
  [
    "an executor without a type",
    { executor: {} },
    { "executor.type": "is required: one of builtin, model, a2a" },
  ],
  [
    "an unknown executor type",
    { executor: { type: "root" } },
    { "executor.type": 'must be one of builtin, model, a2a, worker; got "root"' },
  ],
  [
    "an executor type that is an object, without showing it",
    { executor: { type: { apiKey: "s3cret" } } },
    { "executor.type": /^must be one of builtin, model, a2a, worker$/ },
  ],
  [
    "a built-in agent with an address",
    { executor: { type: "builtin", baseUrl: PUBLIC } },
    { "executor.baseUrl": "is not a known field" },
  ],
  [
    "a worker with a key",
    { executor: { type: "worker", apiKey: "s3cret" } },
    { "executor.apiKey": "is not a known field" },
  ],
  ["a model without a name", { executor: { type: "model" } }, { "executor.model": "is required" }],
  [
    "a model without an address",
    { executor: { type: "model", model: "m" } },
    { "executor.baseUrl": "is required" },
  ],
  [
    "Workers AI with an address and a key",
    { executor: { ...MODEL, provider: "workers-ai", apiKey: "s3cret" } },
    { "executor.baseUrl": "must be omitted", "executor.apiKey": "must be omitted" },
  ],
  [
    "an unknown provider",
    { executor: { ...MODEL, provider: "abacus" } },
    { "executor.provider": "openai-compatible, workers-ai" },
  ],
  [
    "Workers AI with headers",
    {
      executor: { type: "model", provider: "workers-ai", model: "m", headers: { "X-A": "s3cret" } },
    },
    { "executor.headers": "must be omitted" },
  ],
  ...["key", "api_key", "access_token", "sig", "code", "auth", "jwt", "X-Amz-Signature"].map(
    (name): [string, JsonObject, Record<string, string>] => [
      `a credential in the query, as ${name}`,
      { executor: { ...MODEL, baseUrl: `${PUBLIC}?api-version=2&${name}=s3cret` } },
      { "executor.baseUrl": "must not have credentials in its query" },
    ],
  ),
  [
    "a URL with a fragment",
    { executor: { ...MODEL, baseUrl: `${PUBLIC}#s3cret` } },
    { "executor.baseUrl": "must not have a fragment" },
  ],
  ...[
    "Host",
    "Connection",
    "keep-alive",
    "TE",
    "Upgrade",
    "Proxy-Authorization",
    "Content-Type",
  ].map((name): [string, JsonObject, Record<string, string>] => [
    `the model's header ${name}`,
    { executor: { ...MODEL, headers: { [name]: "s3cret" } } },
    { [`executor.headers.${name}`]: "must be omitted" },
  ]),
  [
    "headers that are a list",
    { executor: { ...MODEL, headers: ["s3cret"] } },
    { "executor.headers": /^must be an? \w+$/ },
  ],
  [
    "an invalid header name",
    { executor: { ...MODEL, headers: { "X Y": "s3cret" } } },
    { "executor.headers.X Y": "must be a valid header name" },
  ],
  [
    "a header with a line break",
    { executor: { ...MODEL, headers: { "X-Y": "s3cret\r\nX-Z: 1" } } },
    { "executor.headers.X-Y": "must be printable ASCII" },
  ],
  [
    "a duplicate header",
    { executor: { ...MODEL, headers: { "X-Y": "s3cret", "x-y": "s3cret" } } },
    { "executor.headers.x-y": "is a duplicate" },
  ],
  [
    "too many headers",
    {
      executor: {
        ...MODEL,
        headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, "s3cret"])),
      },
    },
    { "executor.headers": "must have at most 20 headers, got 21" },
  ],
  ...[
    ["openai-compatible", "authorization"],
    ["anthropic", "X-Api-Key"],
    ["google", "x-goog-api-key"],
    ["google", "Authorization"],
  ].map(([provider = "", name = ""]): [string, JsonObject, Record<string, string>] => [
    `a key and the header ${name} for ${provider}`,
    { executor: { ...MODEL, provider, apiKey: "s3cret-1", headers: { [name]: "s3cret-2" } } },
    {
      [`executor.headers.${name}`]:
        "must be omitted because the agent authenticates with its apiKey",
    },
  ]),
  [
    "headers for an unencrypted connection",
    { executor: { ...MODEL, baseUrl: "http://93.184.216.34/v1", headers: { "X-A": "s3cret" } } },
    { "executor.baseUrl": "must start with https://" },
  ],
  [
    "a temperature that is too high",
    { executor: { ...MODEL, temperature: 2.1 } },
    { "executor.temperature": "2" },
  ],
  [
    "a maxTurns of 0",
    { executor: { ...MODEL, maxTurns: 0 } },
    { "executor.maxTurns": "at least 1" },
  ],
  [
    "a maxTurns that is too large",
    { executor: { ...MODEL, maxTurns: 101 } },
    { "executor.maxTurns": "at most 100" },
  ],
  [
    "a maxOutputTokens of 0",
    { executor: { ...MODEL, maxOutputTokens: 0 } },
    { "executor.maxOutputTokens": "at least 1" },
  ],
  [
    "negative prices",
    { executor: { ...MODEL, prices: { inputPerMillion: -1 } } },
    { "executor.prices.inputPerMillion": "at least 0" },
  ],
  [
    "instructions that are too long",
    { executor: { ...MODEL, instructions: "x".repeat(20_001) } },
    { "executor.instructions": "at most 20000" },
  ],
  ["an empty key", { executor: { ...MODEL, apiKey: "" } }, { "executor.apiKey": "empty" }],
  [
    "a key that a header cannot contain",
    { executor: { ...MODEL, apiKey: "s3cret\r\nHost: x" } },
    { "executor.apiKey": "printable ASCII" },
  ],
  [
    "a baseUrl that is not a URL",
    { executor: { ...MODEL, baseUrl: "here" } },
    { "executor.baseUrl": "absolute URL" },
  ],
  [
    "a key in the query of a URL",
    { executor: { ...MODEL, baseUrl: `${PUBLIC}?key=s3cret` } },
    {
      "executor.baseUrl": /^must not have credentials in its query; put them in apiKey or headers/,
    },
  ],
  [
    "a key in the userinfo of a URL",
    { executor: { ...MODEL, baseUrl: "https://s3cret:s3cret@93.184.216.34" } },
    { "executor.baseUrl": "" },
  ],
  [
    "a key for an unencrypted connection",
    { executor: { ...MODEL, baseUrl: "http://93.184.216.34/v1", apiKey: "s3cret" } },
    { "executor.baseUrl": "must start with https://" },
  ],
  [
    "the address of a metadata service",
    { executor: { ...MODEL, baseUrl: "http://169.254.169.254/latest" } },
    { "executor.baseUrl": "" },
  ],
  [
    "an A2A agent without a card URL",
    { executor: { type: "a2a" } },
    { "executor.cardUrl": "is required" },
  ],
  [
    "a card URL on localhost",
    { executor: { type: "a2a", cardUrl: "http://localhost/card" } },
    { "executor.cardUrl": "" },
  ],
  [
    "a header without a key",
    { executor: { ...A2A, apiKeyHeader: "X-Key" } },
    { "executor.apiKeyHeader": "must be sent together with apiKey" },
  ],
  ...["Host", "content-length", "Transfer-Encoding", "a b", "X-Key: s3cret"].map(
    (apiKeyHeader): [string, JsonObject, Record<string, string>] => [
      `the header ${apiKeyHeader}`,
      { executor: { ...A2A, apiKey: "s3cret", apiKeyHeader } },
      { "executor.apiKeyHeader": "not be a header that the request itself needs" },
    ],
  ),
];

describe("an invalid agent", () => {
  it.each(WRONG)("POST /agents rejects %s and registers nothing", async (_, body, problems) => {
    const answer = await post("/agents", { id: "refused", ...body });
    expectProblems(answer, problems);
    expect(answer.text).not.toContain("s3cret");
    expectError(await get("/agents/refused"), 404, "AGENT_NOT_FOUND");
  });

  it.each(WRONG)("PATCH of an agent rejects %s and changes nothing", async (_, body, problems) => {
    await post("/agents", { id: "existing", executor: MODEL });
    const before = (await get("/agents/existing")).body.data;
    const answer = await patch("/agents/existing", body);
    expectProblems(answer, problems);
    expect(answer.text).not.toContain("s3cret");
    expect((await get("/agents/existing")).body.data).toEqual(before);
  });

  it("all problems with a rejected agent are listed in one response", async () => {
    const answer = await post("/agents", { id: "-", name: "", executor: { type: "model" }, x: 1 });
    expectProblems(answer, { id: "", name: "", "executor.model": "", x: "" });
  });
});

describe("the id of an agent", () => {
  it.each(RESERVED_AGENT_IDS)(
    "the reserved id %s is rejected for an agent and in a grant",
    async (id) => {
      const message = /^must not be one of the reserved words .*, got /;
      expectProblems(await post("/agents", { id }), { id: message });
      const grant = { agentId: id, toolId: "json-workbench" };
      expectProblems(await post("/agents/tools/access", grant), { agentId: message });
    },
  );

  it.each(["", "-x", "a/b", "a b", "é", "x".repeat(129), 5])("%j is not a valid id", async (id) => {
    expectProblems(await post("/agents", { id }), { id: /./ });
  });

  it("an agent's id is required and cannot be changed", async () => {
    expectProblems(await post("/agents", {}), { id: "is required" });
    await registerNewAgent({ id: "fixed" });
    expectProblems(await patch("/agents/fixed", { id: "other", name: "Other" }), {
      id: "is not a known field",
    });
    expectProblems(await patch("/agents/fixed", {}), { body: "must set at least one field" });
  });

  it("an id of maximum length with every kind of allowed character works in a path", async () => {
    const id = `A0._:@-${"x".repeat(121)}`;
    await registerNewAgent({ id });
    expect((await get(`/agents/${encodeURIComponent(id)}`)).body.data.id).toBe(id);
    expectError(await get(`/agents/${"x".repeat(129)}`), 400, "VALIDATION_ERROR");
  });
});

describe("an unknown team", () => {
  it("an unknown team returns 404, and the agent is neither registered nor changed", async () => {
    const answer = await post("/agents", { id: "teamless", teams: ["studio", "nobody"] });
    expectError(answer, 404, "TEAM_NOT_FOUND");
    expect(answer.body.error.message).toContain('"nobody"');
    expectError(await get("/agents/teamless"), 404, "AGENT_NOT_FOUND");
    await registerNewAgent({ id: "teamed", teams: ["studio"] });
    const changed = await patch("/agents/teamed", { name: "New", teams: ["nobody"] });
    expectError(changed, 404, "TEAM_NOT_FOUND");
    expect((await get("/agents/teamed")).body.data).toMatchObject({
      name: "teamed",
      teams: ["studio"],
    });
  });
});
