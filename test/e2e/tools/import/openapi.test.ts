import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { get, patch, post, type Answer } from "../../../support/client.ts";
import { invoke, originOf } from "../../../support/server-tools.ts";
import { parseEvents } from "../../../support/parse-events.ts";
import { expectProblems, expectError } from "../../../support/expect-errors.ts";

function importing(id: string, openapi: JsonObject, others: JsonObject = {}): Promise<Answer> {
  return post("/agents/tools/import", { id, openapi, ...others });
}

const document = (path: string): JsonObject => ({ url: `${originOf("documents")}${path}` });

describe("an import of a small API", () => {
  it("a dry run shows what an import would create and creates nothing", async () => {
    const dry = await importing("dry", document("/versions/1"), { dryRun: true });
    expect(dry.status, dry.text).toBe(200);
    expect(dry.body.data).toMatchObject({
      dryRun: true,
      changes: { added: ["steady", "old", "turn"], changed: [], removed: [], unchanged: 0 },
      tool: { id: "dry", version: 1, totalCapabilities: 3 },
    });
    expectError(await get("/agents/tools/dry"), 404, "TOOL_NOT_FOUND");
  });

  it("an import creates a tool, and a second import updates it and lists the changes", async () => {
    const first = await importing("editions", document("/versions/1"));
    expect(first.status, first.text).toBe(201);
    expect(first.headers.get("Location")).toMatch(/\/agents\/tools\/editions$/);
    await patch("/agents/tools/editions", { rateLimit: { requests: 7, period: "minute" } });
    await post("/agents/tools/access", { agentId: "sailor", toolId: "editions" });

    const same = await importing("editions", document("/versions/1"));
    expect(same.body.data).toMatchObject({
      changes: { fields: [], added: [], changed: [], removed: [], unchanged: 3 },
      tool: { version: 2 },
    });
    const second = await importing("editions", document("/versions/2"));
    expect(second.status).toBe(200);
    expect(second.body.data).toMatchObject({
      changes: {
        fields: ["documentation", "source"],
        added: ["new"],
        changed: ["turn"],
        removed: ["old"],
      },
      tool: { version: 3, rateLimit: { requests: 7, period: "minute" } },
    });
    const sailor = await get("/agents/tools/access/sailor");
    expect(sailor.body.data.tools[0].capabilities).toEqual(["steady", "turn", "new"]);
    expectError(await invoke("editions", "old"), 404, "CAPABILITY_NOT_FOUND");
    expectProblems(await invoke("editions", "turn", { days: 9 }), { "parameters.days": "7" });
  });

  it("an import accepts an inline YAML document and includes only the selected operations", async () => {
    const yaml = [
      "openapi: 3.0.3",
      "info: {title: Berths, version: '1'}",
      "servers: [{url: 'https://203.0.113.7/v1'}]",
      "paths:",
      "  /berths: {get: {operationId: listBerths, tags: [berths], responses: {}}}",
      "  /ships: {get: {operationId: listShips, tags: [ships], responses: {}}}",
      "",
    ].join("\n");
    const byTag = await importing("berths", { document: yaml }, { only: { tags: ["berths"] } });
    expect(byTag.body.data.tool.capabilities.map(({ id }: { id: string }) => id)).toEqual([
      "listBerths",
    ]);
    const both = { only: { tags: ["berths"], names: ["listShips"] } };
    const more = await importing("berths", { document: yaml }, both);
    expect(more.body.data.changes).toMatchObject({ added: ["listShips"], unchanged: 1 });
    const unknown = await importing("berths", { document: yaml }, { only: { tags: ["cranes"] } });
    expectError(unknown, 400, "VALIDATION_ERROR");
    expect(unknown.body.error.message).toContain("berths");
  });

  it("an import keeps its selection until another one is requested", async () => {
    const names = { only: { names: ["old", "turn"] } };
    const first = await importing("part-of-it", document("/versions/1"), names);
    expect(first.body.data.changes.added).toEqual(["old", "turn"]);
    const second = await importing("part-of-it", document("/versions/2"));
    expect(second.body.data, second.text).toMatchObject({
      changes: { added: [], changed: ["turn"], removed: ["old"] },
      notes: ['Selected but no longer in the source: "old".'],
    });
    const whole = await importing("part-of-it", document("/versions/2"), { only: "all" });
    expect(whole.body.data.changes).toMatchObject({ added: ["steady", "new"], moved: ["turn"] });
    const again = await importing("part-of-it", document("/versions/2"));
    expect(again.body.data.changes).toMatchObject({ added: [], removed: [], unchanged: 3 });
    expectProblems(await importing("part-of-it", document("/versions/2"), names), {
      "only.names": '"old" is not in the document',
    });
  });

  it("on request, an import streams its progress and ends with a result or an error", async () => {
    const answer = await post(
      "/agents/tools/import",
      { id: "streamed", openapi: document("/stripe.json") },
      { headers: { Accept: "text/event-stream" } },
    );
    expect(answer.headers.get("Content-Type")).toContain("text/event-stream");
    const events = eventsIn(answer.text);
    const progress = events.filter(({ event }) => event === "progress");
    expect(progress.length).toBeGreaterThan(3);
    const done = progress.map(({ data }) => data.done);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(events.at(-1)).toMatchObject({
      event: "result",
      data: { success: true, data: { tool: { id: "streamed" } } },
    });
    const failed = await post(
      "/agents/tools/import",
      { id: "streamed", openapi: document("/missing") },
      { headers: { Accept: "text/event-stream" } },
    );
    expect(eventsIn(failed.text)).toMatchObject([
      { event: "error", data: { success: false, error: { code: "TOOL_UPSTREAM_ERROR" } } },
    ]);
  });
});

