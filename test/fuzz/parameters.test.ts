import fc, { type Arbitrary } from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Parameter, ParameterType } from "../../src/tools/model/capability.ts";
import { BUILTIN_TOOLS } from "../../src/builtin/tools/definitions.ts";
import { registerTools } from "../support/catalogue.ts";
import { post } from "../support/client.ts";
import { stopClock } from "../support/tasks.ts";
import { json, text } from "./request-generator.ts";
import { expectValidResponse } from "./invariants.ts";

const SEED = 20_260_803;

const CAPABILITIES = BUILTIN_TOOLS.flatMap(({ id, capabilities }) =>
  capabilities.map((capability) => ({ toolId: id, capability: capability.id, ...capability })),
);

/** Documents in the formats that the tools read, complete or truncated. */
const DOCUMENTS = [
  "a,b\n1,2\n3,4\n5,\n",
  "day,n\n2025-01-01,1\n2025-01-02,x\n",
  'a;b\n"1;2";\n',
  '{"a":[1,{"b":null}]}',
  "- a: 1\n- b: &x [1, *x]\n",
  "<a><b c='1'>t</b><b/></a>",
  "# Title\n\n- [x](javascript:alert(1)) *a*\n",
  "{{ name | upcase }}{% for i in (1..3) %}{{ i }}{% endfor %}",
  "The harbour was rebuilt. Fire had taken it. Merchants paid.",
  "$..*",
  "csv",
  "json",
  "a",
  "b",
];

const VALUES: Readonly<Record<ParameterType, Arbitrary<string>>> = {
  string: fc.oneof(fc.constantFrom(...DOCUMENTS), text).map((value) => JSON.stringify(value)),
  number: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map(String),
  boolean: fc.boolean().map(String),
  array: fc
    .array(fc.oneof(fc.constantFrom('{"a":1,"b":"x"}', '{"a":2.5,"b":"y"}', '"a"', "3"), json), {
      maxLength: 6,
    })
    .map((items) => `[${items.join(",")}]`),
  object: fc
    .dictionary(fc.constantFrom("type", "properties", "items", "name", "a", "$ref"), json, {
      maxKeys: 4,
    })
    .map(
      (value) =>
        `{${Object.entries(value)
          .map(([key, inner]) => `"${key}":${inner}`)
          .join(",")}}`,
    ),
};

/**
 * JSON with a value of the right type for each parameter of a capability, and arbitrary content.
 */
function parametersOf(parameters: readonly Parameter[]): Arbitrary<string> {
  const fields = parameters.map(({ name, type, required }) =>
    (required ? VALUES[type] : fc.option(VALUES[type])).map((value) =>
      value === null ? [] : [`${JSON.stringify(name)}:${value}`],
    ),
  );
  return fc.tuple(...fields).map((written) => `{${written.flat().join(",")}}`);
}

describe("arbitrary parameters of the right types", () => {
  beforeAll(async () => {
    stopClock();
    const rateLimit = { requests: 1_000_000, period: "hour" } as const;
    await registerTools(...BUILTIN_TOOLS.map((tool) => ({ ...tool, rateLimit })));
  });

  it.each(CAPABILITIES)(
    "$toolId · $capability accepts arbitrary parameters of the right types or rejects them with their path",
    { timeout: 60_000 },
    async ({ toolId, capability, parameters }) => {
      await fc.assert(
        fc.asyncProperty(parametersOf(parameters), async (values) => {
          const body = `{"capability":"${capability}","parameters":${values}}`;
          const answer = await post(`/agents/tools/${toolId}/invoke`, body);
          expectValidResponse(answer);
          expect([200, 400]).toContain(answer.status);
          for (const { path } of answer.body.error?.details ?? []) {
            expect(path).toMatch(/^parameters\b/);
          }
        }),
        { seed: SEED, numRuns: 60 },
      );
    },
  );
});
