import { expect, it } from "vitest";
import { missingApprovals } from "../../console/src/approvals/status.ts";

const AT = "2026-11-27T10:00:00.000Z";
const approvedBy = (by: string) => ({ decision: "approve", by, at: AT, viaLink: false }) as const;
const policy = (approvals: number, approvers: string[] = []) => ({
  id: "p",
  reason: "r",
  approvals,
  approvers,
});

it.each<[number, Parameters<typeof missingApprovals>[0]]>([
  [1, { policies: [policy(1)], decisions: [] }],
  [2, { policies: [policy(1), policy(2)], decisions: [] }],
  [1, { policies: [policy(2)], decisions: [approvedBy("one")] }],
  [0, { policies: [policy(2)], decisions: [approvedBy("one"), approvedBy("two")] }],
  [1, { policies: [policy(1, ["two"])], decisions: [approvedBy("one")] }],
  [1, { policies: [policy(2)], decisions: [approvedBy("one"), approvedBy("one")] }],
])("%i more keys must approve, for the policy that lacks the most", (missing, approval) => {
  expect(missingApprovals(approval)).toBe(missing);
});
