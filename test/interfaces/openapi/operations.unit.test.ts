import { describe, expect, it } from "vitest";
import * as z from "zod";
import { buildOpenApiDocument } from "../../../src/interfaces/openapi/document.ts";
import type { ApiOperation } from "../../../src/interfaces/openapi/api-operation.ts";
import type { ApiRoute } from "../../../src/interfaces/openapi/api-route.ts";

const ROUTE: ApiRoute = {
  method: "POST",
  path: "/things/:id",
  inputs: {
    scope: "tools:read",
    query: z.object({ deep: z.string().optional() }),
    body: z.strictObject({
      name: z.string(),
      parts: z.array(z.strictObject({ size: z.number() })).optional(),
      labels: z.record(z.string(), z.strictObject({ colour: z.string() })).optional(),
      choice: z
        .union([z.strictObject({ one: z.string() }), z.strictObject({ other: z.string() })])
        .optional(),
    }),
  },
};

const WHOLE: ApiOperation = {
  operationId: "makeThing",
  tag: "Tools",
  summary: "Make a thing",
  description: "Makes a thing.",
  parameters: { id: { description: "Which." }, deep: { description: "How deep." } },
  fields: {
    name: "Its name.",
    parts: "Its parts.",
    "parts[].size": "The size of one.",
    labels: "What hangs on it.",
    "labels.*.colour": "The colour of one.",
    choice: "One or the other.",
    "choice.one": "The one.",
    "choice.other": "The other.",
  },
  responses: [{ status: 200, description: "Made." }],
  errorCodes: [],
};

function problemsOf(operation: Partial<ApiOperation>): readonly string[] {
  return buildOpenApiDocument([ROUTE], { "POST /things/:id": { ...WHOLE, ...operation } }, "1.0.0")
    .problems;
}

describe("problems in the tables of operations", () => {
  it("a completely described operation has no problem", () => {
    expect(problemsOf({})).toEqual([]);
  });

  it("a route without an operation and an operation without a route are reported", () => {
    const { problems } = buildOpenApiDocument([ROUTE], { "GET /things": WHOLE }, "1.0.0");
    expect(problems).toEqual([
      "POST /things/:id is not documented",
      "GET /things is documented and is no route",
    ]);
  });

  it("a parameter without a description and a description without a parameter are reported", () => {
    const parameters = { id: { description: "Which." }, wide: { description: "How wide." } };
    expect(problemsOf({ parameters })).toEqual([
      "POST /things/:id: wide is no parameter",
      "POST /things/:id: deep has no description",
    ]);
  });

  it.each(Object.keys(WHOLE.fields ?? {}))(
    "the field %s without a description is reported",
    (path) => {
      const fields = Object.entries(WHOLE.fields ?? {}).filter(([name]) => name !== path);
      expect(problemsOf({ fields: Object.fromEntries(fields) })).toEqual([
        `POST /things/:id: ${path} has no description`,
      ]);
    },
  );

  it.each(["nome", "parts.size", "labels.colour", "choice.third", "name.first"])(
    "a description of %s, which is no field, is reported",
    (path) => {
      expect(problemsOf({ fields: { ...WHOLE.fields, [path]: "What?" } })).toEqual([
        `POST /things/:id: ${path} is described and is no field`,
      ]);
    },
  );
});
