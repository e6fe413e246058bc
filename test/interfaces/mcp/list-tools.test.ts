import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { SERVICE_INFO } from "../../../src/kernel/service-info.ts";
import { ROOT, del, get, post } from "../../support/client.ts";
import { registerTeam } from "../../support/catalogue.ts";
import { keyWith, UNMANAGING } from "../../support/keys.ts";
import { startCounting } from "../../performance/counters.ts";
import { connect, listAll, listToolNames, REVISIONS, type Revision } from "./client.ts";
import { version } from "../../../package.json";

/** An address that the guard accepts. No request is sent to it. */
const PUBLIC = "https://93.184.216.34";

const TASK_TOOLS = [
  "create_task",
  "get_task",
  "list_tasks",
  "list_deliverables",
  "cancel_task",
  "respond_task",
  "review_task",
  "claim_task",
  "report_task",
];

/** The tools of a client's first page that are capabilities. */
async function listCapabilityNames(client: Parameters<typeof listToolNames>[0]): Promise<string[]> {
  return (await listToolNames(client)).filter((name) => name.includes("__"));
}

const grant = (agentId: string, toolId: string, capabilities?: string[]) =>
  post("/agents/tools/access", {
    agentId,
    toolId,
    ...(capabilities === undefined ? {} : { capabilities }),
  });

/** The capabilities that an agent may use, read over REST. */
async function grantsOf(agentId: string): Promise<string[]> {
  const { tools } = (await get(`/agents/tools/access/${agentId}`)).body.data;
  return tools.flatMap((tool: { id: string; capabilities: string[] }) =>
    tool.capabilities.map((one) => `${tool.id}__${one}`),
  );
}

