import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "../../support/client.ts";
import { stopClock } from "../../support/tasks.ts";
import { boundsOf, type Bound } from "./bounds.ts";
import { OPERATIONS, type Schema } from "./operations.ts";
import { isolateNetwork } from "./third-parties.ts";
import { isSemanticProblem, type Problem } from "./semantic-problems.ts";

/** Operations with request bodies, except JSON-RPC, which has its own error format. */
const WITH_BODIES = OPERATIONS.filter(
  ({ path, body }) => path.startsWith("/agents") && body?.mediaType === "application/json",
);

let sent = 0;
let taken = 0;

beforeAll(() => {
  stopClock();
  return isolateNetwork();
});

afterAll(() => {
  console.log(
    `${sent} values at the bounds of the document's schemas, and one past them; ${taken} accepted`,
  );
});

/** The JSON Schema and OpenAPI keywords that the value generators support. */
const KNOWN = new Set(
  `type enum const format pattern minLength maxLength minimum maximum minItems maxItems items minProperties maxProperties
   properties required additionalProperties propertyNames anyOf oneOf discriminator
   default description examples`.split(/\s+/),
);

function keywordsOf(schema: Schema): string[] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema;
  const parts = [items, additionalProperties, ...anyOf, ...oneOf, ...Object.values(properties)];
  return [
    ...Object.keys(schema),
    ...parts.flatMap((part) => (typeof part === "object" ? keywordsOf(part) : [])),
  ];
}

/**
 * Returns the problems in a response. A value counts as accepted if the request fails only because
 * of a missing resource or a conflict.
 */
async function problemsOf(method: string, path: string, { body }: Bound): Promise<Problem[]> {
  sent += 1;
  // The resources named in the path and the body need not exist.
  const target = path.replaceAll(/\{\w+\}/g, "none");
  const headers = { "Content-Type": "application/json" };
  const answer = await send(method, target, JSON.stringify(body), { headers });
  expect(answer.status, answer.text).toBeLessThan(500);
  if (answer.body.error?.code === "VALIDATION_ERROR") return answer.body.error.details;
  if (answer.status < 300 || [404, 409].includes(answer.status)) return [];
  // The resource that a sign-in names is a key.
  if (path === "/agents/sessions" && answer.status === 401) return [];
  return [{ path: "", message: answer.text }];
}

/**
 * Unions without a discriminator. Their problems are reported for the union, not for one of its
 * fields.
 */
const UNIONS = /^(?:only|capabilities\[\d+\]\.request\.body)$/;

/** Whether a problem is reported for this path or for the union that contains it. */
function isAt(problem: string, path: string): boolean {
  return problem === path || (UNIONS.test(problem) && path.startsWith(`${problem}.`));
}

describe("the bounds of the request schemas", () => {
  it.each(WITH_BODIES)(
    "$method $path accepts values within the bounds of its schema and rejects out-of-bounds values with their path",
    { timeout: 60_000 },
    async ({ id, method, path, body }) => {
      const bounds = boundsOf(body?.schema ?? {});
      const wrong: string[] = [];
      for (const bound of bounds) {
        const problems = await problemsOf(method, path, bound);
        if (bound.isWithin && problems.length === 0) taken += 1;
        const others = problems.filter((problem) => !isSemanticProblem(id, problem));
        if (bound.isWithin && others.length > 0) {
          wrong.push(`${bound.path}: rejected ${bound.what} ${JSON.stringify(others)}`);
        }
        if (!bound.isWithin && !problems.some((one) => isAt(one.path, bound.path))) {
          wrong.push(`${bound.path}: accepted ${bound.what} ${JSON.stringify(problems)}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  it("every keyword in the schemas is known to the value generators", () => {
    const unknown = OPERATIONS.flatMap(({ id, body, parameters }) =>
      [...parameters.map(({ schema }) => schema), ...(body === null ? [] : [body.schema])]
        .flatMap(keywordsOf)
        .filter((word) => !KNOWN.has(word))
        .map((word) => `${id}: ${word}`),
    );
    expect(unknown).toEqual([]);
  });

  it("the tests send enough values, and enough of the values are accepted", () => {
    expect(sent).toBeGreaterThan(1_500);
    expect(taken).toBeGreaterThan(250);
  });
});
