import { describe, expect, it } from "vitest";
import type { HttpMethod, MappedBody } from "../../../src/domain/connector.ts";
import type { JsonObject } from "../../../src/domain/json.ts";
import { bodyOf } from "../../../src/tools/connectors/http/body.ts";

const FIELDS = { name: "name", "tags.all": "tags" };

async function body(mapped: MappedBody, given: JsonObject, method: HttpMethod = "POST") {
  const made = await bodyOf({ method, path: "/", body: mapped }, given);
  if (!made.ok) return made.failure;
  const { content, contentType } = made.value ?? {};
  return made.value === null ? null : [content, contentType];
}

describe("a body", () => {
  it.each<[MappedBody, JsonObject, unknown]>([
    [
      { as: "json", fields: FIELDS },
      { name: "a", tags: null },
      ['{"name":"a","tags.all":null}', "application/json"],
    ],
    [{ as: "json", fields: FIELDS }, { other: 1 }, ["{}", "application/json"]],
    [
      { as: "json", parameter: "p" },
      { p: [1, { a: null }] },
      ['[1,{"a":null}]', "application/json"],
    ],
    [{ as: "json", parameter: "p" }, { p: null }, ["null", "application/json"]],
    [{ as: "json", parameter: "p" }, {}, null],
    [{ as: "json", parameter: "constructor" }, {}, null],
    [
      { as: "form", fields: FIELDS },
      { name: "a b&c", tags: ["x", { y: true }] },
      [
        "name=a+b%26c&tags.all%5B0%5D=x&tags.all%5B1%5D%5By%5D=true",
        "application/x-www-form-urlencoded",
      ],
    ],
    [{ as: "form", parameter: "p" }, { p: { a: 1 } }, ["a=1", "application/x-www-form-urlencoded"]],
    [{ as: "form", fields: FIELDS }, {}, null],
    [{ as: "multipart", fields: FIELDS }, {}, null],
    [{ as: "text", parameter: "p" }, { p: "å\n" }, ["å\n", "text/plain;charset=UTF-8"]],
    [{ as: "text", parameter: "p" }, { p: { a: 1 } }, ['{"a":1}', "text/plain;charset=UTF-8"]],
    [{ as: "text", parameter: "p" }, { p: null }, null],
  ])("of %j with %j is %j", async (mapped, given, expected) => {
    expect(await body(mapped, given)).toEqual(expected);
  });

  it("is never part of GET and HEAD, and of DELETE only when there is something in it", async () => {
    const json: MappedBody = { as: "json", fields: FIELDS };
    expect(await body(json, { name: "a" }, "GET")).toBeNull();
    expect(await body(json, { name: "a" }, "HEAD")).toBeNull();
    expect(await body(json, {}, "DELETE")).toBeNull();
    expect(await body(json, { name: "a" }, "DELETE")).toEqual(['{"name":"a"}', "application/json"]);
  });

  it.each(["form", "multipart"] as const)("as %s must be an object", async (as) => {
    for (const p of [[1], "a=1", 5]) {
      const [problem] = Object(await body({ as, parameter: "p" }, { p }));
      expect(problem).toMatchObject({
        path: "p",
        message: expect.stringMatching(/must be an obj/),
      });
    }
  });

  it("as a form names the parameter that holds too much", async () => {
    const given = { name: "a", tags: Array(200_000).fill(1) };
    expect(await body({ as: "form", fields: FIELDS }, given)).toEqual([
      { path: "tags", message: "must hold at most 10000 values when it is sent as a form" },
    ]);
  });
});
