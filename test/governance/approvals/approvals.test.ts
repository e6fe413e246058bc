import { describe, expect, it, vi } from "vitest";
import { get } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";
import { keyWith } from "../../support/keys.ts";
import {
  approverKey,
  ask,
  decide,
  invoke,
  pendingCall,
  QUERY,
  readApproval,
  REASON,
  TOOL,
} from "./fixtures.ts";

describe("a call that requires approval", () => {
  it("an approved call is made once, exactly as it was stored, and its caller can read the result", async () => {
    const policyId = await ask();
    const caller = await keyWith(["tools:invoke"]);
    const approver = await approverKey();
    const stored = await invoke({}, caller);
    expect(stored.status, stored.text).toBe(202);
    const { approvalId, ...rest } = stored.body.data;
    expect(rest).toMatchObject({
      status: "pending",
      policyId,
      reason: REASON,
      url: expect.stringContaining(`/agents/approvals/${approvalId}`),
    });
    expect(await readApproval(approvalId, caller)).toMatchObject({
      status: "pending",
      toolId: TOOL,
      ...QUERY,
      decisions: [],
      policies: [{ id: policyId, reason: REASON, approvals: 1, approvers: [] }],
    });

    const approved = await decide(approvalId, "approve", approver, { message: "Fine." });
    expect(approved.status, approved.text).toBe(200);
    await vi.waitUntil(async () => (await readApproval(approvalId)).status === "executed");
    const made = await readApproval(approvalId, caller);
    expect(made).toMatchObject({
      result: { count: 1, matches: [{ value: 1 }] },
      decisions: [{ decision: "approve", message: "Fine.", viaLink: false }],
    });
    const again = await decide(approvalId, "approve", approver);
    expect(again.body.data.status).toBe("executed");
    expectError(await decide(approvalId, "deny", approver), 409, "APPROVAL_DECIDED");
  });

  it("a denied call is never made, and the denial states its reason", async () => {
    await ask();
    const caller = await keyWith(["tools:invoke"]);
    const id = await pendingCall({}, caller);
    const denied = await decide(id, "deny", await approverKey(), { message: "Too risky." });
    expect(denied.body.data).toMatchObject({
      status: "denied",
      decisions: [{ decision: "deny", message: "Too risky." }],
    });
    expectError(await decide(id, "approve", await approverKey()), 409, "APPROVAL_DECIDED");
    const { approvals } = (await get("/agents/approvals?status=denied", { key: caller })).body.data;
    expect(approvals).toMatchObject([{ id, status: "denied", toolId: TOOL }]);
  });
});