describe.each(REVISIONS)("the list of tools by revision %s", (revision: Revision) => {
  let agents = 0;

  async function agentWithKey(): Promise<{ agentId: string; key: string }> {
    agents += 1;
    const agentId = `seer-${revision}-${agents}`;
    await grant(agentId, "json-workbench");
    return { agentId, key: await keyWith(UNMANAGING, { agentId }) };
  }

  it("the server info names the service and explains how to use it", async () => {
    const client = await connect(ROOT, revision);
    expect(client.getServerVersion()).toMatchObject({ name: "bosun", version });
    expect(SERVICE_INFO.version).toBe(version);
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    expect(client.getInstructions()).toContain("create_task");
  });

  it("the list contains exactly the agent's grants after a grant, a narrower grant and a revocation", async () => {
    const { agentId, key } = await agentWithKey();
    const client = await connect(key, revision);
    const seen = () => listCapabilityNames(client);
    expect((await seen()).toSorted()).toEqual((await grantsOf(agentId)).toSorted());
    expect((await seen()).length).toBe(3);

    await grant(agentId, "text-analyst", ["keywords"]);
    expect((await seen()).toSorted()).toEqual((await grantsOf(agentId)).toSorted());
    expect(await seen()).toContain("text-analyst__keywords");
    expect(await seen()).not.toContain("text-analyst__summarise");

    await grant(agentId, "json-workbench", ["query"]);
    expect(await seen()).toEqual(["json-workbench__query", "text-analyst__keywords"]);

    await del(`/agents/tools/access/${agentId}/json-workbench`);
    await del(`/agents/tools/access/${agentId}/text-analyst`);
    expect(await seen()).toEqual([]);
  });

  it("tools are listed in the order of the catalogue, every time", async () => {
    const { agentId, key } = await agentWithKey();
    for (const tool of ["text-analyst", "table-analyst", "format-bridge"]) {
      await grant(agentId, tool);
    }
    const client = await connect(key, revision);
    const first = await listToolNames(client);
    expect(await listToolNames(client)).toEqual(first);
    expect(await listToolNames(await connect(key, revision))).toEqual(first);
    const { tools } = (await get("/agents/tools", { key })).body.data;
    const ids = tools.map((tool: { id: string }) => tool.id);
    const capabilities = first.filter((name) => name.includes("__"));
    const order = capabilities.map((name) => name.split("__")[0]);
    expect([...new Set(order)]).toEqual(ids);
  });

  it("only the requesting client may cache the list", async () => {
    const { key } = await agentWithKey();
    const list = await (await connect(key, revision)).listTools();
    // The protocol has had these fields only since 2026-07-28.
    const cacheHints = revision === "2026-07-28" ? { ttlMs: 0, cacheScope: "private" } : {};
    const { ttlMs, cacheScope } = Object(list);
    expect({ ttlMs, cacheScope }).toEqual({
      ttlMs: undefined,
      cacheScope: undefined,
      ...cacheHints,
    });
  });

  it("the list needs one D1 query in addition to the key's query", async () => {
    const { key } = await agentWithKey();
    const client = await connect(key, revision);
    await client.listTools();
    const counters = await startCounting();
    onTestFinished(() => counters.stop());
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(TASK_TOOLS.length);
    expect(counters.queries()).toHaveLength(1);
  });

  it("the pages of a long list contain every tool once", async () => {
    const agentId = `wide-${revision}`;
    const toolId = `wide-${revision}`;
    const capabilities = Array.from({ length: 1_100 }, (_, place) => ({
      id: `c${place}`,
      request: { method: "GET", path: `/${place}` },
    }));
    await post("/agents/tools", {
      id: toolId,
      name: "Wide",
      capabilities,
      connector: { type: "http", baseUrl: PUBLIC },
    });
    await grant(agentId, toolId);
    const client = await connect(await keyWith(["tools:invoke"], { agentId }), revision);
    const tools = await listAll(client);
    const names = tools.map(({ name }) => name).filter((name) => name.includes("__"));
    expect(names).toEqual(capabilities.map(({ id }) => `${toolId}__${id}`));
  });

  it("the list has the task tools that the key's scopes allow", async () => {
    await grant("idle", "json-workbench");
    const seen = async (...scopes: Parameters<typeof keyWith>[0]) =>
      listToolNames(await connect(await keyWith(scopes, { agentId: "idle" }), revision));
    expect(await seen("tools:read")).toEqual([]);
    expect(await seen("tasks:read")).toEqual(["get_task", "list_tasks", "list_deliverables"]);
    expect(await seen("tasks:write")).toEqual([
      "create_task",
      "cancel_task",
      "respond_task",
      "review_task",
    ]);
    expect(await seen("tasks:work")).toEqual(["claim_task", "report_task"]);
    expect(await seen("tasks:read", "tasks:write", "tasks:work")).toEqual(TASK_TOOLS);
    expect((await seen("tools:invoke")).slice(0, 2)).toEqual(["get_approval", "list_approvals"]);
  });
});

describe("a key that is bound to no agent", () => {
  const revision = "2026-07-28";

  beforeAll(async () => {
    await grant("writer-1", "text-analyst", ["keywords"]);
    await grant("writer-2", "text-analyst", ["summarise"]);
    await registerTeam("writers", "writer-1", "writer-2");
  });

  it("an unbound key with tools:invoke sees the whole catalogue", async () => {
    const client = await connect(await keyWith(["tools:invoke"]), revision);
    const { tools } = (await get("/agents/tools?limit=100")).body.data;
    const all = tools.flatMap((tool: { id: string; capabilities: string[] }) =>
      tool.capabilities.map((one) => `${tool.id}__${one}`),
    );
    expect((await listCapabilityNames(client)).toSorted()).toEqual(all.toSorted());
  });

  it("an unbound key without tools:invoke sees no capability", async () => {
    const client = await connect(await keyWith(["tools:read", "tools:manage"]), revision);
    expect(await listCapabilityNames(client)).toEqual([]);
  });

  it("an unbound key sees an agent's grants when the URL names the agent", async () => {
    const key = await keyWith(["tools:invoke"]);
    const client = await connect(key, revision, { path: "/mcp?agentId=writer-1" });
    expect(await listCapabilityNames(client)).toEqual(["text-analyst__keywords"]);
    const lost = await connect(key, revision, { path: "/mcp?agentId=stranger" });
    await expect(lost.listTools()).rejects.toThrow('There is no agent "stranger".');
  });

  it("a team's key sees the grants of the member that the URL names, and no grants without a member", async () => {
    const key = await keyWith(["tools:invoke"], { teamId: "writers" });
    expect(await listCapabilityNames(await connect(key, revision))).toEqual([]);
    const client = await connect(key, revision, { path: "/mcp?agentId=writer-2" });
    expect(await listCapabilityNames(client)).toEqual(["text-analyst__summarise"]);
    const other = connect(key, revision, { path: "/mcp?agentId=researcher" });
    await expect(other).rejects.toThrow("403");
  });
});

