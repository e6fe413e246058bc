import { describe, expect, it } from "vitest";
import {
  comparisonsOf,
  draftOfCondition,
  EMPTY_COMPARISON,
  NO_CONDITION,
  readCondition,
} from "../../console/src/policies/condition-form.ts";
import {
  draftOfPolicy,
  EMPTY_POLICY,
  policyBody,
  unknownEntries,
  type Policy,
} from "../../console/src/policies/policy-form.ts";
import {
  addPage,
  describeSimulation,
  periodOf,
  simulatedPolicy,
  type Simulation,
} from "../../console/src/policies/simulation.ts";

const FORM_CONDITIONS = [
  { "parameters.amount": { gt: 50_000 } },
  { "parameters.order.items.0.price": { lte: 1.5 } },
  { agentId: { eq: "buyer" } },
  { "parameters.code": { eq: "5" } },
  { "parameters.code": { ne: " spaced " } },
  { "parameters.flag": { eq: true } },
  { "parameters.flag": { ne: null } },
  { "parameters.kind": { in: ["a", "b", 3] } },
  { "parameters.kind": { notIn: ["a, b", "[c]"] } },
  { "parameters.path": { startsWith: " /etc" } },
  { "parameters.path": { matches: "^\\d+$" } },
  { "parameters.path": { exists: false } },
  { not: { "parameters.path": { startsWith: "/tmp" } } },
  { and: [{ "parameters.a": { gt: 1 } }, { not: { agentId: { eq: "x" } } }] },
  { or: [{ "parameters.a": { gt: 1 } }, { "parameters.a": { exists: false } }] },
];

describe("the form of a condition", () => {
  it.each(FORM_CONDITIONS)("shows %j in fields and sends it unchanged", (when) => {
    const draft = draftOfCondition(when);
    expect(draft.mode).not.toBe("json");
    expect(readCondition(draft)).toEqual({ ok: true, when });
  });

  it("shows several fields and operators of one object as comparisons that must all be true", () => {
    const draft = draftOfCondition({ "parameters.a": { gt: 1, lt: 5 }, agentId: { eq: "x" } });
    expect(readCondition(draft)).toEqual({
      ok: true,
      when: {
        and: [
          { "parameters.a": { gt: 1 } },
          { "parameters.a": { lt: 5 } },
          { agentId: { eq: "x" } },
        ],
      },
    });
  });

  it.each([
    { and: [{ or: [{ agentId: { eq: "x" } }] }] },
    { or: [{ "parameters.a": { gt: 1, lt: 5 } }] },
    { not: { "parameters.a": { gt: 1, lt: 5 } } },
    { not: { not: { agentId: { eq: "x" } } } },
    { and: [{ agentId: { eq: "x" } }], "parameters.a": { gt: 1 } },
    { "parameters.a": { like: "x" } },
    { "parameters.a": { eq: { nested: true } } },
    { "parameters.a": { gt: "text" } },
    { "parameters.a": { startsWith: "" } },
    { and: [] },
    { and: {} },
  ])("shows %j, which fields cannot express, as JSON and sends it unchanged", (when) => {
    const draft = draftOfCondition(when);
    expect(draft.mode).toBe("json");
    expect(comparisonsOf(JSON.stringify(when))).toBeNull();
    expect(readCondition(draft)).toEqual({ ok: true, when });
  });

  it("sends null for every covered call", () => {
    expect(readCondition(draftOfCondition(null))).toEqual({ ok: true, when: null });
  });

  it.each<[string, Partial<typeof EMPTY_COMPARISON>, string]>([
    ["a field", { value: "x" }, "Enter a field, such as parameters.amount."],
    ["a value", { field: "parameters.a" }, "Enter a value."],
    ["a number", { field: "parameters.a", operator: "gt", value: "many" }, "Enter a number."],
  ])("asks for %s at the comparison where it is missing", (_, part, problem) => {
    const complete = { ...EMPTY_COMPARISON, field: "agentId", value: "x" };
    const comparisons = [complete, { ...EMPTY_COMPARISON, ...part }];
    const read = readCondition({ ...NO_CONDITION, mode: "any", comparisons });
    expect(read).toEqual({ ok: false, index: 1, problem });
  });

  it.each(["", "[]", "{", "5"])("rejects the JSON %j, which is no object", (json) => {
    expect(readCondition({ ...NO_CONDITION, mode: "json", json })).toMatchObject({
      ok: false,
      index: null,
    });
  });
});

