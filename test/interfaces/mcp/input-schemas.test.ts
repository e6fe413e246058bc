import type { Tool } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../../src/kernel/json.ts";
import { toPortableSchema } from "../../../src/tools/schema/function-schema.ts";
import { post, ROOT } from "../../support/client.ts";
import { connect, listAll } from "./client.ts";

/** The formats that both JSON Schema 2020-12 and Ajv's formats package define. */
const KNOWN: ReadonlySet<Json | undefined> = new Set([
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "json-pointer",
  "regex",
  "relative-json-pointer",
  "time",
  "uri",
  "uri-reference",
  "uri-template",
  "uuid",
]);

const API = {
  openapi: "3.1.0",
  info: { title: "Berths", version: "1" },
  servers: [{ url: "https://93.184.216.34" }],
  paths: {
    "/berths/{berth}": {
      put: {
        operationId: "book",
        parameters: [
          { name: "note", in: "query", schema: { type: "string", format: "html" } },
          {
            name: "berth",
            in: "path",
            required: true,
            description: "The number of the berth.",
            schema: { type: "integer", format: "int64" },
          },
          {
            name: "day",
            in: "query",
            required: true,
            schema: { type: "string", format: "date" },
          },
        ],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: {
                  skipper: {
                    type: "object",
                    properties: {
                      nickname: { type: "string" },
                      name: { type: "string", format: "x-person" },
                    },
                    required: ["name"],
                  },
                },
                required: ["skipper"],
              },
            },
          },
        },
        responses: { 200: { description: "Booked." } },
      },
    },
  },
};

/** The schema itself and all schemas inside it. */
function* schemasIn(value: Json): Generator<JsonObject> {
  if (Array.isArray(value)) for (const one of value) yield* schemasIn(one);
  if (!isJsonObject(value)) return;
  yield value;
  for (const one of Object.values(value)) yield* schemasIn(one);
}

/** The names of required properties that follow an optional one. */
function misplacedRequired({ properties, required }: JsonObject): string[] {
  if (!isJsonObject(properties) || !Array.isArray(required)) return [];
  const isRequired = Object.keys(properties).map((name) => required.includes(name));
  return Object.keys(properties).filter(
    (_, place) => isRequired[place] === true && isRequired.slice(0, place).includes(false),
  );
}

/** The input schema of an MCP tool as a JSON object. */
function jsonOf({ inputSchema }: Tool): JsonObject {
  const parsed: Json = JSON.parse(JSON.stringify(inputSchema));
  if (!isJsonObject(parsed)) throw new Error("The schema is not an object");
  return parsed;
}

describe("the schemas of all tools", () => {
  let tools: Tool[] = [];

  beforeAll(async () => {
    const answer = await post("/agents/tools/import", { id: "berths", openapi: { document: API } });
    if (answer.status !== 201) throw new Error(answer.text);
    tools = await listAll(await connect(ROOT, "2025-11-25"));
  });

  it("tool schemas list required properties before optional ones", () => {
    const wrong = tools.flatMap((tool) =>
      [...schemasIn(jsonOf(tool))]
        .flatMap(misplacedRequired)
        .map((name) => `${tool.name}: ${name}`),
    );
    expect(wrong).toEqual([]);
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["report_task", "berths__book", "chart-maker__bar"]),
    );
  });

  it("tool schemas contain only formats that strict validators know", () => {
    const formats = tools.flatMap((tool) =>
      [...schemasIn(jsonOf(tool))].flatMap(({ format }) =>
        typeof format === "string" ? [format] : [],
      ),
    );
    expect(formats.filter((format) => !KNOWN.has(format))).toEqual([]);
    expect(formats).toEqual(expect.arrayContaining(["date", "date-time"]));
  });

  it("tool schemas name other formats in the description", () => {
    const book = tools.find(({ name }) => name === "berths__book");
    expect(book?.inputSchema).toMatchObject({
      properties: {
        berth: { type: "integer", description: "The number of the berth. (format: int64)" },
        note: { type: "string", description: "(format: html)" },
        day: { type: "string", format: "date" },
      },
    });
  });
});

describe("a portable schema", () => {
  it("making a schema portable only moves required properties to the front, and does not change values or names", () => {
    const schema = {
      type: "object",
      properties: {
        format: { const: { format: "int32" } },
        b: { default: { properties: { z: 1, a: 2 }, required: ["a"] } },
        a: { enum: [{ format: "x" }] },
        c: { type: "string" },
      },
      required: ["c", "a"],
      dependencies: { a: ["b"], b: { format: "x" } },
    };
    const changed = toPortableSchema(schema);
    expect(Object.keys(Object(changed["properties"]))).toEqual(["a", "c", "format", "b"]);
    expect(changed).toEqual({
      ...schema,
      dependencies: { a: ["b"], b: { description: "(format: x)" } },
    });
  });
});
