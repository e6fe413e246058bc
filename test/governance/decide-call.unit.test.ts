import { expect, it } from "vitest";
import { decideCall, type PolicyCall } from "../../src/governance/decide-call.ts";
import type { Policy } from "../../src/governance/model/policy.ts";
import type { JsonObject } from "../../src/kernel/json.ts";

const AMOUNT = {
  name: "amount",
  type: "number",
  required: false,
  schema: { type: "number", default: 10 },
} as const;
const CALL: PolicyCall = {
  agentId: null,
  parameters: {},
  capability: { id: "transfer", name: "Transfer", description: "", parameters: [AMOUNT] },
  estimatedCost: 0,
};

function policyOf(id: string, when: JsonObject | null, effect: Policy["effect"] = "deny"): Policy {
  return {
    id,
    effect,
    when,
    reason: `Because of ${id}.`,
    approvers: [],
    approvals: 1,
    expiresAfter: "24h",
    remember: "none",
    updatedAt: 0,
  };
}

it("without a policy, or with policies that do not apply, a call is allowed", () => {
  const other = policyOf("a", { "parameters.amount": { gt: 10 } });
  expect(decideCall([], CALL)).toEqual({ effect: "allow", policy: null });
  expect(decideCall([other], CALL)).toEqual({ effect: "allow", policy: null });
});

it("an omitted parameter has its default", () => {
  const policy = policyOf("a", { "parameters.amount": { eq: 10 } });
  expect(decideCall([policy], CALL)).toEqual({ effect: "deny", policy });
  expect(decideCall([policy], { ...CALL, parameters: { amount: 5 } }).effect).toBe("allow");
});

it("a denial wins, and of several policies with the same effect, the first by id decides", () => {
  const [b, c, d] = [policyOf("b", null, "allow"), policyOf("c", null), policyOf("d", null)];
  const a = policyOf("a", null, "allow");
  expect(decideCall([d, b, c, a], CALL)).toEqual({ effect: "deny", policy: c });
  expect(decideCall([b, a], CALL)).toEqual({ effect: "allow", policy: a });
});

it("a required approval wins over a permission and loses to a denial, and all policies that require one count", () => {
  const [a, b, c] = [
    policyOf("a", null, "ask"),
    policyOf("b", null, "allow"),
    policyOf("c", null, "ask"),
  ];
  expect(decideCall([c, b, a], CALL)).toEqual({ effect: "ask", policies: [a, c] });
  const denial = policyOf("d", null);
  expect(decideCall([a, denial], CALL)).toEqual({ effect: "deny", policy: denial });
});

it.each<[string, JsonObject]>([
  ["of the wrong type", { "parameters.amount": { startsWith: "1" } }],
  ["with a pattern that RE2 does not support", { agentId: { matches: "(?=x)" } }],
  ["with an operator that this release does not know", { "parameters.amount": { near: 5 } }],
])("a condition %s denies the call, whatever the effect of its policy", (_, when) => {
  const policy = policyOf("a", when, "allow");
  const decision = decideCall([policy], { ...CALL, agentId: "ada" });
  expect(decision).toEqual({ effect: "deny", policy, error: expect.stringMatching(/\.$/) });
});

it("a default applies if the schema refers to a definition that has it, and not if it is null", () => {
  const callOf = (schema: JsonObject): PolicyCall => ({
    ...CALL,
    capability: { ...CALL.capability, parameters: [{ ...AMOUNT, schema }] },
  });
  const policy = policyOf("a", { "parameters.amount": { gte: 10 } });
  const referring = callOf({ $ref: "#/$defs/amount", $defs: { amount: { default: 10 } } });
  expect(decideCall([policy], referring).effect).toBe("deny");
  expect(decideCall([policy], callOf({ default: null })).effect).toBe("allow");
});

it("an effect that this release does not know denies the call", () => {
  const policy: Policy = JSON.parse(JSON.stringify({ ...policyOf("a", null), effect: "delay" }));
  expect(decideCall([policy], CALL)).toEqual({ effect: "deny", policy });
});

it("a pattern is not applied to a very long text, and the call is denied", () => {
  const policy = policyOf("a", { "parameters.note": { matches: "x$" } });
  const withNote = (note: string) => decideCall([policy], { ...CALL, parameters: { note } }).effect;
  expect(withNote("y".repeat(10_000))).toBe("allow");
  expect(withNote("y".repeat(10_001))).toBe("deny");
});
