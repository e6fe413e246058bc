import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  canonicalText,
  CHAIN_START,
  exportLine,
  hashRow,
  verifyRows,
  type AuditRow,
} from "../../../src/governance/model/audit-chain.ts";
import { AUDIT_ACTIONS, changedFields } from "../../../src/governance/model/audit-entry.ts";
import { redactState } from "../../../src/governance/model/audit-state.ts";
import { STATE_BYTES_MAX } from "../../../src/governance/limits.ts";
import { Rng } from "../../support/rng.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A valid chain with random content. */
function chainOf(rng: Rng, length: number): AuditRow[] {
  const rows: AuditRow[] = [];
  let previousHash = CHAIN_START.hash;
  for (let seq = 1; seq <= length; seq += 1) {
    const action = rng.pick(AUDIT_ACTIONS);
    const state = (): string | null =>
      rng.pick([
        null,
        JSON.stringify({ n: rng.below(9), text: '","after":{"' }),
        '{"2":1,"b":[null]}',
      ]);
    const row = hashRow(
      {
        seq,
        at: 1_800_000_000_000 + rng.below(1_000_000),
        keyId: rng.pick(["root", "0123456789abcdef"]),
        sessionId: rng.pick([null, "a".repeat(64)]),
        address: rng.pick([null, "203.0.113.7", "2001:db8::1"]),
        userAgent: rng.pick([null, 'curl/8 "é"', ""]),
        action,
        subjectType: "agent",
        subjectId: `agent-${rng.below(5)}`,
        before: state(),
        after: state(),
        requestId: rng.pick([null, "request"]),
        previousHash,
      },
      sha256,
    );
    rows.push(row);
    previousHash = row.hash;
  }
  return rows;
}

const verify = (rows: readonly AuditRow[]) => verifyRows(CHAIN_START, rows, sha256);

/** Other values for each field, which Bosun could have stored. */
const OTHER: { readonly [Field in keyof AuditRow]: AuditRow[Field] } = {
  seq: 77,
  at: 1,
  keyId: "another",
  sessionId: "b".repeat(64),
  address: "192.0.2.1",
  userAgent: "other",
  action: "agent.deleted",
  subjectType: "other",
  subjectId: "other",
  before: '{"other":1}',
  after: '{"other":2}',
  requestId: "other",
  previousHash: "c".repeat(64),
  hash: "d".repeat(64),
};
const FIELDS = [
  "seq",
  "at",
  "keyId",
  "sessionId",
  "address",
  "userAgent",
  "action",
  "subjectType",
  "subjectId",
  "before",
  "after",
  "requestId",
  "previousHash",
  "hash",
] as const satisfies readonly (keyof AuditRow)[];

