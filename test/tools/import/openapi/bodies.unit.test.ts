import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import {
  capabilityOf,
  document,
  draftOf,
  matchesSchema,
  parameter,
  requestOf,
} from "./fixtures.ts";

const string = { type: "string" };
const tide = { type: "object", required: ["height"], properties: { height: { type: "number" } } };

function posting(content: JsonObject, more: JsonObject = {}, surroundings: JsonObject = {}) {
  const requestBody = { required: true, content, ...more };
  return capabilityOf({ requestBody }, { method: "post", ...surroundings });
}

const json = (schema: JsonObject) => ({ "application/json": { schema } });

describe("the media type of a body", () => {
  const kinds: readonly [string[], string, string | undefined][] = [
    [["text/plain", "application/json"], "json", undefined],
    [["Application/JSON; charset=utf-8"], "json", undefined],
    [
      ["application/x-www-form-urlencoded", "application/vnd.api+json"],
      "json",
      "application/vnd.api+json",
    ],
    [["multipart/form-data", "application/x-www-form-urlencoded"], "form", undefined],
    [["application/xml", "multipart/form-data"], "multipart", undefined],
    [["*/*"], "json", undefined],
  ];

  it.each(kinds)("a body of %j is serialised as %s", async (types, as, contentType) => {
    const one = await posting(Object.fromEntries(types.map((type) => [type, { schema: tide }])));
    expect(requestOf(one).body).toEqual({ as, fields: { height: "height" } });
    const header =
      contentType === undefined ? undefined : { "Content-Type": { value: contentType } };
    expect(requestOf(one).headers).toEqual(header);
  });

  it("a plain text body has a single text parameter", async () => {
    const one = await posting({ "text/plain": { schema: string } });
    expect(requestOf(one).body).toEqual({ as: "text", parameter: "body" });
    expect(parameter(one, "body")).toMatchObject({ type: "string", required: true });
  });

  it("an operation is omitted if it requires a body that cannot be sent; if the body is optional, only the body is omitted", async () => {
    const content = { "application/xml": {}, "application/pdf": {} };
    const draft = await draftOf(
      document({
        "/a": { post: { requestBody: { content, required: true } } },
        "/b": { post: { requestBody: { content } } },
        "/c": { get: { requestBody: { content: json(tide), required: true } } },
        "/d": { get: { requestBody: { content: json(tide) } } },
      }),
    );
    expect(draft.capabilities.map(({ id }) => id)).toEqual(["post-b", "get-d"]);
    expect(draft.capabilities.filter((one) => requestOf(one).body !== undefined)).toEqual([]);
    expect(draft.notes).toEqual([
      "Omitted because it requires a body of type application/xml, application/pdf: post-a.",
      "Imported without a body of type application/xml, application/pdf: post-b.",
      "Omitted because it requires a body, which GET requests cannot have: get-c.",
      "Imported without the body of a GET request: get-d.",
    ]);
  });
});

