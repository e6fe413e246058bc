import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toApiRoute } from "../../../src/interfaces/openapi/api-route.ts";
import { buildOpenApiDocument } from "../../../src/interfaces/openapi/document.ts";
import { listUndescribed } from "./undescribed.ts";

const FIELDS = ["name", "parts", "parts[].size", "labels", "labels.*.colour", "choice.other"];

/**
 * The problems of an operation in which only the fields and parameters in `omitted` lack a
 * description.
 */
function problemsOf(omitted: readonly string[]): readonly string[] {
  const describeField = <Schema extends z.ZodType>(path: string, schema: Schema) =>
    omitted.includes(path) ? schema : schema.describe(`The meaning of ${path}.`);
  const part = z.strictObject({ size: describeField("parts[].size", z.number()) });
  const label = z.strictObject({ colour: describeField("labels.*.colour", z.string()) });
  const other = z.strictObject({ other: describeField("choice.other", z.string()) });
  const route = toApiRoute("POST", "/things/:id", {
    operationId: "makeThing",
    tag: "Tools",
    summary: "Make a thing",
    description: "Makes a thing.",
    scope: "tools:read",
    parameters: { id: "Which." },
    query: z.object({ deep: describeField("deep", z.string().optional()) }),
    body: z.strictObject({
      name: describeField("name", z.string()),
      parts: describeField("parts", z.array(part).optional()),
      labels: describeField("labels", z.record(z.string(), label).optional()),
      choice: z.union([z.string(), other]).optional().describe("One or the other."),
    }),
    responses: [{ status: 200, description: "Made." }],
  });
  return listUndescribed(buildOpenApiDocument([route], "1.0.0"), [route]);
}

describe("problems in the definitions of routes", () => {
  it("a completely described operation has no problems", () => {
    expect(problemsOf([])).toEqual([]);
  });

  it.each(["deep", ...FIELDS])("%s without a description is reported", (path) => {
    expect(problemsOf([path])).toEqual([`POST /things/:id: ${path} has no description`]);
  });
});
