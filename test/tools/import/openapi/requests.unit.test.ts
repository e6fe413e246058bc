import { parseTemplate } from "url-template";
import { describe, expect, it } from "vitest";
import type { ParameterMapping } from "../../../../src/tools/model/connector.ts";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { toVariableName } from "../../../../src/tools/import/openapi/operation-parameters.ts";
import {
  capabilityOf,
  document,
  draftOf,
  matchesSchema,
  parameter,
  requestOf,
} from "./fixtures.ts";

const string = { type: "string" };
const list = { type: "array", items: string };

describe("path parameters", () => {
  /** The style, explode, the resulting template, and its expansion for the list a, b. */
  const styles: readonly [string | undefined, boolean | undefined, string, string][] = [
    [undefined, undefined, "/t/{id}", "/t/a,b"],
    ["simple", true, "/t/{id*}", "/t/a,b"],
    ["label", false, "/t/{.id}", "/t/.a,b"],
    ["label", true, "/t/{.id*}", "/t/.a.b"],
    ["matrix", false, "/t/{;id}", "/t/;id=a,b"],
    ["matrix", true, "/t/{;id*}", "/t/;id=a;id=b"],
  ];

  it.each(styles)(
    "a path parameter with the style %s and explode %s becomes %s",
    async (style, explode, template, expanded) => {
      const id = { name: "id", in: "path", required: true, schema: list };
      const styled = {
        ...id,
        ...(style === undefined ? {} : { style }),
        ...(explode === undefined ? {} : { explode }),
      };
      const one = await capabilityOf({ parameters: [styled] }, { path: "/t/{id}" });
      expect(requestOf(one).path).toBe(template);
      expect(parseTemplate(template).expand({ id: ["a", "b"] })).toBe(expanded);
    },
  );

  it.each(["a-b", "filter[name]", "a b", "$id", "a%41", "é", "a.b", "(x)'*", "__proto__", ".a"])(
    "the path parameter %j keeps its name, which can be decoded from its variable",
    async (name) => {
      const described = { name, in: "path", required: true, schema: string };
      const one = await capabilityOf({ parameters: [described] }, { path: `/t/{${name}}/u` });
      expect(one.parameters).toEqual([{ name, type: "string", required: true, schema: string }]);
      const { path } = requestOf(one);
      const variable = /\{(.*)\}/.exec(path)?.[1] ?? "";
      // The syntax of a variable name in RFC 6570, section 2.3.
      expect(variable).toMatch(/^(?:\w|%[0-9A-F]{2})(?:\.?(?:\w|%[0-9A-F]{2}))*$/);
      expect(decodeURIComponent(variable)).toBe(name);
      expect(variable).toBe(toVariableName(name));
      const values = Object.fromEntries([[variable, "x/y"]]);
      expect(parseTemplate(path).expand(values)).toBe("/t/x%2Fy/u");
    },
  );

  it("the matrix style sends a parameter's original name", async () => {
    const id = { name: "my-id", in: "path", style: "matrix", schema: string };
    const one = await capabilityOf({ parameters: [id] }, { path: "/t/{my-id}" });
    const { path } = requestOf(one);
    expect(parseTemplate(path).expand({ "my%2Did": "a b" })).toBe("/t/;my-id=a%20b");
  });

  it("a path parameter that the document does not describe is a required string", async () => {
    const one = await capabilityOf({}, { path: "/t/{id}" });
    expect(one.parameters).toEqual([
      { name: "id", type: "string", required: true, schema: string },
    ]);
  });

  it("a variable that appears twice in a path is a single parameter", async () => {
    const one = await capabilityOf({}, { path: "/t/{id}/of/{id}" });
    expect(one.parameters.map(({ name }) => name)).toEqual(["id"]);
    expect(parseTemplate(requestOf(one).path).expand({ id: "a" })).toBe("/t/a/of/a");
  });

  it("a path's own query is sent as constants, and its fragment is dropped", async () => {
    const one = await capabilityOf({}, { path: "/?Action=List&Version=2#first" });
    expect(requestOf(one)).toMatchObject({
      path: "/",
      query: { Action: { value: "List" }, Version: { value: "2" } },
    });
  });

  it.each([
    ["/t/{id", "Omitted because it has an unmatched brace or an invalid variable: get-t-id."],
    ["/t?q={id}", "Omitted because it has variables in the query part of its path: get-t-q-id."],
  ])("the path %s is omitted with a note", async (path, note) => {
    const draft = await draftOf(document({ [path]: { get: {} }, "/fine": { get: {} } }));
    expect(draft.capabilities.map(({ id }) => id)).toEqual(["get-fine"]);
    expect(draft.notes).toEqual([note]);
  });
});

