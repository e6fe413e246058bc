import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CONDITION_COMPARISONS_MAX,
  CONDITION_DEPTH_MAX,
  CONDITION_VALUES_MAX,
} from "../../src/governance/limits.ts";
import { evaluateCondition, type ConditionInput } from "../../src/governance/model/condition.ts";
import { findContradiction } from "../../src/governance/model/contradiction.ts";
import { parseCondition } from "../../src/governance/model/parse-condition.ts";
import type { Json, JsonObject, JsonScalar } from "../../src/kernel/json.ts";
import { ok, type Result } from "../../src/kernel/result.ts";

function inputOf(parameters: JsonObject, more: Partial<ConditionInput> = {}): ConditionInput {
  return { parameters, agentId: null, estimatedCost: 0, ...more };
}

const parse = (source: Json) => parseCondition(source, () => null);

function evaluate(source: Json, input: ConditionInput): Result<boolean, string> {
  const condition = parse(source);
  if (!condition.ok) throw new Error(JSON.stringify(condition.failure));
  return evaluateCondition(condition.value, input, (text, pattern) =>
    ok(new RegExp(pattern).test(text)),
  );
}

describe("a condition of a policy", () => {
  it.each<[Json, JsonObject, boolean]>([
    [{ "parameters.amount": { gt: 50_000 } }, { amount: 50_001 }, true],
    [{ "parameters.amount": { gt: 50_000 } }, { amount: 50_000 }, false],
    [{ "parameters.amount": { gte: 1, lte: 2 } }, { amount: 2 }, true],
    [{ "parameters.amount": { lt: 1 } }, {}, false],
    [{ "parameters.to": { eq: "x" } }, { to: "x" }, true],
    [{ "parameters.to": { eq: 1 } }, { to: null }, false],
    [{ "parameters.filter.amount": { gt: 1 } }, { "filter.amount": 9 }, true],
    [{ "parameters.filter.a.b": { eq: 1 } }, { filter: { "a.b": 1 } }, true],
    [{ "parameters.to": { ne: "x" } }, {}, true],
    [{ "parameters.to": { in: ["x", null] } }, { to: null }, true],
    [{ "parameters.to": { notIn: ["x"] } }, { to: "x" }, false],
    [{ "parameters.to": { startsWith: "DE" } }, { to: "DE12" }, true],
    [{ "parameters.to": { matches: "^D.1" } }, { to: "DE12" }, true],
    [{ "parameters.to": { exists: true } }, { to: "" }, true],
    [{ "parameters.to": { exists: false } }, { to: null }, true],
    [
      { "parameters.order.items.1.price": { gt: 5 } },
      { order: { items: [{}, { price: 6 }] } },
      true,
    ],
    [{ "parameters.order.toString": { exists: true } }, { order: {} }, false],
    [{ and: [{ "parameters.a": { eq: 1 } }, { "parameters.b": { eq: 2 } }] }, { a: 1, b: 2 }, true],
    [{ or: [{ "parameters.a": { eq: 1 } }, { "parameters.b": { eq: 2 } }] }, { b: 2 }, true],
    [{ not: { "parameters.a": { eq: 1 } } }, { a: 1 }, false],
    [{ "parameters.a": { eq: 1 }, "parameters.b": { eq: 2 } }, { a: 1 }, false],
  ])("%j with the parameters %j is %s", (source, parameters, expected) => {
    expect(evaluate(source, inputOf(parameters))).toEqual(ok(expected));
  });

  it("the agent and the estimated cost of the call can be compared", () => {
    const source = { agentId: { eq: "ada" }, estimatedCost: { gte: 0.5 } };
    expect(evaluate(source, inputOf({}, { agentId: "ada", estimatedCost: 0.5 }))).toEqual(ok(true));
    expect(evaluate({ agentId: { exists: true } }, inputOf({}))).toEqual(ok(false));
  });

  it.each<[Json, JsonObject]>([
    [{ "parameters.amount": { gt: 5 } }, { amount: "60000" }],
    [{ "parameters.amount": { lte: 5 } }, { amount: null }],
    [{ "parameters.to": { startsWith: "x" } }, { to: 5 }],
    [{ "parameters.to": { eq: 5 } }, { to: "5" }],
    [{ "parameters.to": { notIn: ["x"] } }, { to: ["x"] }],
    [{ "parameters.to": { ne: "x" } }, { to: {} }],
    [{ "parameters.to": { matches: "x" } }, { to: ["x"] }],
    [{ or: [{ "parameters.a": { eq: 1 } }, { "parameters.b": { gt: 1 } }] }, { a: 1, b: "2" }],
    [{ not: { "parameters.b": { gt: 1 } } }, { b: "2" }],
  ])("%j cannot be evaluated for %j", (source, parameters) => {
    expect(evaluate(source, inputOf(parameters))).toMatchObject({
      ok: false,
      failure: expect.stringMatching(
        / must be (a number|a string|of the same type as the value) for the operator /,
      ),
    });
  });

  it.each<[Json, string]>([
    [{}, "when"],
    [[], "when"],
    [{ amount: { gt: 5 } }, "when.amount"],
    [{ parameters: { gt: 5 } }, "when.parameters"],
    [{ "parameters..a": { gt: 5 } }, "when.parameters..a"],
    [{ "parameters.a": 5 }, "when.parameters.a"],
    [{ "parameters.a": {} }, "when.parameters.a"],
    [{ "parameters.a": { above: 5 } }, "when.parameters.a.above"],
    [{ "parameters.a": { gt: "5" } }, "when.parameters.a.gt"],
    [{ "parameters.a": { exists: 1 } }, "when.parameters.a.exists"],
    [{ "parameters.a": { in: [] } }, "when.parameters.a.in"],
    [{ "parameters.a": { in: [{}] } }, "when.parameters.a.in"],
    [{ "parameters.a": { eq: {} } }, "when.parameters.a.eq"],
    [{ "parameters.a": { startsWith: "" } }, "when.parameters.a.startsWith"],
    [{ "parameters.a": { eq: "x".repeat(501) } }, "when.parameters.a.eq"],
    [{ "parameters.a": { in: Array(CONDITION_VALUES_MAX + 1).fill(1) } }, "when.parameters.a.in"],
    [{ agentId: { gt: 5 } }, "when.agentId.gt"],
    [{ agentId: { in: ["a", 5] } }, "when.agentId.in"],
    [{ estimatedCost: { startsWith: "x" } }, "when.estimatedCost.startsWith"],
    [{ and: [] }, "when.and"],
    [{ or: {} }, "when.or"],
    [{ not: [] }, "when.not"],
    [{ or: [{ "parameters.a": { eq: 1 } }, { x: 1 }] }, "when.or[1].x"],
  ])("%j is invalid at %s", (source, path) => {
    const parsed = parse(source);
    expect(parsed).toMatchObject({ ok: false });
    if (!parsed.ok) expect(parsed.failure.map((problem) => problem.path)).toContain(path);
  });

  it("a condition that is too deep, has too many comparisons or has an invalid pattern is rejected", () => {
    let deep: Json = { "parameters.a": { eq: 1 } };
    for (let depth = 1; depth < CONDITION_DEPTH_MAX; depth += 1) deep = { not: deep };
    expect(parse(deep).ok).toBe(true);
    expect(parse({ not: deep }).ok).toBe(false);
    const many = (length: number): Json => ({
      or: Array.from({ length }, (_, index) => ({ "parameters.a": { eq: index } })),
    });
    expect(parse(many(CONDITION_COMPARISONS_MAX)).ok).toBe(true);
    expect(parse(many(CONDITION_COMPARISONS_MAX + 1)).ok).toBe(false);
    expect(parseCondition({ "parameters.a": { matches: "(" } }, () => "is wrong")).toEqual({
      ok: false,
      failure: [{ path: "when.parameters.a.matches", message: "is wrong" }],
    });
  });

  it.each<[Json, boolean]>([
    [{ "parameters.a": { gt: 5, lt: 5 } }, true],
    [{ "parameters.a": { gt: 5, lte: 5 } }, true],
    [{ "parameters.a": { gte: 6, lte: 5 } }, true],
    [{ "parameters.a": { gte: 5, lte: 5 } }, false],
    [{ "parameters.a": { gt: 3, gte: 4, lte: 4 } }, false],
    [{ "parameters.a": { eq: 1, ne: 1 } }, true],
    [{ "parameters.a": { eq: 1, gt: 1 } }, true],
    [{ "parameters.a": { eq: "x", gt: 1 } }, true],
    [{ "parameters.a": { in: [1, 2], notIn: [1, 2] } }, true],
    [{ "parameters.a": { exists: false, gt: 1 } }, true],
    [{ "parameters.a": { exists: false, eq: null } }, false],
    [{ "parameters.a": { exists: true, in: [null] } }, true],
    [{ and: [{ "parameters.a": { eq: 1 } }, { "parameters.a": { eq: 2 } }] }, true],
    [{ or: [{ "parameters.b": { eq: 1 } }, { "parameters.a": { gt: 5, lt: 5 } }] }, false],
    [{ or: [{ "parameters.a": { gt: 5, lt: 5 } }, { "parameters.a": { eq: 1, ne: 1 } }] }, true],
    [{ not: { "parameters.a": { gt: 5, lt: 5 } } }, false],
  ])("%j can never be true: %s", (source, isImpossible) => {
    const condition = parse(source);
    if (!condition.ok) throw new Error(JSON.stringify(condition.failure));
    expect(findContradiction(condition.value) !== null).toBe(isImpossible);
  });

  it("comparisons that a value satisfies together are never rejected as contradictory", () => {
    const scalar = fc.constantFrom<JsonScalar[]>(null, true, 0, 1, 2, 3, "", "a", "ab");
    const comparison = fc.oneof(
      fc.record({ operator: fc.constantFrom("gt", "gte", "lt", "lte"), value: fc.nat(3) }),
      fc.record({ operator: fc.constantFrom("eq", "ne"), value: scalar }),
      fc.record({
        operator: fc.constantFrom("in", "notIn"),
        value: fc.array(scalar, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ operator: fc.constant("startsWith"), value: fc.constantFrom("a", "b") }),
      fc.record({ operator: fc.constant("exists"), value: fc.boolean() }),
    );
    const source = fc.array(comparison, { minLength: 1, maxLength: 4 }).map((parts) => ({
      and: parts.map(({ operator, value }) => ({ "parameters.a": { [operator]: value } })),
    }));
    const parameters = fc.oneof(
      fc.constant({}),
      scalar.map((a) => ({ a })),
    );
    fc.assert(
      fc.property(source, parameters, (condition, given) => {
        const parsed = parse(condition);
        if (!parsed.ok || findContradiction(parsed.value) === null) return;
        const results = condition.and.map((part) => evaluate(part, inputOf(given)));
        expect(results.every((result) => result.ok && result.value)).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });
});