describe("the fields of a body", () => {
  it("the fields of a required body become parameters, which are required if the schema requires them", async () => {
    const schema = {
      ...tide,
      properties: { ...tide.properties, place: { ...string, description: "Where." } },
    };
    const one = await posting(json(schema));
    expect(one.parameters).toEqual([
      { name: "height", type: "number", required: true, schema: { type: "number" } },
      { name: "place", type: "string", required: false, description: "Where.", schema: string },
    ]);
  });

  it("the fields of a body are merged from references and allOf", async () => {
    const place = {
      type: "object",
      required: ["place"],
      properties: { place: string, height: { type: "number" } },
    };
    const one = await posting(
      json({ allOf: [{ $ref: "#/components/schemas/Tide" }, place], description: "both" }),
      {},
      { components: { schemas: { Tide: tide } } },
    );
    expect(one.parameters.map(({ name, required }) => `${name} ${required}`)).toEqual([
      "height true",
      "place true",
    ]);
  });

  it("read-only fields are omitted from a body, even behind a reference", async () => {
    const schema = {
      type: "object",
      required: ["id", "height"],
      properties: {
        id: { ...string, readOnly: true },
        created: { $ref: "#/components/schemas/Created" },
        height: { type: "number", writeOnly: true },
      },
    };
    const components = { schemas: { Created: { ...string, readOnly: true } } };
    const one = await posting(json(schema), {}, { components });
    expect(one.parameters.map(({ name }) => name)).toEqual(["height"]);
  });

  it("the description lists the fields of which at least one is required", async () => {
    const schema = { ...tide, anyOf: [{ required: ["height"] }, { required: ["a", "b"] }] };
    const one = await posting(json(schema), {});
    expect(one.description).toBe("Requires at least one of: height, a with b.");
  });

  const WHOLE: readonly [string, JsonObject][] = [
    ["a list", { type: "array", items: tide }],
    ["any value", {}],
    ["an object of any fields", { type: "object" }],
    ["a map", { type: "object", additionalProperties: string }],
    ["fields and a map", { ...tide, additionalProperties: string }],
    ["one of several", { oneOf: [tide, { type: "object", properties: { depth: string } }] }],
    [
      "fields and a choice",
      { ...tide, anyOf: [{ properties: { a: string } }, { properties: { b: string } }] },
    ],
    ["fields that contradict each other", { allOf: [tide, { properties: { height: string } }] }],
    ["a condition", { ...tide, if: { required: ["a"] }, else: { required: ["b"] } }],
    ["a field without a name", { type: "object", properties: { "": string } }],
  ];

  it.each(WHOLE)("a body stays a single parameter if its schema is %s", async (_, schema) => {
    const one = await posting(json(schema), { description: "The tide." });
    expect(one.parameters).toEqual([
      expect.objectContaining({ name: "body", required: true, description: "The tide." }),
    ]);
    expect(requestOf(one).body).toEqual({ as: "json", parameter: "body" });
  });

  it("a body stays a single parameter with an unused name if a field has the name of another parameter", async () => {
    const one = await capabilityOf(
      {
        parameters: [
          { name: "body", in: "query", schema: string },
          { name: "height", in: "query", schema: string },
        ],
        requestBody: { content: json(tide) },
      },
      { method: "put" },
    );
    expect(one.parameters.map(({ name }) => name)).toEqual(["body", "height", "request-body"]);
    expect(requestOf(one).body).toEqual({ as: "json", parameter: "request-body" });
    expect(matchesSchema(parameter(one, "request-body"), { height: "high" })).toBe(false);
  });

  it("a required body without fields is an empty object, and an optional one is omitted", async () => {
    const none = { type: "object", properties: {} };
    expect(requestOf(await posting(json(none))).body).toEqual({ as: "json", fields: {} });
    expect(requestOf(await posting(json(none), { required: false }))).not.toHaveProperty("body");
  });

  it("a body in the components is found by its reference", async () => {
    const components = { requestBodies: { Tide: { required: true, content: json(tide) } } };
    const requestBody = { $ref: "#/components/requestBodies/Tide" };
    const one = await capabilityOf({ requestBody }, { method: "delete", components });
    expect(requestOf(one)).toEqual({
      method: "DELETE",
      path: "/",
      body: { as: "json", fields: { height: "height" } },
    });
  });
});

