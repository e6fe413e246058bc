const text = { type: "string" };

function tool(name: string, inputSchema: unknown, more: object = {}): object {
  return { name, inputSchema, ...more };
}

function withProperties(count: number): object {
  const names = Array.from({ length: count }, (_, at) => [`p${at}`, text]);
  return { type: "object", properties: Object.fromEntries(names) };
}

function nested(depth: number): object {
  return depth === 0 ? text : { type: "array", items: nested(depth - 1) };
}

/** Invalid tool definitions, and some that are valid but unusual. */
export const ODD_TOOLS: readonly unknown[] = [
  null,
  "greet",
  { name: 5, inputSchema: { type: "object" } },
  tool("", { type: "object" }),
  tool("schema-less", undefined),
  tool("of-text", { type: "string" }),
  tool("one-of", { oneOf: [{ type: "object", properties: { a: text } }] }),
  tool("not-properties", { type: "object", properties: ["a"] }),
  tool("too-many", withProperties(201)),
  tool("as-many-as-can-be", withProperties(200)),
  tool("too-large", { type: "object", properties: { a: { const: "x".repeat(600_000) } } }),
  tool("too-large-unfolded", {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`p${at}`, { $ref: "#/$defs/Big" }]),
    ),
    $defs: { Big: { const: "x".repeat(10_000) } },
  }),
  tool("too-deep", { type: "object", properties: { a: nested(200) } }),
  tool("dangling", { type: "object", properties: { a: { $ref: "#/$defs/Gone" } } }),
  tool("external", { type: "object", properties: { a: { $ref: "https://example.com/a.json" } } }),
  tool("as-a-task", { type: "object" }, { execution: { taskSupport: "required" } }),
  tool("get user", { type: "object" }, { title: "Get a user" }),
  tool("get/user", { type: "object" }),
  tool("get/user", { type: "object", properties: { twice: text } }),
  tool("_Ünïcode!", { type: "object" }, { description: `a\u0000b ${"long ".repeat(1_000)}` }),
  tool("untyped", { properties: { a: text } }),
  tool("refers", {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    required: ["tree", "unlisted"],
    definitions: {
      Tree: {
        type: "object",
        description: "A tree.",
        properties: { leaf: { $ref: "#/definitions/Leaf" }, more: { $ref: "#/definitions/Tree" } },
      },
      Leaf: { type: "array", items: [{ type: "string" }, { type: "number" }] },
      Unused: { type: "string" },
    },
    properties: {
      tree: { $ref: "#/definitions/Tree" },
      same: { $ref: "#/properties/size", description: "As large." },
      size: { type: "integer", minimum: 1, description: "How large." },
      $ref: { type: "string", default: { $ref: "#/not/a/reference" } },
    },
  }),
  tool("types", {
    type: "object",
    properties: {
      nullable: { type: ["null", "integer"] },
      mixed: { type: ["string", "number"] },
      anything: {},
      whatever: true,
      listed: { enum: ["a", "b", null] },
      fixed: { const: true },
      either: { anyOf: [{ type: "null" }, { type: "array", items: text }] },
      both: { allOf: [{ description: "An object." }, { properties: { a: text } }] },
    },
  }),
];
