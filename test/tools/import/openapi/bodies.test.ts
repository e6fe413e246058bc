import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/domain/json.ts";
import { capabilityOf, document, draftOf, fits, parameter, requestOf } from "./reading.ts";

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

  it.each(kinds)("of %j is written as %s", async (types, as, contentType) => {
    const one = await posting(Object.fromEntries(types.map((type) => [type, { schema: tide }])));
    expect(requestOf(one).body).toEqual({ as, fields: { height: "height" } });
    const header =
      contentType === undefined ? undefined : { "Content-Type": { value: contentType } };
    expect(requestOf(one).headers).toEqual(header);
  });

  it("of plain text takes one text", async () => {
    const one = await posting({ "text/plain": { schema: string } });
    expect(requestOf(one).body).toEqual({ as: "text", parameter: "body" });
    expect(parameter(one, "body")).toMatchObject({ type: "string", required: true });
  });

  it("that the service cannot write costs the operation when the body is required", async () => {
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
      "Left out, as it requires a body of application/xml, application/pdf: post-a.",
      "Offered without a body of application/xml, application/pdf: post-b.",
      "Left out, as it requires a body, which GET requests do not have: get-c.",
      "Offered without the body of a GET request: get-d.",
    ]);
  });
});

describe("the fields of a body", () => {
  it("are parameters, required as the schema has it when the body is", async () => {
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

  it("come together from references and allOf", async () => {
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

  it("that only answers have are left out, wherever it is said", async () => {
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

  it("of which one at least is required are told in the description", async () => {
    const schema = { ...tide, anyOf: [{ required: ["height"] }, { required: ["a", "b"] }] };
    const one = await posting(json(schema), {});
    expect(one.description).toBe("Needs at least one of: height, a with b.");
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

  it.each(WHOLE)("stay together when the body is %s", async (_, schema) => {
    const one = await posting(json(schema), { description: "The tide." });
    expect(one.parameters).toEqual([
      expect.objectContaining({ name: "body", required: true, description: "The tide." }),
    ]);
    expect(requestOf(one).body).toEqual({ as: "json", parameter: "body" });
  });

  it("stay together when one is called like another parameter, under a free name", async () => {
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
    expect(fits(parameter(one, "request-body"), { height: "high" })).toBe(false);
  });

  it("none at all is an empty object when the body is required, and no body when not", async () => {
    const none = { type: "object", properties: {} };
    expect(requestOf(await posting(json(none))).body).toEqual({ as: "json", fields: {} });
    expect(requestOf(await posting(json(none), { required: false }))).not.toHaveProperty("body");
  });

  it("a body that is described elsewhere is followed", async () => {
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
