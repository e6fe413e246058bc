import { describe, expect, it } from "vitest";
import { IDENTIFIER_PATTERN } from "../../../../src/kernel/identifier.ts";
import type { DraftCapability, ToolDraft } from "../../../../src/tools/import/tool-draft.ts";
import { EVERYTHING, expectFailure, hostile, read, expectValue } from "../mcp-servers.ts";

function capability(draft: ToolDraft, id: string): DraftCapability | undefined {
  return draft.capabilities.find((one) => one.id === id);
}

describe("an import of the reference server", () => {
  it("an import turns the server into a tool and the server's tools into capabilities", async () => {
    const progress: number[] = [];
    const onProgress = async (done: number) => void progress.push(done);
    const draft = expectValue(
      await read(EVERYTHING, { headers: { "X-Ship": "Aurora" }, onProgress }),
    );
    expect(draft).toMatchObject({
      name: "Everything Reference Server",
      description: expect.stringContaining("Everything Server"),
      documentation: "",
      authentication: { type: "none", scopes: [] },
      connector: {
        type: "mcp",
        url: EVERYTHING,
        headers: { "X-Ship": "Aurora" },
        timeoutMs: 10_000,
        credential: null,
      },
    });
    expect(draft.capabilities.map(({ id }) => id)).toEqual([
      "echo",
      "get-annotated-message",
      "get-env",
      "get-resource-links",
      "get-resource-reference",
      "get-structured-content",
      "get-sum",
      "get-tiny-image",
      "gzip-file-as-resource",
      "toggle-simulated-logging",
      "toggle-subscriber-updates",
      "trigger-long-running-operation",
    ]);
    expect(draft.notes).toEqual([
      'Omitted because they run only as MCP tasks, which are not supported: "simulate-research-query".',
    ]);
    expect(progress).toEqual([13]);
  });

  it("an import copies names, descriptions and the schema of each parameter", async () => {
    const draft = expectValue(await read(EVERYTHING));
    expect(capability(draft, "echo")).toEqual({
      id: "echo",
      name: "Echo Tool",
      description: "Echoes back the input string",
      parameters: [
        { name: "message", type: "string", required: true, description: "Message to echo" },
      ],
      operation: { type: "mcp", tool: "echo" },
    });
    expect(capability(draft, "get-sum")?.parameters).toEqual([
      { name: "a", type: "number", required: true, description: "First number" },
      { name: "b", type: "number", required: true, description: "Second number" },
    ]);
    expect(capability(draft, "get-structured-content")?.parameters).toEqual([
      {
        name: "location",
        type: "string",
        required: true,
        description: "Choose city",
        schema: { type: "string", enum: ["New York", "Chicago", "Los Angeles"] },
      },
    ]);
    expect(capability(draft, "trigger-long-running-operation")?.parameters).toEqual([
      {
        name: "duration",
        type: "number",
        required: false,
        description: "Duration of the operation in seconds",
        schema: { type: "number", default: 10 },
      },
      {
        name: "steps",
        type: "number",
        required: false,
        description: "Number of steps in the operation",
        schema: { type: "number", default: 5 },
      },
    ]);
    expect(capability(draft, "get-tiny-image")?.parameters).toEqual([]);
  });

  it("an import includes only the requested names or ids", async () => {
    const byId = { selection: { names: ["get-user-2"] } };
    const second = expectValue(await read(hostile("odd-tools"), byId));
    expect(second.capabilities.map(({ name }) => name)).toEqual(["get/user"]);
    const draft = expectValue(
      await read(EVERYTHING, { selection: { names: ["get-sum", "echo"] } }),
    );
    expect(draft.capabilities.map(({ id }) => id)).toEqual(["echo", "get-sum"]);
    expect(draft.notes).toEqual([]);
  });

  it("an import rejects an unknown name with a list of the available ones, and rejects tags", async () => {
    const names = ["echo", "ecko"];
    expect(expectFailure(await read(EVERYTHING, { selection: { names } }))).toEqual({
      kind: "parameters",
      problems: [
        {
          path: "names",
          message: expect.stringMatching(
            /^"ecko" is not one of the server's tools: "echo", .+ and \d more$/,
          ),
        },
      ],
    });
    expect(
      expectFailure(await read(EVERYTHING, { selection: { tags: ["weather"] } })),
    ).toMatchObject({
      kind: "parameters",
      problems: [{ path: "tags" }],
    });
  });
});

describe("an import of a server with revision 2026-07-28", () => {
  it("a server with revision 2026-07-28 is imported in the same way", async () => {
    const draft = expectValue(await read(hostile("modern")));
    expect(draft).toMatchObject({ name: "modern", description: "Says hello." });
    expect(draft.capabilities).toEqual([
      {
        ...named("greet"),
        description: "",
        parameters: [{ name: "name", type: "string", required: false }],
      },
    ]);
  });
});

describe("an import that requires a credential", () => {
  const authorization = {
    in: "header",
    name: "Authorization",
    value: "Bearer top-secret-token",
  } as const;

  it("an import without the required credential reports this, and an import with it stores where to send it but not its value", async () => {
    expect(expectFailure(await read(hostile("header-key")))).toEqual({
      kind: "unauthorized",
      reason: "it requires a credential (HTTP 401). Add a credential and import again.",
    });
    const draft = expectValue(await read(hostile("header-key"), { authorization }));
    expect(draft).toMatchObject({
      name: "hostile",
      description: "Tools provided by the MCP server hostile.",
      authentication: { type: "api-key", scopes: [] },
      connector: { credential: { in: "header", name: "Authorization", prefix: "Bearer " } },
    });
    expect(JSON.stringify(draft)).not.toContain("top-secret");
  });

  it("an import accepts a credential in the query", async () => {
    const inQuery = { in: "query", name: "key", value: "top secret&token" } as const;
    const draft = expectValue(await read(hostile("query-key"), { authorization: inQuery }));
    expect(draft.connector).toMatchObject({ credential: { in: "query", name: "key", prefix: "" } });
  });
});