describe("an import of GitHub's document", () => {
  let imported: Answer;
  beforeAll(async () => {
    imported = await importing("github", document("/github.json"));
  }, 60_000);

  it("GitHub's document becomes one tool with more than 900 operations", () => {
    expect(imported.status, imported.text.slice(0, 500)).toBe(201);
    expect(imported.body.data.tool.totalCapabilities).toBeGreaterThan(900);
    expect(imported.body.data.tool.capabilities).toHaveLength(100);
  });

  it("the details of one operation are returned with their schemas in under 100 ms", async () => {
    const path = "/agents/tools/github/capabilities/issues-list-for-repo";
    await get(path);
    const times: number[] = [];
    let answer = await get(path);
    for (let round = 0; round < 5; round += 1) {
      const startedAt = performance.now();
      answer = await get(path);
      times.push(performance.now() - startedAt);
    }
    console.log("details of one of GitHub's operations, ms:", times.map(Math.round).join(", "));
    expect(Math.min(...times)).toBeLessThan(100);
    const parameters = new Map(
      answer.body.data.parameters.map((one: { name: string }) => [one.name, one]),
    );
    expect(parameters.get("owner")).toMatchObject({ type: "string", required: true });
    expect(parameters.get("state")).toMatchObject({
      required: false,
      schema: { enum: ["open", "closed", "all"], default: "open" },
    });
  });

  it("the operations of a large tool can be searched and paged through", async () => {
    const page = await get("/agents/tools/github/capabilities?search=list-for-repo&limit=5");
    expect(page.body.data.total).toBeGreaterThan(3);
    for (const { id, name, description } of page.body.data.capabilities) {
      expect(`${id} ${name} ${description}`.toLowerCase()).toContain("list-for-repo");
    }
    const all = new Set<string>();
    const { total } = (await get("/agents/tools/github/capabilities?limit=1")).body.data;
    for (let offset = 0; offset < total; offset += 100) {
      const { body } = await get(`/agents/tools/github/capabilities?limit=100&offset=${offset}`);
      for (const { id } of body.data.capabilities) all.add(id);
    }
    expect(all.size).toBe(total);
    const listed = await get("/agents/tools?search=GitHub&limit=1");
    expect(listed.body.data.tools[0].capabilities).toHaveLength(total);
  });

  it("invalid parameters of a call are reported by their paths", async () => {
    const answer = await invoke("github", "issues-create", { owner: "o", labels: "bug", title: 5 });
    expectError(answer, 400, "VALIDATION_ERROR");
    const paths = answer.body.error.details.map(({ path }: { path: string }) => path);
    expect(paths).toContain("parameters.repo");
    expect(paths).toContain("parameters.labels");
  });

  it("a repeated import changes nothing and leaves one row for each operation", async () => {
    const again = await importing("github", document("/github.json"));
    expect(again.body.data.changes).toMatchObject({ added: [], changed: [], removed: [] });
    const stored = await env.DB.prepare("SELECT count(*) AS n FROM capabilities WHERE tool_id = ?")
      .bind("github")
      .first<{ n: number }>();
    expect(stored?.n).toBe(imported.body.data.tool.totalCapabilities);
  });
});

