import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  beginExecution,
  decideApproval,
  endExecution,
  expireIfDue,
  findDeciderFailure,
  isSatisfied,
  loseExecution,
  requestApproval,
  withdrawApproval,
  type Approval,
  type AskingPolicy,
} from "../../../src/governance/model/approval.ts";
import { nextApprovalAlarmAt } from "../../../src/governance/model/approval-schedule.ts";
import { isSettled } from "../../../src/governance/model/approval-status.ts";
import { serviceActor } from "../../../src/governance/model/audit-entry.ts";
import { isRemembered } from "../../../src/governance/model/remembered-approval.ts";

const KEYS = ["a", "b", "c"] as const;
const EXPIRES_AT = 1_000;
const RETRY = { minMs: 10, maxMs: 100 };

const CALL: Approval["call"] = {
  toolId: "bank",
  capability: "transfer",
  parameters: { amount: 5 },
  sha256: "0",
  destination: null,
  operationSha256: "0",
  estimatedCost: 0,
  agentId: "ada",
  taskId: null,
  teamId: null,
  keyId: "caller",
  source: "rest",
};

const policy = fc.record<AskingPolicy>({
  id: fc.constantFrom("p", "q"),
  reason: fc.constant("Why."),
  approvers: fc.subarray([...KEYS]),
  approvals: fc.constantFrom(1, 2),
  remember: fc.constant("none"),
});

type Step =
  | { readonly kind: "approve" | "deny"; readonly keyId: string; readonly viaLink: boolean }
  | { readonly kind: "begin" | "end" | "fail" | "lose" | "withdraw" | "wait" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("approve" as const, "approve" as const, "deny" as const),
    keyId: fc.constantFrom(...KEYS),
    viaLink: fc.boolean(),
  }),
  fc.record({
    kind: fc.constantFrom("begin", "begin", "end", "fail", "lose", "withdraw", "wait"),
  }) as fc.Arbitrary<Step>,
);

function apply(before: Approval, one: Step, now: number): Approval {
  switch (one.kind) {
    case "approve":
    case "deny": {
      const { kind, keyId, viaLink } = one;
      const decision = { keyId, kind, at: now, viaLink, message: null, actor: serviceActor(null) };
      const decided = decideApproval(before, decision);
      return decided.ok ? decided.value : before;
    }
    case "begin":
      return before.status === "approved" ? beginExecution(before) : before;
    case "end":
      return endExecution(before, { ok: true, cost: 0, durationMs: 1 }, now);
    case "fail":
      return endExecution(before, { ok: false, code: "C", message: "m" }, now);
    case "lose":
      return loseExecution(before, now);
    case "withdraw":
      return withdrawApproval(before, now);
    case "wait":
      return expireIfDue(before, now);
  }
}

describe("the states of an approval", () => {
  it("in any history, a call begins at most once, only when every policy is satisfied, and never after a denial or its expiry", () => {
    fc.assert(
      fc.property(
        fc.array(policy, { minLength: 1, maxLength: 2 }),
        fc.array(fc.tuple(step, fc.integer({ min: 0, max: 300 })), { maxLength: 30 }),
        (policies, steps) => {
          let approval = requestApproval("id", { call: CALL, policies, expiresAt: EXPIRES_AT }, 0);
          let now = 0;
          let begun = 0;
          let isClosed = false;
          for (const [one, waitMs] of steps) {
            now += waitMs;
            const before = approval;
            approval = apply(before, one, now);
            if (approval !== before) expect(approval.version).toBeGreaterThan(before.version);
            if (isSettled(before.status)) expect(approval).toEqual(before);
            expect(approval.call).toBe(CALL);
            if (before.status !== "executing" && approval.status === "executing") {
              begun += 1;
              expect(isClosed).toBe(false);
              expect(isSatisfied(policies, approval.decisions)).toBe(true);
              expect(approval.decidedAt).toBeLessThan(EXPIRES_AT);
              expect(approval.decisions.every(({ kind }) => kind === "approve")).toBe(true);
            }
            isClosed ||= ["denied", "expired", "withdrawn"].includes(approval.status);
            const terms = { isPublished: true, retentionMs: null, retry: RETRY, now };
            const alarmAt = nextApprovalAlarmAt(approval, terms);
            expect(alarmAt === null).toBe(isSettled(approval.status));
            const late = nextApprovalAlarmAt(approval, { ...terms, isPublished: false });
            expect(late).not.toBeNull();
          }
          expect(begun).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it("only an approved call can begin", () => {
    const pending = requestApproval("id", { call: CALL, policies: [], expiresAt: 9 }, 0);
    expect(() => beginExecution(pending)).toThrow("must not be made");
  });

  it("a policy is satisfied by as many different approvers of its own as it requires", () => {
    const policies = [{ approvers: ["a", "b"], approvals: 2 }];
    const by = (...keyIds: readonly string[]) =>
      keyIds.map((keyId) => ({ keyId, kind: "approve" as const }));
    expect(isSatisfied(policies, by("a", "a"))).toBe(false);
    expect(isSatisfied(policies, by("a", "c"))).toBe(false);
    expect(isSatisfied(policies, [...by("a"), { keyId: "b", kind: "deny" }])).toBe(false);
    expect(isSatisfied(policies, by("a", "b"))).toBe(true);
    expect(isSatisfied([...policies, { approvers: ["c"], approvals: 1 }], by("a", "b"))).toBe(
      false,
    );
  });

  it("the caller, its descendants and keys of the agent are rejected before the approvers are checked", () => {
    const approval = { id: "id", call: CALL, policies: [] };
    const decider = { id: "other", agentIds: null, isOfRequester: false };
    for (const own of [
      { ...decider, id: "caller" },
      { ...decider, isOfRequester: true },
      { ...decider, agentIds: ["ada"] },
    ])
      expect(findDeciderFailure(approval, own)).toMatchObject({ kind: "approval_of_own_call" });
    expect(findDeciderFailure(approval, decider)).toMatchObject({ kind: "not_an_approver" });
  });
});

describe("an earlier approval", () => {
  const earlier = { taskId: "t", policies: ["p"], decidedAt: 100 };
  const rule = { id: "p", remember: "1m", updatedAt: 50 };

  it.each([
    ["within its duration", rule, "other", 60_099, true],
    ["after its duration", rule, "other", 60_100, false],
    ["of another policy", { ...rule, id: "q" }, "t", 101, false],
    ["from before the policy changed", { ...rule, updatedAt: 100 }, "t", 101, false],
    ["of the same task", { ...rule, remember: "task" }, "t", 10 ** 9, true],
    ["of another task", { ...rule, remember: "task" }, "u", 101, false],
    ["if nothing is remembered", { ...rule, remember: "none" }, "t", 101, false],
  ] as const)("%s covers a call: %#", (_, one, taskId, now, covers) => {
    expect(isRemembered(one, taskId, [earlier], now)).toBe(covers);
  });

  it("covers no call without a task if it is remembered for the task", () => {
    const ofNone = { ...earlier, taskId: null };
    expect(isRemembered({ ...rule, remember: "task" }, null, [ofNone], 101)).toBe(false);
  });
});