describe("query and header parameters", () => {
  const mappings: readonly [JsonObject, ParameterMapping][] = [
    [{}, { parameter: "p" }],
    [{ style: "form", explode: true }, { parameter: "p" }],
    [
      { style: "form", explode: false },
      { parameter: "p", explode: false },
    ],
    [{ explode: false }, { parameter: "p", explode: false }],
    [{ style: "spaceDelimited" }, { parameter: "p", style: "spaceDelimited" }],
    [
      { style: "pipeDelimited", explode: false },
      { parameter: "p", style: "pipeDelimited" },
    ],
    [
      { style: "deepObject", explode: true },
      { parameter: "p", style: "deepObject", explode: true },
    ],
    [{ style: "unheard-of" }, { parameter: "p" }],
  ];

  it.each(mappings)(
    "the query parameter style %j becomes the mapping %j",
    async (style, mapped) => {
      const one = await capabilityOf({
        parameters: [{ name: "p", in: "query", schema: list, ...style }],
      });
      expect(requestOf(one).query).toEqual({ p: mapped });
    },
  );

  it("parameters with a media type are sent as JSON", async () => {
    const content = {
      "application/json": { schema: { type: "object", properties: { a: string } } },
    };
    const one = await capabilityOf({
      parameters: [
        { name: "filter", in: "query", content },
        { name: "X-Filter", in: "header", content },
      ],
    });
    expect(requestOf(one).query).toEqual({ filter: { parameter: "filter", style: "json" } });
    expect(requestOf(one).headers).toEqual({
      "X-Filter": { parameter: "X-Filter", style: "json" },
    });
    expect(matchesSchema(parameter(one, "filter"), { a: 5 })).toBe(false);
  });

  it("header parameters that OpenAPI reserves or the runtime writes are ignored", async () => {
    const names = ["Accept", "content-type", "AUTHORIZATION", "Content-Length", "Host", "X-Trace"];
    const parameters = names.map((name) => ({
      name,
      in: "header",
      required: true,
      schema: string,
    }));
    const one = await capabilityOf({ parameters });
    expect(requestOf(one).headers).toEqual({ "X-Trace": { parameter: "X-Trace" } });
    expect(one.parameters.map(({ name }) => name)).toEqual(["X-Trace"]);
  });

  it("parameters that cannot be sent are omitted, and so are operations that require them", async () => {
    const optional = (name: string, place: string) => ({ name, in: place, schema: string });
    const draft = await draftOf(
      document({
        "/a": { get: { parameters: [optional("session", "cookie"), optional("", "query")] } },
        "/b": { get: { parameters: [{ ...optional("session", "cookie"), required: true }] } },
        "/c": { get: { parameters: [{ ...optional("all", "querystring"), required: true }] } },
        "/d": { get: { parameters: [optional("X Y", "header"), optional("z", "path")] } },
        "/e": { options: {}, trace: {}, get: {} },
      }),
    );
    expect(draft.capabilities.map(({ id }) => id)).toEqual(["get-a", "get-d", "get-e"]);
    expect(draft.capabilities.flatMap(({ parameters }) => parameters)).toEqual([]);
    expect(draft.notes).toEqual([
      "Omitted because OPTIONS requests are not supported: /e.",
      "Omitted because TRACE requests are not supported: /e.",
      "Imported without a cookie: get-a.",
      "Imported without a parameter without a name: get-a.",
      "Omitted because it requires a cookie: get-b.",
      'Omitted because it requires a parameter in "querystring": get-c.',
      "Imported without a header whose name is invalid in HTTP: get-d.",
      "Imported without a path parameter that does not appear in its path: get-d.",
    ]);
  });

  it("an operation's parameters override its path's, and equal names in several places become distinct", async () => {
    const { capabilities } = await draftOf(
      document({
        "/t/{id}": {
          parameters: [
            { name: "id", in: "path", schema: { type: "integer" } },
            { name: "days", in: "query", schema: string, description: "of the path" },
          ],
          get: {
            parameters: [
              { name: "days", in: "query", schema: { type: "integer" }, required: true },
              { name: "id", in: "query", schema: string },
              { name: "id", in: "header", schema: string },
            ],
          },
        },
      }),
    );
    const [one] = capabilities;
    if (one === undefined) throw new Error("There is no capability");
    expect(one.parameters.map(({ name, type, required }) => ({ name, type, required }))).toEqual([
      { name: "id", type: "number", required: true },
      { name: "days", type: "number", required: true },
      { name: "query-id", type: "string", required: false },
      { name: "header-id", type: "string", required: false },
    ]);
    expect(requestOf(one)).toMatchObject({
      path: "/t/{id}",
      query: { days: { parameter: "days" }, id: { parameter: "query-id" } },
      headers: { id: { parameter: "header-id" } },
    });
  });
});

