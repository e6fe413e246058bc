import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { audited, recordEvents } from "../../../src/governance/audit/audited.ts";
import { deletePolicy, findPolicy, updatePolicy } from "../../../src/governance/policies.store.ts";
import { getDatabase } from "../../../src/platform/d1/client.ts";
import { ROOT_ACTOR } from "../../support/actor.ts";
import { del, get, patch, post, send } from "../../support/client.ts";
import { expectError, expectProblems } from "../../support/expect-errors.ts";
import { keyId, keyWith } from "../../support/keys.ts";
import { DOCUMENT, SHIPS } from "../../tools/credentials/fixtures.ts";
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
    expect(rows[0]?.after).toEqual({
      ...DENY,
      agents: [],
      teams: [],
      when: null,
      approvers: [],
      approvals: 1,
      expiresAfter: "24h",
      remember: "none",
    });

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

  it("revoking a key with its descendants records all revoked keys and each disabled agent", async () => {
    const parent = await keyWith(["keys:manage", "agents:manage", "tasks:read"]);
    const body = { name: "child", scopes: ["tasks:read"] };
    const child = await post("/agents/keys", body, { key: parent });
    await post("/agents", { id: "owned", executor: { type: "worker" } }, { key: parent });
    const { rows } = await rowsOf(() => del(`/agents/keys/${keyId(parent)}?cascade=true`));
    expect(rows.map(({ action, subjectId }) => [action, subjectId])).toEqual([
      ["key.revoked", keyId(parent)],
      ["agent.changed", "owned"],
    ]);
    const keyIds = rows[0]?.before?.["keyIds"];
    expect(new Set(Array.isArray(keyIds) ? keyIds : [])).toEqual(
      new Set([keyId(parent), child.body.data.id]),
    );
  });

  it("a dry run, and a request that changes nothing about a tool, write no row", async () => {
    const tool = { ...SHIPS, id: "unchanged", name: "Unchanged" };
    expect((await post("/agents/tools", tool)).status).toBe(201);
    const same = await rowsOf(() => patch("/agents/tools/unchanged", { name: "Unchanged" }));
    expect([same.outcome.status, same.rows]).toEqual([200, []]);
    const dry = { id: "dry", openapi: { document: DOCUMENT }, dryRun: true };
    const imported = await rowsOf(() => post("/agents/tools/import", dry));
    expect([imported.outcome.status, imported.rows]).toEqual([200, []]);
  });

  it("filters can be combined, and a page continues after its cursor", async () => {
    const key = await keyWith(["policies:manage"]);
    for (const id of ["filter-1", "filter-2", "filter-3"])
      await post("/agents/policies", { id, ...DENY }, { key });
    await del("/agents/policies/filter-2", { key });
    const mine = `keyId=${keyId(key)}`;
    expect(await newestRows(mine)).toHaveLength(4);
    expect(await newestRows(`${mine}&action=policy.deleted`)).toHaveLength(1);
    expect(await newestRows(`${mine}&subjectType=policy&subjectId=filter-2`)).toHaveLength(2);
    expect(await newestRows(`${mine}&subjectType=agent`)).toEqual([]);
    const [newest, , , oldest] = await newestRows(mine);
    const at = encodeURIComponent(oldest?.at ?? "");
    expect((await newestRows(`${mine}&from=${at}`)).at(-1)).toEqual(oldest);
    expect(await newestRows(`${mine}&to=${at}`)).not.toContainEqual(oldest);
    const first = (await get(`/agents/audit?${mine}&limit=3`)).body.data;
    expect(first.rows[0]).toEqual(newest);
    const cursor = encodeURIComponent(first.nextCursor);
    const second = (await get(`/agents/audit?${mine}&limit=3&cursor=${cursor}`)).body.data;
    expect(second).toEqual({ rows: [oldest], limit: 3, nextCursor: null });
    expectProblems(await get(`/agents/audit?limit=3&cursor=${cursor}`), {
      cursor: "must be a nextCursor from a request with the same filters",
    });
  });

  it("the log requires the scope audit:read, which a bound key cannot have", async () => {
    const other = await keyWith(["keys:manage", "agents:manage", "policies:manage"]);
    expectError(await get("/agents/audit", { key: other }), 403, "INSUFFICIENT_SCOPE");
    expectError(await post("/agents/audit/verify", {}, { key: other }), 403, "INSUFFICIENT_SCOPE");
    const reader = await keyWith(["audit:read"]);
    expect((await get("/agents/audit", { key: reader })).status).toBe(200);
    const body = { name: "bound", scopes: ["audit:read"], agentId: "researcher" };
    expectProblems(await post("/agents/keys", body), {
      scopes: "must not contain approvals:decide, audit:read",
    });
  });
});