describe("the fields of a form", () => {
  const FORM = "application/x-www-form-urlencoded";
  const PARTS = "multipart/form-data";

  async function formOf(type: string, properties: JsonObject, more: JsonObject = {}) {
    const { encoding, ...surroundings } = more;
    const media = { schema: { type: "object", properties }, encoding: encoding ?? {} };
    return requestOf(await posting({ [type]: media }, {}, surroundings)).body;
  }

  it.each<[JsonObject, unknown]>([
    [{}, undefined],
    [
      { style: "deepObject", explode: true },
      { style: "deepObject", explode: true },
    ],
    [{ style: "form" }, { style: "form" }],
    [{ explode: false }, { explode: false }],
    [{ contentType: "application/json; charset=utf-8" }, { style: "json" }],
    [{ contentType: "application/json", style: "deepObject" }, { style: "deepObject" }],
    [{ contentType: "text/plain", headers: {}, style: "curly", explode: "yes" }, undefined],
  ])("form fields with the encoding %j have the style %j", async (given, style) => {
    // The upgrader from OpenAPI 3.0 treats any key named `example` as an example.
    for (const openapi of ["3.1.0", "3.0.3"]) {
      const encoding = { example: given, gone: { style: "form" } };
      const body = await formOf(FORM, { example: string }, { encoding, openapi });
      const styles = style === undefined ? {} : { styles: { example: style } };
      expect(body).toEqual({ as: "form", fields: { example: "example" }, ...styles });
    }
  });

  it("form fields keep their styles if the body stays a single parameter", async () => {
    const schema = { type: "object", additionalProperties: { type: "array", items: string } };
    const one = await posting({ [FORM]: { schema, encoding: { tags: { explode: false } } } });
    expect(requestOf(one).body).toEqual({
      as: "form",
      parameter: "body",
      styles: { tags: { explode: false } },
    });
  });

  const anyFile = { encoding: "text", contentType: "application/octet-stream" };
  const base64 = { encoding: "base64", contentType: "application/octet-stream" };
  const image = { contentType: "image/png, image/jpeg" };

  it.each<[JsonObject, JsonObject, unknown]>([
    [string, {}, undefined],
    [string, { contentType: "text/plain" }, undefined],
    [{ type: "object", properties: { a: { format: "binary" } } }, {}, undefined],
    [{ ...string, format: "binary" }, {}, anyFile],
    [
      { ...string, format: "binary" },
      { ...image, style: "form" },
      { ...anyFile, contentType: "image/png" },
    ],
    [string, image, { ...anyFile, contentType: "image/png" }],
    [{ ...string, format: "binary" }, { contentType: "*/*" }, anyFile],
    [{ ...string, contentEncoding: "base64" }, {}, base64],
    [
      { ...string, contentEncoding: "base64", contentMediaType: "image/png" },
      {},
      { ...base64, contentType: "image/png" },
    ],
    [{ type: "array", items: { $ref: "#/components/schemas/File" } }, {}, anyFile],
    [{ anyOf: [{ $ref: "#/components/schemas/File" }, { type: "null" }] }, {}, anyFile],
  ])(
    "multipart fields with the schema %j and the encoding %j are the file %j",
    async (schema, encoding, file) => {
      const components = { schemas: { File: { ...string, format: "binary" } } };
      const body = await formOf(PARTS, { f: schema }, { encoding: { f: encoding }, components });
      const files = file === undefined ? {} : { files: { f: file } };
      expect(body).toEqual({ as: "multipart", fields: { f: "f" }, ...files });
      expect(await formOf(FORM, { f: schema }, { components })).not.toHaveProperty("files");
    },
  );

  it("multipart fields are files in OpenAPI 3.0 as well", async () => {
    const properties = { f: { ...string, format: "binary" }, g: { ...string, format: "byte" } };
    const body = await formOf(PARTS, properties, { openapi: "3.0.3" });
    expect(body).toMatchObject({ files: { f: anyFile, g: base64 } });
  });

  it("the search for files in a form ends for schemas that refer to each other many times", async () => {
    const refs = (name: string) =>
      Array.from({ length: 100 }, () => ({ $ref: `#/components/schemas/${name}` }));
    const schemas: JsonObject = { S0: string };
    for (let n = 1; n <= 20; n += 1) schemas[`S${n}`] = { anyOf: refs(`S${n - 1}`) };
    const components = { schemas };
    const body = await formOf(PARTS, { f: { anyOf: refs("S20") } }, { components });
    expect(body).toMatchObject({ as: "multipart" });
  });
});