const POLICY: Policy = {
  id: "transfers",
  name: "Transfers",
  effect: "ask",
  tools: ["bank/transfer", "crm/*"],
  agents: ["buyer"],
  teams: [],
  when: { "parameters.amount": { gt: 50_000 } },
  reason: "Large.",
  approvers: ["root", "k2"],
  approvals: 2,
  expiresAfter: "2h",
  remember: "task",
  enabled: false,
  createdBy: "root",
  unknownTargets: ["crm/*"],
  unknownAgents: [],
  unknownTeams: [],
  unknownApprovers: ["k2"],
  createdAt: "2026-11-27T10:00:00.000Z",
  updatedAt: "2026-11-27T10:00:00.000Z",
};

it("a policy that is saved without changes is sent as it was", () => {
  expect(POLICY).toMatchObject(policyBody(draftOfPolicy(POLICY), POLICY.when));
});

it("the entries of a list are separated by lines or commas", () => {
  const draft = { ...draftOfPolicy(POLICY), tools: " bank/transfer,\n\n crm/*\n" };
  expect(policyBody(draft, null).tools).toEqual(["bank/transfer", "crm/*"]);
});

it("unknown entries of a policy are named by their kind", () => {
  expect(unknownEntries(POLICY)).toEqual([
    "Unknown tools or capabilities: crm/*",
    "Approvers whose keys have ended: k2",
  ]);
});

describe("the test of a policy", () => {
  const page = (
    calls: readonly ("ask" | "deny")[],
    more: Partial<Simulation> = {},
  ): Simulation => ({
    source: "tasks",
    calls: calls.map((effect, index) => ({
      callId: String(index),
      at: "2026-11-28T09:00:00.000Z",
      toolId: "bank",
      capability: "transfer",
      taskId: "t",
      effect,
      reason: "Why.",
    })),
    matched: calls.length,
    examined: 5,
    undecided: 0,
    tasks: 1,
    cutTasks: 0,
    complete: true,
    nextCursor: null,
    ...more,
  });

  it("pages are added up, and the result is complete only if every page is", () => {
    const first = page(["ask"], { complete: false, nextCursor: "c" });
    const both = addPage(addPage(null, first), page(["deny", "ask"]));
    expect(both).toMatchObject({
      matched: 3,
      examined: 10,
      tasks: 2,
      complete: true,
      nextCursor: null,
    });
    expect(addPage(page([], { undecided: 1 }), page([]))).toMatchObject({ complete: false });
    expect(addPage(page([], { cutTasks: 1 }), page([]))).toMatchObject({ complete: false });
  });

  it("the description says how many calls would have been changed, and what was not examined", () => {
    expect(describeSimulation(page(["ask", "deny", "ask"]))).toEqual([
      "Of 5 recorded calls in 1 task, 1 would have been denied, and 2 would have needed approval.",
    ]);
    const cut = page([], { examined: 1, undecided: 2, cutTasks: 1, nextCursor: "c" });
    expect(describeSimulation(cut).slice(1)).toEqual([
      "2 calls could not be decided about, because not all parameters are recorded or the capability no longer exists.",
      "In 1 task, only the newest calls were examined.",
      "Older tasks were not examined yet.",
    ]);
  });

  it("a policy can be tried out before it has a name and a reason, and the period ends now", () => {
    const draft = { ...EMPTY_POLICY, tools: "bank" };
    expect(simulatedPolicy(draft, null)).toMatchObject({
      name: "Test",
      reason: "Test",
      tools: ["bank"],
    });
    const now = Date.parse("2026-11-28T09:00:00.000Z");
    expect(periodOf(24, now)).toEqual({
      from: "2026-11-27T09:00:00.000Z",
      to: "2026-11-28T09:00:00.000Z",
    });
  });
});