describe("a listed tool", () => {
  it("a listed tool has the full description of its capability", async () => {
    await post("/agents/tools", {
      id: "notes",
      name: "Notes",
      connector: { type: "http", baseUrl: PUBLIC },
      capabilities: ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => ({
        id: method.toLowerCase(),
        name: `${method} a note`,
        description: "Does so.",
        parameters: [
          {
            name: "id",
            type: "string",
            required: true,
            description: "Which.",
            schema: { type: "string", minLength: 3, "x-mcp-header": "Note" },
          },
          { name: "tags", type: "array" },
        ],
        request: { method, path: "/notes/{id}", query: { tags: { parameter: "tags" } } },
      })),
    });
    await grant("annotator", "notes");
    await grant("annotator", "json-workbench", ["query"]);
    const key = await keyWith(["tools:invoke"], { agentId: "annotator" });
    const tools = await listAll(await connect(key, "2025-11-25"));
    expect(tools.find(({ name }) => name === "notes__get")).toEqual({
      name: "notes__get",
      title: "Notes: GET a note",
      description: "Does so.",
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string", minLength: 3, description: "Which." },
          tags: { type: "array", items: {} },
        },
        required: ["id"],
        additionalProperties: false,
      },
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
      },
    });
    const capabilities = tools.filter(({ name }) => name.includes("__"));
    const hints = Object.fromEntries(
      capabilities.map(({ name, annotations }) => [name, annotations]),
    );
    expect(hints).toEqual({
      "json-workbench__query": {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      notes__get: hints["notes__get"],
      notes__post: { readOnlyHint: false, idempotentHint: false, openWorldHint: true },
      notes__put: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: true,
      },
      notes__patch: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
      notes__delete: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: true,
      },
    });
  });

  it("the task tools have closed schemas and descriptions, and only those that read have a readOnlyHint", async () => {
    const tools = await listAll(await connect(await keyWith(UNMANAGING), "2026-07-28"));
    const taskTools = tools.filter(({ name }) => TASK_TOOLS.includes(name));
    expect(taskTools.map(({ name }) => name)).toEqual(TASK_TOOLS);
    for (const { inputSchema, annotations, description } of taskTools) {
      expect(Object.keys(inputSchema)).not.toContain("oneOf");
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(annotations).toMatchObject({ openWorldHint: false });
      expect(description).toMatch(/\w/);
    }
    const reading = taskTools.filter(({ annotations }) => annotations?.readOnlyHint === true);
    expect(reading.map(({ name }) => name)).toEqual([
      "get_task",
      "list_tasks",
      "list_deliverables",
    ]);
    const create = taskTools.find(({ name }) => name === "create_task");
    expect(create?.inputSchema).toMatchObject({
      required: ["task"],
      properties: {
        context: { type: "object", description: expect.any(String) },
        deadline: { type: "string", format: "date-time" },
        budget: { properties: { maxCost: { type: "number", description: expect.any(String) } } },
      },
    });
    const report = taskTools.find(({ name }) => name === "report_task");
    expect(report?.inputSchema).toMatchObject({
      required: ["taskId", "type", "lease"],
      properties: {
        type: {
          enum: ["heartbeat", "progress", "blocked", "review", "completed", "failed", "released"],
        },
      },
    });
    const list = taskTools.find(({ name }) => name === "list_tasks");
    expect(list?.inputSchema.properties).toMatchObject({
      limit: { type: "integer", maximum: 100 },
    });
  });
});
