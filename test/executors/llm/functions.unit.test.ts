import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildLlmFunctions, nameCapabilities } from "../../../src/executors/llm/functions.ts";
import { buildFunctionSchema } from "../../../src/tools/schema/function-schema.ts";
import { capabilityOf, LOOKUP } from "./turn-harness.ts";

const buildFunctionNames = (list: readonly { toolId: string; id: string }[]) => [
  ...nameCapabilities(list).keys(),
];

const ALLOWED = /^[a-zA-Z0-9_-]{1,64}$/;

describe("function names", () => {
  it("a function name joins the ids of the tool and the capability if providers accept the result", () => {
    const list = [
      { toolId: "table-analyst", id: "correlate" },
      { toolId: "a.b", id: "c d" },
      { toolId: "x".repeat(60), id: "y".repeat(60) },
    ];
    const names = buildFunctionNames(list);
    expect(names[0]).toBe("table-analyst__correlate");
    expect(names[1]).toMatch(/^a_b__c_d_[0-9a-f]{8}$/);
    expect(names[2]).toMatch(/^x{55}_[0-9a-f]{8}$/);
  });

  it("two similar capabilities have different function names", () => {
    const one = { toolId: "a", id: "b__c" };
    const other = { toolId: "a__b", id: "c" };
    const [, second] = buildFunctionNames([one, other]);
    expect(new Set(buildFunctionNames([one, other])).size).toBe(2);
    expect(buildFunctionNames([{ toolId: "é", id: "x" }])).toEqual(
      buildFunctionNames([one, { toolId: "é", id: "x" }]).slice(1),
    );
    expect(second).toMatch(/^a__b__c_[0-9a-f]{8}$/);
  });

  it("function names are always valid and unique", () => {
    const id = fc.oneof(
      fc.string({ maxLength: 80, unit: "grapheme" }),
      fc.constantFrom("a", "a_b", "b"),
    );
    const pair = fc.record({ toolId: id, id });
    fc.assert(
      fc.property(fc.uniqueArray(pair, { selector: (one) => JSON.stringify(one) }), (list) => {
        const names = buildFunctionNames(list);
        expect(new Set(names).size).toBe(list.length);
        for (const name of names) expect(name).toMatch(ALLOWED);
      }),
    );
  });
});

describe("function schemas", () => {
  it("a function schema contains the parameters as described", () => {
    expect(buildFunctionSchema(LOOKUP.parameters)).toEqual({
      type: "object",
      properties: { place: { type: "string", description: "Its name." } },
      required: ["place"],
    });
    expect(buildFunctionSchema([])).toEqual({ type: "object", properties: {} });
  });

  it("references in a function schema point to the moved definitions", () => {
    const tree = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
      anyOf: [{ $ref: "#/$defs/node" }, { $ref: "#/properties/x" }, { $ref: "#" }],
      default: { $ref: "#/$defs/node" },
    };
    expect(
      buildFunctionSchema([{ name: "a/b", type: "object", required: false, schema: tree }]),
    ).toEqual({
      type: "object",
      properties: {
        "a/b": {
          anyOf: [
            { $ref: "#/$defs/a~1b.node" },
            { $ref: "#/properties/a~1b/properties/x" },
            { $ref: "#/properties/a~1b" },
          ],
          default: { $ref: "#/$defs/node" },
        },
      },
      $defs: {
        "a/b.node": { type: "object", properties: { next: { $ref: "#/$defs/a~1b.node" } } },
      },
    });
  });

  it("a function schema states the items of every list and contains no boolean schema", () => {
    const schema = {
      type: "object",
      properties: { list: { type: ["array", "null"] }, any: true },
      additionalProperties: false,
    };
    expect(
      buildFunctionSchema([
        { name: "rows", type: "array", required: false },
        { name: "more", type: "object", required: false, schema },
      ]),
    ).toMatchObject({
      properties: {
        rows: { type: "array", items: {} },
        more: {
          properties: { list: { type: ["array", "null"], items: {} }, any: {} },
          additionalProperties: false,
        },
      },
    });
  });
});

describe("the functions offered to a model", () => {
  const OWN = ["deliver_file", "ask", "finish"];
  const names = (functions: ReturnType<typeof buildLlmFunctions>) =>
    functions.offered.map(({ name }) => name);

  it("a model is offered its capabilities and the service's own functions", () => {
    const functions = buildLlmFunctions({ capabilities: [LOOKUP], total: 1 });
    expect(names(functions)).toEqual(["atlas__lookup", ...OWN]);
    expect(functions.capabilitiesByName.get("atlas__lookup")).toBe(LOOKUP);
    expect(functions.offered[0]?.description).toBe("Atlas: Looks up a place.");
    const finish = functions.offered.at(-1)?.inputSchema;
    expect(finish).toMatchObject({ type: "object", required: ["summary"] });
    expect(JSON.stringify(functions.offered)).not.toContain("$schema");
  });

  it("a model searches for capabilities if there are too many or they are too large", () => {
    const searched = ["find_capabilities", "use_capability", ...OWN];
    expect(names(buildLlmFunctions({ capabilities: [LOOKUP], total: 101 }))).toEqual(searched);
    const description = "x".repeat(100_000);
    const fat = ["a", "b", "c"].map((id) =>
      capabilityOf("fat", id, {
        parameters: [{ name: "p", type: "string", required: true, description }],
      }),
    );
    expect(names(buildLlmFunctions({ capabilities: fat, total: 3 }))).toEqual(searched);
    expect(names(buildLlmFunctions({ capabilities: fat.slice(0, 2), total: 2 }))).toEqual([
      "fat__a",
      "fat__b",
      ...OWN,
    ]);
  });

  it("function descriptions are truncated to a length that providers accept", () => {
    const long = capabilityOf("atlas", "long", { description: "Ä".repeat(5_000) });
    expect(
      buildLlmFunctions({ capabilities: [long], total: 1 }).offered[0]?.description,
    ).toHaveLength(1_024);
  });
});
