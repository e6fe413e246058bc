import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { recordEvents } from "../../../src/governance/audit/audited.ts";
import { DAY_MS } from "../../../src/kernel/units.ts";
import { ROOT_ACTOR } from "../../support/actor.ts";
import { post } from "../../support/client.ts";
import { expectProblems } from "../../support/expect-errors.ts";
import { newestRows, verifyAll } from "./fixtures.ts";

const EVENT = {
  actor: ROOT_ACTOR,
  entry: { action: "policy.changed", subjectId: "p", after: { name: "a" } },
} as const;

const TRIGGERS = ["audit_insert", "audit_update", "audit_delete"];

/** Changes the log as someone does who has full access to the database. The log is restored after the test. */
async function tamper(...statements: readonly string[]): Promise<void> {
  const { results } = await env.DB.prepare(
    "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'",
  ).all<{ sql: string }>();
  const rows = await env.DB.prepare("SELECT * FROM audit").all();
  for (const name of TRIGGERS) await env.DB.prepare(`DROP TRIGGER ${name}`).run();
  for (const statement of statements) await env.DB.prepare(statement).run();
  onTestFinished(async () => {
    await env.DB.prepare("DELETE FROM audit").run();
    for (const row of rows.results) {
      const marks = Object.keys(row).map(() => "?");
      await env.DB.prepare(`INSERT INTO audit VALUES (${marks.join(", ")})`)
        .bind(...Object.values(row))
        .run();
    }
    for (const { sql } of results) await env.DB.prepare(sql).run();
  });
}

const record = (count: number) =>
  recordEvents(env, [EVENT, ...Array.from({ length: count - 1 }, () => EVENT)]);

const verifySince = async (since: { seq: number; hash: string }) =>
  (await post("/agents/audit/verify", { since })).body.data;

beforeEach(() => record(6));

describe("a verification of the audit log", () => {
  it.each([
    ["key_id", "'other'"],
    ["at", "at + 1"],
    ["action", "'agent.deleted'"],
    ["after", "'{}'"],
    ["request_id", "'other'"],
    ["hash", "previous_hash"],
    ["previous_hash", "hash"],
  ])("a changed value in the column %s is detected", async (column, value) => {
    await tamper(`UPDATE audit SET ${column} = ${value} WHERE seq = 3`);
    const result = await verifyAll();
    expect(result).toMatchObject({
      valid: false,
      complete: false,
      rows: 2,
      lastSeq: 2,
      brokenAt: 3,
    });
  });

  it("a deleted row and deleted first rows are detected", async () => {
    await tamper("DELETE FROM audit WHERE seq = 4");
    expect(await verifyAll()).toMatchObject({ valid: false, brokenAt: 4, problem: "row_missing" });
    await env.DB.prepare("DELETE FROM audit WHERE seq < 4").run();
    expect(await verifyAll()).toMatchObject({
      valid: false,
      rows: 0,
      firstSeq: null,
      brokenAt: 1,
      problem: "row_missing",
    });
  });

  it("a log whose end was deleted is valid, except to someone who knows a later row", async () => {
    const { lastSeq: seq, lastHash: hash } = await verifyAll();
    expect(await verifySince({ seq, hash })).toMatchObject({ valid: true, rows: 0, lastSeq: seq });
    await tamper(`DELETE FROM audit WHERE seq = ${seq}`);
    expect(await verifyAll()).toMatchObject({ valid: true, lastSeq: seq - 1 });
    expect(await verifySince({ seq, hash })).toMatchObject({
      valid: false,
      brokenAt: seq,
      problem: "row_missing",
    });
  });

  it("a rewritten log is valid, except to someone who knows an earlier hash", async () => {
    const rows = await newestRows();
    const known = rows[2];
    if (known === undefined) throw new Error("no row");
    const before = { seq: known.seq, hash: known.hash };
    expect(await verifySince(before)).toMatchObject({
      valid: true,
      rows: 2,
      firstSeq: known.seq + 1,
    });
    await tamper("DELETE FROM audit");
    await record(10);
    expect(await verifyAll()).toMatchObject({ valid: true });
    const after = (await newestRows()).find(({ seq }) => seq === known.seq);
    expect(await verifySince(before)).toMatchObject(
      after === undefined
        ? { valid: false, problem: "row_missing" }
        : { valid: false, brokenAt: known.seq, problem: "hash_mismatch" },
    );
  });

  it("a verification can be continued after any row, and covers the rows of all pages", async () => {
    for (let round = 0; round < 30; round += 1) await record(20);
    const [newest] = await newestRows("limit=1");
    const whole = await verifyAll();
    expect(whole).toMatchObject({ valid: true, complete: true, rows: newest?.seq, firstSeq: 1 });
    expect([whole.lastSeq, whole.lastHash]).toEqual([newest?.seq, newest?.hash]);
  });

  it("since must name a row with its hash", async () => {
    expectProblems(await post("/agents/audit/verify", { since: { seq: 0, hash: "x" } }), {
      "since.seq": "must be at least 1",
      "since.hash": "must be 64 hex digits",
    });
  });
});

describe("the retention of the audit log", () => {
  it("expired rows are deleted in portions, the oldest first, and the rest stays verifiable", async () => {
    const keeping = { ...env, AUDIT_RETENTION_DAYS: "30" };
    for (let round = 0; round < 10; round += 1) await record(20);
    const before = await verifyAll();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31 * DAY_MS });
    onTestFinished(() => void vi.useRealTimers());
    await recordEvents(keeping, [EVENT]);
    const first = await verifyAll();
    expect(first).toMatchObject({ valid: true, complete: true, firstSeq: before.firstSeq + 100 });
    const expired = { seq: before.firstSeq + 5, hash: before.lastHash };
    expectProblems(await post("/agents/audit/verify", { since: expired }), {
      "since.seq": `must be at least ${before.firstSeq + 99}`,
    });
    for (let round = 0; round < 10; round += 1) await recordEvents(keeping, [EVENT]);
    const last = await verifyAll();
    // The rows since the clock moved have not expired.
    expect(last).toMatchObject({ valid: true, firstSeq: before.lastSeq + 1, rows: 11 });
    await tamper(`DELETE FROM audit WHERE seq = ${last.firstSeq}`);
    expect(await verifyAll()).toMatchObject({ valid: false, brokenAt: last.firstSeq });
  });

  it("rows are kept without a retention, and a row that has not expired cannot be deleted", async () => {
    const { firstSeq } = await verifyAll();
    await record(2);
    expect(await verifyAll()).toMatchObject({ firstSeq });
    await expect(env.DB.prepare(`DELETE FROM audit WHERE seq = ${firstSeq}`).run()).rejects.toThrow(
      "cannot be deleted",
    );
  });

  it("the last row is never deleted", async () => {
    const keeping = { ...env, AUDIT_RETENTION_DAYS: "1" };
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_000 * DAY_MS });
    onTestFinished(() => void vi.useRealTimers());
    for (let round = 0; round < 10; round += 1) await recordEvents(keeping, [EVENT]);
    const [newest] = await newestRows("limit=1");
    await env.DB.prepare(
      "UPDATE audit_retention SET last_seq = 1000000, deleted_before = 9e15",
    ).run();
    const removal = env.DB.prepare(`DELETE FROM audit WHERE seq = ${newest?.seq}`).run();
    await expect(removal).rejects.toThrow("cannot be deleted");
  });
});
