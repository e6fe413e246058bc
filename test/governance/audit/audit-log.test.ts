import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { del, get, patch, post, send } from "../../support/client.ts";
import { expectError, expectProblems } from "../../support/expect-errors.ts";
import { keyId, keyWith } from "../../support/keys.ts";
import { lastSeq, newestRows, rowsOf, verifyAll } from "./fixtures.ts";

const DENY = { name: "No queries", effect: "deny", tools: ["*"], reason: "Why.", enabled: false };

describe("the audit log", () => {
  it("a row tells who made a change, from where, and what changed", async () => {
    const key = await keyWith(["policies:manage"]);
    const headers = { "CF-Connecting-IP": "203.0.113.7", "User-Agent": "a".repeat(300) };
    const { outcome, rows } = await rowsOf(() =>
      post("/agents/policies", { id: "first", ...DENY }, { key, headers }),
    );
    expect(outcome.status).toBe(201);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      keyId: keyId(key),
      sessionId: null,
      address: "203.0.113.7",
      userAgent: "a".repeat(200),
      action: "policy.created",
      subjectType: "policy",
      subjectId: "first",
      before: null,
      requestId: outcome.headers.get("X-Request-Id"),
    });
    expect(rows[0]?.after).toEqual({ ...DENY, agents: [], teams: [], when: null });

    const changed = await rowsOf(() => patch("/agents/policies/first", { reason: "New." }));
    expect(changed.rows).toHaveLength(1);
    expect(changed.rows[0]).toMatchObject({
      keyId: "root",
      action: "policy.changed",
      before: { reason: "Why." },
      after: { reason: "New." },
    });
    const deleted = await rowsOf(() => del("/agents/policies/first"));
    expect(deleted.rows[0]).toMatchObject({ action: "policy.deleted", after: null });
    expect(deleted.rows[0]?.before).toMatchObject({ reason: "New." });
  });

  it("50 parallel changes write 50 rows without a gap, and the chain is valid", async () => {
    const before = await lastSeq();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        post("/agents/policies", { id: `parallel-${index}`, ...DENY }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 201));
    const rows = (await newestRows()).filter(({ seq }) => seq > before);
    expect(rows.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 50 }, (_, index) => before + 50 - index),
    );
    expect(new Set(rows.map(({ subjectId }) => subjectId)).size).toBe(50);
    expect(await verifyAll()).toMatchObject({ valid: true, complete: true, lastSeq: before + 50 });
  });
});