describe("an export of the audit log", () => {
  it("an export contains all rows with their hashes, oldest first, and ends with its own record", async () => {
    const headers = { Accept: "application/x-ndjson" };
    const { outcome, rows } = await rowsOf(() => get("/agents/audit", { headers }));
    expect(outcome.headers.get("Content-Type")).toBe("application/x-ndjson");
    expect(rows).toMatchObject([{ action: "audit.exported", keyId: "root" }]);
    const lines = outcome.text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual(
      Array.from({ length: rows[0]?.seq ?? 0 }, (_, index) => index + 1),
    );
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual(rows[0]);
    for (const line of lines) {
      const text = line.replace(/,"hash":"[0-9a-f]{64}"\}$/, "}");
      expect(createHash("sha256").update(text).digest("hex")).toBe(JSON.parse(line).hash);
    }
  });

  it("an export of more rows than one page contains each matching row once", async () => {
    const key = await keyWith(["policies:manage"]);
    await post("/agents/policies", { id: "often", ...DENY }, { key });
    const event = {
      actor: { ...ROOT_ACTOR, keyId: "often-exported" },
      entry: { action: "policy.changed", subjectId: "often" },
    } as const;
    for (let round = 0; round < 60; round += 1)
      await recordEvents(env, [event, ...Array.from({ length: 19 }, () => event)]);
    const exported = await get("/agents/audit?format=ndjson&keyId=often-exported");
    const seqs = exported.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).seq);
    expect(new Set(seqs).size).toBe(1_200);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    expect(await verifyAll()).toMatchObject({ valid: true, complete: true });
  });

  it("an export rejects a cursor, and a HEAD request exports nothing", async () => {
    expectProblems(await get("/agents/audit?format=ndjson&cursor=x"), {
      cursor: "must be omitted in an export",
    });
    const { outcome, rows } = await rowsOf(() => send("HEAD", "/agents/audit?format=ndjson"));
    expect([outcome.status, rows]).toEqual([200, []]);
  });
});

describe("the audit table", () => {
  it.each([
    ["changed", "UPDATE audit SET key_id = 'other' WHERE seq = 1", "cannot be changed"],
    ["deleted", "DELETE FROM audit WHERE seq = 1", "cannot be deleted"],
    ["emptied", "DELETE FROM audit", "cannot be deleted"],
    [
      "replaced",
      "INSERT OR REPLACE INTO audit SELECT * FROM audit WHERE seq = 1",
      "must have the next number",
    ],
    [
      "continued with a gap",
      `INSERT INTO audit SELECT seq + 2, at, key_id, session_id, address, user_agent, action, subject_type, subject_id,
        before, after, request_id, previous_hash, hash FROM audit ORDER BY seq DESC LIMIT 1`,
      "must have the next number",
    ],
  ])("the table cannot be %s", async (_, statement, message) => {
    await keyWith(["tasks:read"]);
    await expect(env.DB.prepare(statement).run()).rejects.toThrow(message);
    expect(await verifyAll()).toMatchObject({ valid: true });
  });
});

describe("a change that is not made", () => {
  it("a change that loses against its own condition writes no row", async () => {
    const db = getDatabase(env.DB);
    const { outcome, rows } = await rowsOf(() =>
      audited(env, ROOT_ACTOR, (record) =>
        deletePolicy(db, "never-created", record({ action: "policy.deleted", subjectId: "x" })),
      ),
    );
    expect([outcome, rows]).toEqual([undefined, []]);
  });

  it("what a change has read is still true when its statements run", async () => {
    const id = "read-and-written";
    await post("/agents/policies", { id, ...DENY });
    const db = getDatabase(env.DB);
    let runs = 0;
    await audited(env, ROOT_ACTOR, async (record) => {
      runs += 1;
      const before = await findPolicy(db, id);
      if (runs === 1) await patch(`/agents/policies/${id}`, { reason: "Changed meanwhile." });
      const batch = record({
        action: "policy.changed",
        subjectId: id,
        before,
        after: { ...before, name: "Last" },
      });
      await updatePolicy(db, id, { name: "Last" }, batch);
    });
    expect(runs).toBe(2);
    const [last] = await newestRows(`subjectId=${id}`);
    expect(last).toMatchObject({ before: { name: DENY.name }, after: { name: "Last" } });
    expect((await get(`/agents/policies/${id}`)).body.data).toMatchObject({
      name: "Last",
      reason: "Changed meanwhile.",
    });
  });

  it("a change that finds nothing to change is repeated if another change was recorded meanwhile", async () => {
    const id = "created-meanwhile";
    const db = getDatabase(env.DB);
    let runs = 0;
    await audited(env, ROOT_ACTOR, async (record) => {
      runs += 1;
      const batch = record({ action: "policy.changed", subjectId: id });
      await updatePolicy(
        db,
        runs === 1 ? "not-there" : id,
        { name: "Found" },
        async (statements, deciding) => {
          if (runs === 1) await post("/agents/policies", { id, ...DENY });
          return batch(statements, deciding);
        },
      );
    });
    expect(runs).toBe(2);
    expect((await get(`/agents/policies/${id}`)).body.data.name).toBe("Found");
  });

  it("a change returns 503 if other changes always get in first, and changes nothing", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const db = getDatabase(env.DB);
    const event = {
      actor: ROOT_ACTOR,
      entry: { action: "audit.exported", subjectId: "log" },
    } as const;
    const change = audited(env, ROOT_ACTOR, async (record) => {
      const policy = await findPolicy(db, "read-and-written");
      await recordEvents(env, [event]);
      const batch = record({
        action: "policy.deleted",
        subjectId: "read-and-written",
        before: policy,
      });
      await deletePolicy(db, "read-and-written", batch);
    });
    await expect(change).rejects.toThrow("The audit log cannot be reached");
    expect((await get("/agents/policies/read-and-written")).status).toBe(200);
  });
});
