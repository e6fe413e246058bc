import { describe, expect, it } from "vitest";
import type { FieldStyle, HttpMethod, BodyMapping } from "../../../../src/tools/model/connector.ts";
import type { Json, JsonObject } from "../../../../src/kernel/json.ts";
import { buildToolRequestBody } from "../../../../src/tools/connectors/http/request-body.ts";

const FIELDS = { name: "name", "tags.all": "tags" };

async function body(mapped: BodyMapping, given: JsonObject, method: HttpMethod = "POST") {
  const made = await buildToolRequestBody({ method, path: "/", body: mapped }, given);
  if (!made.ok) return made.failure;
  const { content, contentType } = made.value ?? {};
  return made.value === null ? null : [content, contentType];
}

describe("a request body", () => {
  it.each<[BodyMapping, JsonObject, unknown]>([
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
    [{ as: "form", parameter: "p" }, { p: { a: 1 } }, ["a=1", "application/x-www-form-urlencoded"]],
    [{ as: "form", fields: FIELDS }, {}, null],
    [{ as: "multipart", fields: FIELDS }, {}, null],
    [{ as: "text", parameter: "p" }, { p: "å\n" }, ["å\n", "text/plain;charset=UTF-8"]],
    [{ as: "text", parameter: "p" }, { p: { a: 1 } }, ['{"a":1}', "text/plain;charset=UTF-8"]],
    [{ as: "text", parameter: "p" }, { p: null }, null],
  ])("the body mapped by %j from %j is %j", async (mapped, given, expected) => {
    expect(await body(mapped, given)).toEqual(expected);
  });

  it("GET and HEAD have no body, and DELETE has one only if it is not empty", async () => {
    const json: BodyMapping = { as: "json", fields: FIELDS };
    expect(await body(json, { name: "a" }, "GET")).toBeNull();
    expect(await body(json, { name: "a" }, "HEAD")).toBeNull();
    expect(await body(json, {}, "DELETE")).toBeNull();
    expect(await body(json, { name: "a" }, "DELETE")).toEqual(['{"name":"a"}', "application/json"]);
  });

  it.each(["form", "multipart"] as const)(
    "the single parameter of a body sent as %s must be an object",
    async (as) => {
      for (const p of [[1], "a=1", 5]) {
        const [problem] = Object(await body({ as, parameter: "p" }, { p }));
        expect(problem).toMatchObject({
          path: "p",
          message: expect.stringMatching(/must be an obj/),
        });
      }
    },
  );

  it.each<[FieldStyle | null, Json, string]>([
    [null, ["x", "y z", null, 5], "f=x&f=y+z&f=5"],
    [null, ["x", { y: true }], "f[0]=x&f[1][y]=true"],
    [null, { a: { b: ["c"] }, d: null }, "f[a][b][0]=c"],
    [null, "50% + 1 & %20", "f=50%25+%2B+1+%26+%2520"],
    [null, [], ""],
    [null, null, ""],
    [{ style: "deepObject", explode: true }, ["x", "y"], "f[0]=x&f[1]=y"],
    [{ style: "deepObject" }, 5, "f=5"],
    [{ explode: true }, { a: 1, b: "c" }, "a=1&b=c"],
    [{ explode: false }, ["x,y", "z"], "f=x%2Cy,z"],
    [{ explode: false }, { a: 1, b: 2 }, "f=a,1,b,2"],
    [{ style: "spaceDelimited" }, ["x", "y"], "f=x+y"],
    [{ style: "pipeDelimited" }, ["x", "y"], "f=x%7Cy"],
    [{ style: "pipeDelimited", explode: true }, ["x", "y"], "f=x&f=y"],
    [{ style: "json" }, ["x", 1], "f=%5B%22x%22%2C1%5D"],
  ])(
    "a form field with the style %j and the value %j is serialised as %s",
    async (style, p, text) => {
      const styles = style === null ? {} : { styles: { f: style } };
      const byField = await body({ as: "form", fields: { f: "p" }, ...styles }, { p });
      const brackets = text.replaceAll("[", "%5B").replaceAll("]", "%5D");
      expect(byField).toEqual([brackets, "application/x-www-form-urlencoded"]);
      expect(await body({ as: "form", parameter: "q", ...styles }, { q: { f: p } })).toEqual(
        byField,
      );
    },
  );

  it("a form may have fields named like JavaScript's own properties", async () => {
    const fields = { constructor: "p", toString: "p" };
    const [content] = Object(await body({ as: "form", fields, styles: {} }, { p: ["x"] }));
    expect(content).toBe("constructor=x&toString=x");
  });

  describe("a multipart body", () => {
    async function parts(forms: Partial<BodyMapping>, p: Json): Promise<unknown> {
      const mapped: BodyMapping = { as: "multipart", fields: { f: "p" }, ...forms };
      const made = await body(mapped, { p });
      const [form] = Object(made);
      if (!(form instanceof FormData)) return made;
      const described = [...form].map(async ([name, part]) =>
        part instanceof File ? [name, part.name, part.type, await part.text()] : [name, part],
      );
      return Promise.all(described);
    }
    const png = { f: { encoding: "base64", contentType: "image/png" } } as const;
    const csv = { f: { encoding: "text", contentType: "text/csv" } } as const;

    it("a multipart body repeats a list's field, and serialises nested values as JSON", async () => {
      expect(await parts({}, ["x", 1, null, { y: 1 }])).toEqual([
        ["f", "x"],
        ["f", "1"],
        ["f", "blob", "application/json", '{"y":1}'],
      ]);
    });

    it("a multipart body uses each field's style", async () => {
      expect(
        await parts({ styles: { f: { style: "deepObject" } } }, ["x", { y: "a&b+c" }]),
      ).toEqual([
        ["f[0]", "x"],
        ["f[1][y]", "a&b+c"],
      ]);
      expect(await parts({ styles: { f: { style: "json" } } }, ["x"])).toEqual([
        ["f", "blob", "application/json", '["x"]'],
      ]);
    });

    it("files are sent as text or decoded from base64, and each file in a list is sent separately", async () => {
      expect(await parts({ files: csv }, "å,b")).toEqual([["f", "f", "text/csv", "å,b"]]);
      expect(await parts({ files: png }, [btoa("one"), btoa("two")])).toEqual([
        ["f", "f", "image/png", "one"],
        ["f", "f", "image/png", "two"],
      ]);
      const bytes = await body(
        { as: "multipart", parameter: "p", files: png },
        { p: { f: "/wD+" } },
      );
      const file = Object(bytes)[0].get("f");
      expect([...new Uint8Array(await file.arrayBuffer())]).toEqual([255, 0, 254]);
    });

    it("a file that is not base64 and a field with too many values are rejected by parameter", async () => {
      const message = "must be base64, because it is sent as a file";
      expect(await parts({ files: png }, "no base64!")).toEqual([{ path: "p", message }]);
      const whole: BodyMapping = { as: "multipart", parameter: "p", files: png };
      expect(await body(whole, { p: { f: "%" } })).toEqual([{ path: "p.f", message }]);
      const styles = { f: { style: "deepObject" } } as const;
      expect(await parts({ styles }, Array(20_000).fill(1))).toMatchObject([{ path: "p" }]);
    });
  });

  it("a form field with too many values is rejected by parameter", async () => {
    const given = { name: "a", tags: Array(200_000).fill(1) };
    expect(await body({ as: "form", fields: FIELDS }, given)).toEqual([
      { path: "tags", message: "must have at most 10000 values, including nested ones" },
    ]);
  });
});
