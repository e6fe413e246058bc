import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../../src/index.ts";
import { DENIALS_QUEUED_MAX } from "../../../src/governance/audit/limits.ts";
import { recordDenial } from "../../../src/governance/audit/record-denial.ts";
import type { AuditRowResponse } from "../../../src/governance/audit/schemas.ts";
import { ROOT_ACTOR } from "../../support/actor.ts";
import { answerOf, del, ORIGIN, post, type Answer } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";
import { keyId, keyWith, UNMANAGING } from "../../support/keys.ts";
import { lastSeq, newestRows, rowsOf, verifyAll } from "./fixtures.ts";

const QUERY = { capability: "query", parameters: { document: "[1]", path: "$.confidential" } };
/** The SHA-256 of the parameters as JSON. */
const PARAMETERS_SHA256 = "4ec00351ceb28b85af6bc1fc6b4417df5bc18b24e37a798980773a674eee919e";

async function deny(tool: string): Promise<string> {
  const id = `denies-${tool}`;
  const policy = { id, name: "Denies", effect: "deny", tools: [tool], reason: "Not today." };
  expect((await post("/agents/policies", policy)).status).toBe(201);
  return id;
}

/** The rows about denied calls after a row, oldest first. */
async function denialsAfter(seq: number): Promise<AuditRowResponse[]> {
  const rows = await newestRows("action=call.denied&limit=100");
  return rows.filter((row) => row.seq > seq).toReversed();
}

/** Makes a call, and waits for what happens after its response. */
async function invoke(key: string, headers: Record<string, string>): Promise<Answer> {
  const context = createExecutionContext();
  const request = new Request(`${ORIGIN}/agents/tools/json-workbench/invoke`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
    body: JSON.stringify(QUERY),
  });
  const answer = await answerOf(await worker.fetch(request, env, context));
  await waitOnExecutionContext(context);
  return answer;
}

/** Records denied calls at once, and waits until they are recorded. */
async function recordDenials(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => recordDenial(env, CALL, DENIAL)));
}

const DENIAL = { kind: "policy_denied", policyId: "p", reason: "r" } as const;
const CALL = {
  toolId: "json-workbench",
  capability: "query",
  agentId: null,
  parameters: {},
  taskId: null,
  client: { actor: ROOT_ACTOR, waitUntil: () => {} },
};

describe("a call that a policy denies", () => {
  it("a denied call is recorded with its policy, its caller and the digest of its parameters", async () => {
    const policyId = await deny("json-workbench");
    await post("/agents/tools/access", { agentId: "researcher", toolId: "json-workbench" });
    const key = await keyWith(UNMANAGING, { agentId: "researcher" });
    const before = await lastSeq();
    const headers = { "CF-Connecting-IP": "203.0.113.9" };
    const denied = await invoke(key, headers);
    expectError(denied, 403, "POLICY_DENIED");
    const [row, ...others] = await denialsAfter(before);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      keyId: keyId(key),
      address: "203.0.113.9",
      subjectType: "call",
      subjectId: "json-workbench/query",
      before: null,
      requestId: denied.headers.get("X-Request-Id"),
    });
    expect(row?.after).toEqual({
      policyId,
      reason: "Not today.",
      agentId: "researcher",
      taskId: null,
      parametersSha256: PARAMETERS_SHA256,
    });
    expect(JSON.stringify(row)).not.toContain("confidential");
    await del(`/agents/policies/${policyId}`);
    const allowed = await rowsOf(() => invoke(key, {}));
    expect(allowed.rows).toEqual([]);
  });

  it("many denied calls are recorded in few transactions, and the chain stays valid", async () => {
    const before = await lastSeq();
    await recordDenials(90);
    const rows = await denialsAfter(before);
    expect(rows).toHaveLength(90);
    expect(new Set(rows.map(({ at }) => at)).size).toBeLessThanOrEqual(5);
    expect(await verifyAll()).toMatchObject({ valid: true, complete: true });
  });

  it("calls beyond the size of the queue are counted in the next row", async () => {
    const before = await lastSeq();
    await recordDenials(DENIALS_QUEUED_MAX + 31);
    const { results } = await env.DB.prepare(
      "SELECT after ->> 'unrecordedBefore' AS count FROM audit WHERE seq > ? ORDER BY seq",
    )
      .bind(before)
      .all<{ count: number | null }>();
    // The first call leaves the queue at once.
    expect(results).toHaveLength(DENIALS_QUEUED_MAX + 1);
    expect(results.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(30);
  });
});