describe("imports of other real documents", () => {
  it("Stripe's document is imported with its nested forms", async () => {
    const answer = await importing("stripe", document("/stripe.json"));
    expect(answer.status, answer.text.slice(0, 500)).toBe(201);
    const customer = await get("/agents/tools/stripe/capabilities/PostCustomers");
    const address = customer.body.data.parameters.find(
      ({ name }: { name: string }) => name === "address",
    );
    expect(JSON.stringify(address.schema)).toContain("postal_code");
    expect(customer.body.data.request.body.as).toBe("form");
  });

  it("an OpenAPI 3.1 document in YAML is imported", async () => {
    const answer = await importing("galaxy", document("/galaxy.yaml"));
    expect(answer.status, answer.text.slice(0, 500)).toBe(201);
    const ids = answer.body.data.tool.capabilities.map(({ id }: { id: string }) => id);
    expect(ids).toContain("getPlanet");
  });
});

describe("a rejected import", () => {
  it.each<[string, JsonObject, Record<string, string>]>([
    ["neither openapi nor mcp", { id: "x" }, { openapi: "required" }],
    [
      "both openapi and mcp",
      { id: "x", openapi: { document: {} }, mcp: { url: "http://x" } },
      { openapi: "not both" },
    ],
    [
      "a url and a document",
      { id: "x", openapi: { url: "http://x", document: {} } },
      { openapi: "either" },
    ],
    ["neither url nor document", { id: "x", openapi: {} }, { openapi: "either" }],
    ["a reserved id", { id: "import", openapi: { document: {} } }, { id: "reserved" }],
    [
      "an empty selection",
      { id: "x", openapi: { document: {} }, only: {} },
      { only: "tags or names" },
    ],
    [
      "another scheme",
      { id: "x", openapi: { url: "file:///etc/passwd" } },
      { "openapi.url": "http" },
    ],
  ])("an import with %s is rejected", async (_, body, problems) => {
    expectProblems(await post("/agents/tools/import", body), problems);
  });

  it.each<[string, JsonObject | string]>([
    ["not a document", "what a day"],
    ["an empty object", {}],
    ["Swagger 2.0", { swagger: "2.0", info: { title: "t", version: "1" }, paths: {} }],
    ["of an unknown version", { openapi: "9.0.0", info: { title: "t", version: "1" }, paths: {} }],
    ["without operations", { openapi: "3.1.0", info: { title: "t", version: "1" }, paths: {} }],
    [
      "a document with a list of paths",
      { openapi: "3.1.0", info: { title: "t", version: "1" }, paths: [] },
    ],
    [
      "a document with circular references",
      {
        openapi: "3.1.0",
        info: { title: "t", version: "1" },
        servers: [{ url: "https://203.0.113.7" }],
        paths: { "/a": { $ref: "#/paths/~1b" }, "/b": { $ref: "#/paths/~1a" } },
      },
    ],
  ])("a document that is %s is rejected and creates no tool", async (_, given) => {
    const answer = await importing("hostile", { document: given });
    expectError(answer, 400, "VALIDATION_ERROR");
    expect(answer.body.error.details[0].path).toMatch(/^openapi\.document/);
    expectError(await get("/agents/tools/hostile"), 404, "TOOL_NOT_FOUND");
  });

  it("a document larger than 16 MiB, or of 10 MB without an operation, is rejected", async () => {
    const large = await importing("large", document(`/large?bytes=${17 * 1024 * 1024}`));
    expectProblems(large, { "openapi.url": "at most 16777216 bytes" });
    const empty = await importing("large", document("/large?bytes=10000000"));
    expectError(empty, 400, "VALIDATION_ERROR");
  });

  it("an import fails if its URL returns HTML, an error, a reset connection or a decompression bomb", async () => {
    const at = (path: string) => importing("gone", { url: `${originOf("hostile")}${path}` });
    expectError(await at("/html"), 400, "VALIDATION_ERROR");
    expectError(await at("/status?code=404"), 502, "TOOL_UPSTREAM_ERROR");
    expectError(await at("/reset"), 502, "TOOL_UPSTREAM_ERROR");
    expectError(await at("/bomb"), 400, "VALIDATION_ERROR");
  });

  it("an import over a tool that is built in or was registered manually is rejected", async () => {
    await post("/agents/tools", {
      id: "by-hand",
      name: "By hand",
      connector: { type: "http", baseUrl: originOf("hostile") },
      capabilities: [{ id: "ok", request: { method: "GET", path: "/ok" } }],
    });
    expectError(await importing("by-hand", document("/versions/1")), 409, "TOOL_EXISTS");
    expectError(await importing("chart-maker", document("/versions/1")), 409, "TOOL_BUILT_IN");
  });
});

// oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
function eventsIn(text: string): { event: string; data: any }[] {
  return parseEvents(text).map(({ event = "", data }) => ({ event, data: JSON.parse(data) }));
}