describe("the types of parameters", () => {
  const types: readonly [JsonObject, string][] = [
    [{ type: "integer" }, "number"],
    [{ type: ["null", "boolean"] }, "boolean"],
    [{ anyOf: [{ type: "null" }, { type: "array" }, string] }, "array"],
    [{ oneOf: [{ $ref: "#/components/schemas/Size" }, string] }, "number"],
    [{ allOf: [{ description: "x" }, { properties: { a: {} } }] }, "object"],
    [{ enum: [null, 1, 2] }, "number"],
    [{ const: true }, "boolean"],
    [{ default: ["a"] }, "array"],
    [{ items: string }, "array"],
    [{ maxLength: 3 }, "string"],
    [{}, "string"],
  ];

  it.each(types)("the schema %j becomes a parameter of type %s", async (schema, type) => {
    const components = { schemas: { Size: { type: "number" } } };
    const one = await capabilityOf(
      { parameters: [{ name: "p", in: "query", schema }] },
      { components },
    );
    expect(parameter(one, "p").type).toBe(type);
  });

  it("a schema that is nullable in OpenAPI 3.0 accepts null", async () => {
    const field = (schema: JsonObject) => ({ nullable: true, ...schema });
    const properties = {
      plain: field(string),
      any: field({ anyOf: [string, { type: "boolean" }] }),
      all: field({ allOf: [{ $ref: "#/components/schemas/Size" }] }),
      never: string,
      above: { type: "number", minimum: 3, exclusiveMinimum: true },
    };
    const content = { "application/json": { schema: { type: "object", properties } } };
    const one = await capabilityOf(
      { requestBody: { content } },
      {
        method: "post",
        openapi: "3.0.3",
        components: { schemas: { Size: { type: "number", example: 5, "x-unit": "m" } } },
      },
    );
    for (const name of ["plain", "any", "all"])
      expect(matchesSchema(parameter(one, name), null)).toBe(true);
    expect(matchesSchema(parameter(one, "never"), null)).toBe(false);
    expect([
      matchesSchema(parameter(one, "all"), 5),
      matchesSchema(parameter(one, "all"), "5"),
    ]).toEqual([true, false]);
    expect(parameter(one, "above").schema).toEqual({ type: "number", exclusiveMinimum: 3 });
  });

  it("schemas used twice are shared in $defs and others are inlined, with the descriptions of their uses", async () => {
    const point = { $ref: "#/components/schemas/Point" };
    const schema = {
      type: "object",
      properties: {
        from: point,
        to: { ...point, description: "where to" },
        by: { $ref: "#/components/schemas/By" },
      },
    };
    const components = {
      schemas: { Point: { type: "object", properties: { x: { type: "number" } } }, By: string },
    };
    const one = await capabilityOf(
      { parameters: [{ name: "p", in: "query", schema }] },
      { components },
    );
    expect(parameter(one, "p").schema).toEqual({
      type: "object",
      properties: {
        from: { $ref: "#/$defs/Point" },
        to: { $ref: "#/$defs/Point", description: "where to" },
        by: string,
      },
      $defs: { Point: { type: "object", properties: { x: { type: "number" } } } },
    });
  });

  it("descriptions of deprecated operations and parameters say that they are deprecated", async () => {
    const one = await capabilityOf({
      deprecated: true,
      description: "Lists tides.",
      parameters: [
        { name: "p", in: "query", schema: string, deprecated: true, description: "Old." },
      ],
    });
    expect(one.description).toBe("Deprecated. Lists tides.");
    expect(parameter(one, "p").description).toBe("Deprecated. Old.");
  });

  it("descriptions are cut to two thousand characters, never inside a character", async () => {
    const one = await capabilityOf({
      summary: "s".repeat(300),
      description: `${"d".repeat(1_998)}😀😀`,
    });
    expect(one.name).toHaveLength(200);
    expect(one.description).toBe(`${"d".repeat(1_998)}…`);
  });
});
