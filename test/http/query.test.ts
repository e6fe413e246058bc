import { beforeAll, describe, expect, it } from "vitest";
import { get, post, send } from "../support/client.ts";
import { expectProblems } from "../support/expect-errors.ts";
import { create, stopClock } from "../support/tasks.ts";

let task = "";

/** Query parameters, by route. */
const PARAMETERS = Object.entries({
  "/agents/tools": ["category", "agentId", "search", "limit", "offset"],
  "/agents/tasks": [
    "status",
    "agentId",
    "teamId",
    "priority",
    "startDate",
    "endDate",
    "externalId",
    "label",
    "limit",
    "offset",
    "cursor",
  ],
  "/agents/keys": ["limit", "offset"],
  "/agents/tasks/:id": ["include"],
  "/agents/tasks/:id/events": ["after", "limit"],
}).flatMap(([path, names]) => names.map((name) => ({ path, name })));

/** The parameters of /agents/tasks that can be repeated. test/tasks/api/list-filters.test.ts tests them. */
const REPEATABLE = new Set(["/agents/tasks status", "/agents/tasks label"]);

beforeAll(async () => {
  stopClock();
  task = await create();
});

describe.each(PARAMETERS)("the query parameter $name of $path", ({ path, name }) => {
  const at = () => path.replace(":id", task);

  it("an empty query parameter is rejected", async () => {
    expectProblems(await get(`${at()}?${name}=`), { [name]: "must not be empty" });
    expectProblems(await get(`${at()}?${name}`), { [name]: "must not be empty" });
  });

  it("a query parameter with U+0000 is rejected", async () => {
    expectProblems(await get(`${at()}?${name}=a%00b`), { [name]: /U\+0000/ });
  });
});

describe("query", () => {
  it.each(PARAMETERS.filter(({ path, name }) => !REPEATABLE.has(`${path} ${name}`)))(
    "the query parameter $name of $path is rejected if it is given twice, even with the same value",
    async ({ path, name }) => {
      expectProblems(await get(`${path.replace(":id", task)}?${name}=1&${name}=1`), {
        [name]: "must be given only once, got 2 values",
      });
    },
  );

  it.each([
    ["/agents/tools", "category", "sailing", "development, data, communication"],
    ["/agents/tasks", "status", "PENDING", "pending, assigned, in_progress"],
    ["/agents/tasks", "priority", "asap", "low, medium, high, urgent"],
    ["/agents/tasks/:id", "include", "everything", "context"],
  ])("the error for %s?%s=%s lists the valid values", async (path, name, value, words) => {
    const answer = await get(`${path.replace(":id", task)}?${name}=${value}`);
    expectProblems(answer, { [name]: `got "${value}"` });
    expect(answer.body.error.details[0].message).toContain(words);
  });

  it("a search of 200 invalid bytes counts as 200 characters", async () => {
    expect((await get(`/agents/tools?search=${"%ff".repeat(200)}`)).status).toBe(200);
    expectProblems(await get(`/agents/tools?search=${"%ff".repeat(201)}`), {
      search: "at most 200 characters",
    });
  });

  it("an unknown query parameter is rejected, and the error names the known ones", async () => {
    const answer = await get("/agents/tasks?from=2026-10-01&to=2026-10-31&limit=2&Limit=2");
    const known =
      "status, agentId, teamId, priority, startDate, endDate, externalId, label, search, sort, cursor, limit, offset";
    const message = `is not a known query parameter; known: ${known}`;
    expectProblems(answer, { from: message, to: message, Limit: message });
  });

  it.each([
    ["DELETE", "/agents/keys/x", "known: cascade"],
    ["GET", "/agents", "known: teamId, executor, enabled, search, limit, offset"],
    ["GET", "/health", "this route takes none"],
    ["GET", "/docs/settings.json", "this route takes none"],
    ["GET", "/.well-known/agent-card.json", "this route takes none"],
  ])(
    "the error of %s %s for an unknown query parameter names the known ones: %s",
    async (method, path, takes) => {
      const answer = await send(method, `${path}?dryRun=true&dryRun=false`);
      expectProblems(answer, { dryRun: `is not a known query parameter; ${takes}` });
    },
  );

  it("a write with an unknown query parameter changes nothing", async () => {
    const total = async () => (await get("/agents/tasks?limit=1")).body.data.total;
    const before = await total();
    const answer = await post("/agents/tasks?dryRun=true", { task: "x" });
    expectProblems(answer, { dryRun: "is not a known query parameter; this route takes none" });
    expect(await total()).toBe(before);
  });

  it.each(["%00=1", "=1", "[]=1", "__proto__=1", "limit%00=1"])(
    "the unknown query parameter ?%s is rejected",
    async (query) => {
      const answer = await get(`/agents/tools?${query}`);
      expect([answer.status, answer.body.error.code]).toEqual([400, "VALIDATION_ERROR"]);
    },
  );

  it.each(["%", "%E0%A4%A", "%FF%FE", "100%"])(
    "a search for the badly escaped text %s returns no tools",
    async (search) => {
      const { status, body } = await get(`/agents/tools?search=${search}`);
      expect(status).toBe(200);
      expect(body.data.total).toBe(0);
    },
  );

  it("a plus sign in a query is a space, and an escaped one is a plus sign", async () => {
    expect((await get("/agents/tools?search=JSON+workbench")).body.data.total).toBe(1);
    expect((await get("/agents/tools?search=JSON%2Bworkbench")).body.data.total).toBe(0);
  });
});