describe("an import of unusual lists", () => {
  it("an import omits tools that cannot become capabilities, and states the reasons", async () => {
    const draft = expectValue(await read(hostile("odd-tools")));
    expect(draft.notes).toEqual([
      "Omitted because they have no unique name: 5 tools.",
      'Omitted because they have no input schema: "schema-less".',
      'Omitted because their input is not described as an object with properties: "of-text", "one-of", "not-properties".',
      'Omitted because they have more than 200 parameters: "too-many".',
      'Omitted because their parameters need more than 262144 bytes: "too-large", "too-large-unfolded".',
      'Omitted because their input is more than 32 levels deep: "too-deep".',
      'Omitted because their input schemas are invalid or refer to missing definitions: "dangling", "external".',
      'Omitted because they run only as MCP tasks, which are not supported: "as-a-task".',
    ]);
    expect(draft.capabilities.map(({ id, name, operation }) => ({ id, name, operation }))).toEqual([
      named("as-many-as-can-be"),
      { ...named("get user"), id: "get-user", name: "Get a user" },
      { ...named("get/user"), id: "get-user-2" },
      { ...named("_Ünïcode!"), id: "n-code" },
      named("untyped"),
      named("refers"),
      named("types"),
    ]);
    for (const { id } of draft.capabilities) expect(id).toMatch(IDENTIFIER_PATTERN);
    expect(capability(draft, "as-many-as-can-be")?.parameters).toHaveLength(200);
  });

  it("an import truncates long descriptions and removes control characters", async () => {
    const draft = expectValue(
      await read(hostile("odd-tools"), { selection: { names: ["_Ünïcode!"] } }),
    );
    const description = capability(draft, "n-code")?.description ?? "";
    expect(description).toMatch(/^ab long long .+…$/);
    expect(Array.from(description)).toHaveLength(2_000);
  });

  it("an import keeps the complete schema of each parameter without unrelated definitions", async () => {
    const draft = expectValue(await read(hostile("odd-tools")));
    const Leaf = { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] };
    expect(capability(draft, "refers")?.parameters).toEqual([
      {
        name: "tree",
        type: "object",
        required: true,
        description: "A tree.",
        schema: {
          $ref: "#/$defs/Tree",
          $defs: {
            Tree: {
              type: "object",
              description: "A tree.",
              properties: { leaf: Leaf, more: { $ref: "#/$defs/Tree" } },
            },
          },
        },
      },
      {
        name: "same",
        type: "number",
        required: false,
        description: "As large.",
        schema: { type: "integer", minimum: 1 },
      },
      {
        name: "size",
        type: "number",
        required: false,
        description: "How large.",
        schema: { type: "integer", minimum: 1 },
      },
      {
        name: "$ref",
        type: "string",
        required: false,
        schema: { type: "string", default: { $ref: "#/not/a/reference" } },
      },
      { name: "unlisted", type: "string", required: true, schema: {} },
    ]);
  });

  it("an import finds parameter types in every form of schema", async () => {
    const draft = expectValue(await read(hostile("odd-tools")));
    const types = capability(draft, "types")?.parameters.map(({ name, type }) => [name, type]);
    expect(Object.fromEntries(types ?? [])).toEqual({
      nullable: "number",
      mixed: "string",
      anything: "string",
      whatever: "string",
      listed: "string",
      fixed: "boolean",
      either: "array",
      both: "object",
    });
  });

  it("an import truncates lists that are too long or endless", async () => {
    const endless = expectValue(await read(hostile("endless-cursor")));
    expect(endless.capabilities).toHaveLength(200);
    expect(endless.notes).toEqual([
      "Only the first 200 tools were read, because the list has more than 200 pages.",
    ]);
    const circle = expectValue(await read(hostile("same-cursor")));
    expect(circle.capabilities).toHaveLength(1);
    expect(circle.notes[0]).toContain("the server returned the same cursor twice");
    const many = expectValue(await read(hostile("many-tools")));
    expect(many.capabilities).toHaveLength(3_000);
    expect(many.notes).toEqual([
      "Only the first 3000 tools were read, because a tool can have at most 3000 capabilities.",
    ]);
  });

  it("an import reads no more than its byte limit over all pages", async () => {
    expect(expectFailure(await read(hostile("huge-pages")))).toMatchObject({
      kind: "upstream",
      reason: "it returned more than 16777216 bytes.",
      isTransient: false,
    });
  });

  it("an import fails if the server has no usable tools or its responses are invalid", async () => {
    expect(expectFailure(await read(hostile("no-tools")))).toMatchObject({
      kind: "rejected",
      reason: "The server has no tools that can be imported.",
    });
    for (const path of ["lies-list", "html", "404"]) {
      expect(expectFailure(await read(hostile(path)))).toMatchObject({ kind: "upstream" });
    }
  });
});

function named(name: string) {
  return { id: name, name, operation: { type: "mcp", tool: name } };
}
