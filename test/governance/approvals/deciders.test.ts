import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { del, get, post, send } from "../../support/client.ts";
import { expectError, expectProblems } from "../../support/expect-errors.ts";
import { keyId, keyWith, UNMANAGING } from "../../support/keys.ts";
import { passTime, stopClock } from "../../support/tasks.ts";
import { workerAgent } from "../../tasks/workers/fixtures.ts";
import {
  approverKey,
  ask,
  decide,
  grant,
  invoke,
  pendingCall,
  readApproval,
  untilApproval,
  wakeApproval,
} from "./fixtures.ts";

beforeAll(stopClock);

const HOUR_MS = 3_600_000;

describe("who may decide about a call", () => {
  it("the key that made the call and its descendants cannot decide", async () => {
    await ask();
    const agentId = await workerAgent();
    await grant(agentId);
    const scopes = ["tools:invoke", "approvals:decide", "keys:manage"] as const;
    const caller = await keyWith(scopes);
    const child = await post(
      "/agents/keys",
      { name: "child", scopes: ["approvals:decide"] },
      { key: caller },
    );
    const id = await pendingCall({ agentId }, caller);
    for (const key of [caller, child.body.data.key]) {
      for (const how of ["approve", "deny"] as const)
        expectError(await decide(id, how, key), 403, "APPROVER_NOT_ALLOWED");
      expectError(
        await post(`/agents/approvals/${id}/link`, {}, { key }),
        403,
        "APPROVER_NOT_ALLOWED",
      );
    }
    expect(await readApproval(id)).toMatchObject({ status: "pending", decisions: [] });
    expectError(await decide(id, "approve", await keyWith(UNMANAGING)), 403, "INSUFFICIENT_SCOPE");
  });

  it("only the approvers of a policy can decide, and an approver that has ended is listed", async () => {
    const [named, other] = [await approverKey(), await approverKey()];
    const policyId = await ask({ approvers: [keyId(named)] });
    const id = await pendingCall();
    expectError(await decide(id, "deny", other), 403, "APPROVER_NOT_ALLOWED");
    expect((await decide(id, "deny", named)).status).toBe(200);
    await del(`/agents/keys/${keyId(named)}`);
    const policy = (await get(`/agents/policies/${policyId}`)).body.data;
    expect(policy.unknownApprovers).toEqual([keyId(named)]);
    const body = { approvers: ["root", "unknown"] };
    expectProblems(await send("PATCH", `/agents/policies/${policyId}`, body), {
      "approvers[1]": "must name an existing active key",
    });
  });

  it("two approvals require two keys, and a change of mind before the second counts", async () => {
    await ask({ approvals: 2 });
    const [first, second] = [await approverKey(), await approverKey()];
    const id = await pendingCall();
    for (let times = 0; times < 2; times += 1)
      expect((await decide(id, "approve", first)).body.data.status).toBe("pending");
    expect((await decide(id, "approve", second)).body.data.status).toBe("approved");
    await untilApproval(id, "executed");

    const other = await pendingCall({ parameters: { document: "[2]", path: "$" } });
    await decide(other, "approve", first);
    expect((await decide(other, "deny", first)).body.data.status).toBe("denied");
  });

  it("if several policies ask, each must be satisfied", async () => {
    const [one, two] = [await approverKey(), await approverKey()];
    await ask({ approvers: [keyId(one)] });
    await ask({ approvers: [keyId(two)] });
    const id = await pendingCall();
    expect((await decide(id, "approve", one)).body.data.status).toBe("pending");
    expect((await decide(id, "approve", two)).body.data.status).toBe("approved");
  });

  it("a key without the scope reads only the calls that it made and those of its agents", async () => {
    await ask();
    const agentId = await workerAgent();
    await grant(agentId);
    const [caller, stranger] = [await keyWith(["tools:invoke"]), await keyWith(UNMANAGING)];
    const own = await keyWith(UNMANAGING, { agentId });
    const id = await pendingCall({ agentId }, caller);
    const rows = async (key: string) =>
      (await get("/agents/approvals", { key })).body.data.approvals.map(
        (one: { id: string }) => one.id,
      );
    expect(await rows(caller)).toEqual([id]);
    expect(await rows(own)).toEqual([id]);
    expect(await rows(stranger)).toEqual([]);
    expectError(await get(`/agents/approvals/${id}`, { key: stranger }), 404, "APPROVAL_NOT_FOUND");
    expect(await readApproval(id, own)).not.toHaveProperty("requestedBy");
    expect((await readApproval(id, caller)).requestedBy).toBe(keyId(caller));
  });

  it("an agent cannot have more than 100 calls waiting", async () => {
    await ask();
    const agentId = await workerAgent();
    await grant(agentId);
    await pendingCall({ agentId });
    const columns = Object.keys((await env.DB.prepare("SELECT * FROM approvals").first()) ?? {});
    const copied = columns.filter((name) => name !== "id").join(", ");
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
       INSERT INTO approvals (id, ${copied}) SELECT 'copy-' || i, ${copied} FROM approvals, n WHERE agent_id = ?`,
    )
      .bind(agentId)
      .run();
    expect((await invoke({ agentId })).status).toBe(202);
    expectError(await invoke({ agentId }), 429, "APPROVAL_LIMIT_REACHED");
  });
});

describe("an approval over time", () => {
  it("a call that nobody decides about expires, even if the alarm is late, and cannot be approved", async () => {
    await ask({ expiresAfter: "2h" });
    const approver = await approverKey();
    const id = await pendingCall();
    passTime(2 * HOUR_MS - 1);
    expect((await readApproval(id)).status).toBe("pending");
    passTime(1);
    expectError(await decide(id, "approve", approver), 409, "APPROVAL_DECIDED");
    expect((await readApproval(id)).status).toBe("expired");
    await wakeApproval(id);
    const { approvals } = (await get("/agents/approvals?status=expired&limit=1")).body.data;
    expect(approvals).toMatchObject([{ id, status: "expired" }]);
  });

  it("an approval covers later calls for the policy's duration, and until the policy changes", async () => {
    const policyId = await ask({ remember: "1h" });
    const agentId = await workerAgent();
    await grant(agentId);
    const approver = await approverKey();
    const body = (n: number) => ({ agentId, parameters: { document: `[${n}]`, path: "$" } });
    passTime(1);
    const id = await pendingCall(body(1));
    await decide(id, "approve", approver);
    await untilApproval(id, "executed");
    expect((await invoke(body(2))).status).toBe(200);
    passTime(HOUR_MS - 10_000);
    expect((await invoke(body(3))).status).toBe(200);
    passTime(10_000);
    const second = await pendingCall(body(4));
    await decide(second, "approve", approver);
    expect((await invoke(body(5))).status).toBe(200);
    passTime(1);
    await send("PATCH", `/agents/policies/${policyId}`, { reason: "Changed." });
    expect((await invoke(body(6))).status).toBe(202);
  });

  it("a call without an agent is never covered by an earlier approval", async () => {
    await ask({ remember: "1h" });
    passTime(1);
    const id = await pendingCall();
    await decide(id, "approve", await approverKey());
    expect((await invoke()).status).toBe(202);
  });
});

describe("a call that was approved but cannot be made any more", () => {
  async function failsAfter(change: (agentId: string, key: string) => Promise<unknown>) {
    const agentId = await workerAgent();
    await grant(agentId);
    const caller = await keyWith(["tools:invoke"]);
    const id = await pendingCall({ agentId }, caller);
    await change(agentId, caller);
    await decide(id, "approve", await approverKey());
    await untilApproval(id, "failed");
    return (await readApproval(id)).error;
  }

  it("a revoked grant, a disabled agent or a revoked key stops the call", async () => {
    await ask();
    expect(
      await failsAfter((agentId) => del(`/agents/tools/access/${agentId}/json-workbench`)),
    ).toMatchObject({ code: "TOOL_ACCESS_DENIED" });
    expect(
      await failsAfter((agentId) => send("PATCH", `/agents/${agentId}`, { enabled: false })),
    ).toMatchObject({ code: "AGENT_DISABLED" });
    passTime(2_000);
    expect(
      await failsAfter(async (_, key) => {
        await del(`/agents/keys/${keyId(key)}`);
        passTime(2_000);
      }),
    ).toMatchObject({ code: "APPROVED_CALL_FAILED" });
  });

  it("a denial that was added, or a policy that requires more, stops the call", async () => {
    const policyId = await ask();
    expect(
      await failsAfter(() => send("PATCH", `/agents/policies/${policyId}`, { approvals: 2 })),
    ).toMatchObject({ code: "APPROVED_CALL_FAILED" });
    await send("PATCH", `/agents/policies/${policyId}`, { approvals: 1 });
    expect(
      await failsAfter(() => send("PATCH", `/agents/policies/${policyId}`, { effect: "deny" })),
    ).toMatchObject({ code: "POLICY_DENIED" });
  });

  it("a deleted policy does not stop a call that people approved", async () => {
    const policyId = await ask();
    const id = await pendingCall();
    await del(`/agents/policies/${policyId}`);
    await decide(id, "approve", await approverKey());
    await untilApproval(id, "executed");
    expect((await readApproval(id)).result).toMatchObject({ count: 1 });
  });
});

describe("a link for a decision", () => {
  async function linkFor(id: string, key: string): Promise<string> {
    const answer = await post(`/agents/approvals/${id}/link`, {}, { key });
    expect(answer.status, answer.text).toBe(201);
    const url = new URL(answer.body.data.url);
    return `${url.pathname}${url.search}`;
  }

  const open = (link: string, method = "GET", body?: string) =>
    send(method, link, body, {
      key: null,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    });

  it("opening a link decides nothing, its form decides once, and it counts as the key's decision", async () => {
    await ask({ approvals: 2 });
    const approver = await approverKey();
    const id = await pendingCall({
      parameters: { document: "<script>alert(1)</script>", path: "$" },
    });
    const link = await linkFor(id, approver);
    const page = await open(link);
    expect(page.status).toBe(200);
    expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(page.text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page.text).toContain('name="decision" value="approve"');
    await open(link, "HEAD");
    expect((await readApproval(id)).decisions).toEqual([]);

    const decided = await open(link, "POST", "decision=approve&message=Fine");
    expect(decided.status).toBe(200);
    expect(decided.text).not.toContain("<form");
    expect((await readApproval(id)).decisions).toMatchObject([
      { decision: "approve", by: keyId(approver), viaLink: true, message: "Fine" },
    ]);
    expect((await decide(id, "approve", approver)).body.data.status).toBe("pending");
    expect((await open(link, "POST", "decision=deny")).status).toBe(409);
    expect((await readApproval(id)).status).toBe("pending");
  });

  it("a changed, expired or misused link is rejected", async () => {
    await ask();
    const approver = await approverKey();
    const [id, other] = [await pendingCall(), await pendingCall()];
    const link = await linkFor(id, approver);
    for (const bad of [
      link.replace(id, other),
      link.replace(/expires=(\d)/, "expires=9"),
      link.replace(/key=\w+/, "key=root"),
      link.replace(/signature=(.)/, (_, first) => `signature=${first === "_" ? "-" : "_"}`),
      `${link}&key=root`,
      `/agents/approvals/${id}/decision`,
    ]) {
      expect((await open(bad, "POST", "decision=approve")).status).toBe(401);
    }
    expect((await open(link, "POST", "decision=maybe")).status).toBe(400);
    await del(`/agents/keys/${keyId(approver)}`);
    passTime(2_000);
    expect((await open(link, "POST", "decision=approve")).status).toBe(401);
    expect((await readApproval(id)).status).toBe("pending");

    const late = await linkFor(other, await approverKey());
    passTime(25 * HOUR_MS);
    expect((await open(late)).status).toBe(401);
    await vi.waitUntil(async () => (await readApproval(other)).status === "expired");
  });
});