describe("the chain of the audit log", () => {
  it("the tests change every field", () => {
    expect(FIELDS.toSorted()).toEqual(Object.keys(OTHER).toSorted());
  });

  it("a chain that nobody changed is valid, whatever the size of its pages", () => {
    const rng = new Rng(1);
    for (let round = 0; round < 200; round += 1) {
      const rows = chainOf(rng, 1 + rng.below(20));
      expect(verify(rows)).toEqual({
        last: { seq: rows.length, hash: rows.at(-1)?.hash },
        broken: null,
      });
      const cut = rng.below(rows.length);
      const first = verify(rows.slice(0, cut));
      expect(verifyRows(first.last, rows.slice(cut), sha256).broken).toBeNull();
    }
  });

  it("a change of any field of any row is detected at that row or the next one", () => {
    const rng = new Rng(2);
    for (let round = 0; round < 3_000; round += 1) {
      const rows = chainOf(rng, 2 + rng.below(6));
      const index = rng.below(rows.length);
      const field = rng.pick(FIELDS);
      const before = rows[index];
      if (before === undefined || before[field] === OTHER[field]) continue;
      const tampered = rows.with(index, { ...before, [field]: OTHER[field] });
      const { broken } = verify(tampered);
      expect([index + 1, index + 2], `${field} of ${index + 1}`).toContain(broken?.brokenAt);
    }
  });

  it("a changed row with a recomputed hash is detected at the next row", () => {
    const rng = new Rng(3);
    for (let round = 0; round < 1_000; round += 1) {
      const rows = chainOf(rng, 3 + rng.below(6));
      const index = rng.below(rows.length - 1);
      const before = rows[index];
      if (before === undefined) continue;
      const tampered = rows.with(index, hashRow({ ...before, keyId: "someone-else" }, sha256));
      expect(verify(tampered).broken).toEqual({ brokenAt: index + 2, problem: "link_broken" });
    }
  });

  it("deleted, inserted, repeated and swapped rows are detected", () => {
    const rng = new Rng(4);
    for (let round = 0; round < 2_000; round += 1) {
      const rows = chainOf(rng, 3 + rng.below(6));
      const index = rng.below(rows.length - 1);
      const [one, next] = [rows[index], rows[index + 1]];
      if (one === undefined || next === undefined) continue;
      const tamperings = [
        rows.toSpliced(index, 1),
        rows.toSpliced(index, 0, one),
        rows.toSpliced(index, 2, next, one),
        rows.toSpliced(index, 2, { ...next, seq: one.seq }, { ...one, seq: next.seq }),
        rows.toSpliced(index, 1).map((row, at) => ({ ...row, seq: at + 1 })),
      ];
      for (const tampered of tamperings) expect(verify(tampered).broken).not.toBeNull();
    }
  });

  it("deleting the first rows is detected, and deleting the last rows only by someone who knows a later row", () => {
    const rows = chainOf(new Rng(5), 10);
    expect(verify(rows.slice(3)).broken).toEqual({ brokenAt: 1, problem: "row_missing" });
    const rest = rows.slice(0, 7);
    expect(verify(rest).broken).toBeNull();
    expect(verify(rest).last.hash).not.toBe(rows.at(-1)?.hash);
  });

  it("moving text between fields is detected, although the texts are hashed as one", () => {
    const [row] = chainOf(new Rng(6), 1);
    if (row === undefined) throw new Error("no row");
    const honest = hashRow({ ...row, before: '{"a":1,"after":2}', after: '{"b":1}' }, sha256);
    const moved = { ...honest, before: '{"a":1', after: '2},"after":{"b":1}' };
    expect(canonicalText(moved)).toBeNull();
    expect(verify([moved]).broken).toEqual({ brokenAt: 1, problem: "row_altered" });
    for (const before of [' {"a":1,"after":2}', "null", "{", '{"a":1.0,"after":2}'])
      expect(verify([{ ...honest, before }]).broken).not.toBeNull();
    expect(verify([{ ...honest, at: 1.5 }]).broken).not.toBeNull();
    expect(verify([{ ...honest, at: 1e300 }]).broken).not.toBeNull();
  });

  it("a line of an export without its hash has that hash", () => {
    for (const row of chainOf(new Rng(7), 50)) {
      const line = exportLine(row).trimEnd();
      const text = line.replace(/,"hash":"[0-9a-f]{64}"\}$/, "}");
      expect(sha256(text)).toBe(row.hash);
      expect(JSON.parse(line)).toMatchObject({ seq: row.seq, hash: row.hash });
    }
  });
});

describe("the states in the audit log", () => {
  it("a change contains only the fields that differ", () => {
    const before = { name: "a", skills: ["x"], teams: [], note: undefined };
    const after = { teams: [], skills: ["y"], name: "a", extra: 1 };
    expect(changedFields({ action: "agent.changed", subjectId: "a", before, after })).toEqual({
      before: { skills: ["x"] },
      after: { skills: ["y"], extra: 1 },
    });
    expect(changedFields({ action: "agent.deleted", subjectId: "a", before })).toEqual({
      before: { name: "a", skills: ["x"], teams: [] },
      after: null,
    });
  });

  it("secrets, header values and the queries of URLs are hidden", () => {
    const state = {
      connector: { url: "https://api.example/v1?key=abc", headers: { "X-Own": "value" } },
      password: "hunter2",
      pages: ["http://one.example/#token", "https://two.example/path"],
      text: "Authorization: Bearer abcdefghijkl",
    };
    expect(JSON.parse(redactState(state, sha256) ?? "")).toEqual({
      connector: { url: "https://api.example/v1?***", headers: { "X-Own": "***" } },
      password: "***",
      pages: ["http://one.example/?***", "https://two.example/path"],
      text: "Authorization: Bearer ***",
    });
  });

  it("a long state is cut off, with its size and the SHA-256 of its redacted text", () => {
    const state = { token: "a-secret-token", text: "é".repeat(STATE_BYTES_MAX) };
    const redacted = JSON.stringify({ ...state, token: "***" });
    const { cut } = JSON.parse(redactState(state, sha256) ?? "");
    expect(cut.bytes).toBe(Buffer.byteLength(redacted));
    expect(cut.sha256).toBe(sha256(redacted));
    expect(Buffer.byteLength(cut.start)).toBeLessThanOrEqual(STATE_BYTES_MAX);
    expect(redacted.startsWith(cut.start)).toBe(true);
  });

  it("the stored text of a state is what JSON.stringify writes, so that it can be verified", () => {
    const states = [{ 2: "b", 1: "a", text: '"\u2028\ud800' }, { ["__proto__"]: 1 }, {}];
    for (const state of [...states, { long: "x".repeat(20_000) }]) {
      const text = redactState(state, sha256) ?? "";
      expect(JSON.stringify(JSON.parse(text))).toBe(text);
    }
  });
});
