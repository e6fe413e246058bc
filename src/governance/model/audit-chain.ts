import { tryParseJson, type Json } from "../../kernel/json.ts";
import type { AuditAction } from "./audit-entry.ts";

/** A row of the audit log as stored. `at` is in milliseconds since 1970; `before` and `after` are JSON. */
export interface AuditRow {
  readonly seq: number;
  readonly at: number;
  readonly keyId: string;
  readonly sessionId: string | null;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly action: AuditAction;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly requestId: string | null;
  readonly previousHash: string;
  readonly hash: string;
}

/** A row's number and hash, which identify all rows up to it. */
export type ChainPosition = Pick<AuditRow, "seq" | "hash">;

/** The position before the first row. The hash is the SHA-256 of an empty text. */
export const CHAIN_START: ChainPosition = {
  seq: 0,
  hash: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
};

/** The SHA-256 of a text in UTF-8, in hex. */
type Sha256 = (text: string) => string;

/**
 * The text whose SHA-256 is a row's hash: the row as JSON with its fields in this order, without spaces and without
 * `hash`. Null if the row has values that Bosun never stores.
 */
export function canonicalText(row: Omit<AuditRow, "hash">): string | null {
  const { seq, at, keyId, sessionId, address, userAgent, action } = row;
  const { subjectType, subjectId, requestId, previousHash } = row;
  const [before, after] = [parseExactly(row.before), parseExactly(row.after)];
  if (before === undefined || after === undefined || !isInstant(at)) return null;
  const texts = { keyId, sessionId, address, userAgent, action, subjectType, subjectId };
  const iso = new Date(at).toISOString();
  return JSON.stringify({ seq, at: iso, ...texts, before, after, requestId, previousHash });
}

/** The row's line in an export: its canonical text with its hash as the last field. */
export function exportLine({ hash, ...row }: AuditRow): string {
  const text = canonicalText(row) ?? JSON.stringify(row);
  return `${text.slice(0, -1)},"hash":${JSON.stringify(hash)}}\n`;
}

/** Adds the hash to a new row, whose values are valid. */
export function hashRow(row: Omit<AuditRow, "hash">, sha256: Sha256): AuditRow {
  return { ...row, hash: sha256(canonicalText(row) ?? "") };
}

/** Why a chain is invalid. */
export const CHAIN_PROBLEMS = ["row_missing", "row_altered", "link_broken"] as const;
type ChainProblem = (typeof CHAIN_PROBLEMS)[number];

interface ChainBreak {
  readonly brokenAt: number;
  readonly problem: ChainProblem;
}

/**
 * Verifies rows in ascending order that follow `previous`. Returns the position of the last valid row, and the first
 * problem if there is one.
 */
export function verifyRows(
  previous: ChainPosition,
  rows: readonly AuditRow[],
  sha256: Sha256,
): { readonly last: ChainPosition; readonly broken: ChainBreak | null } {
  let last = previous;
  for (const row of rows) {
    const problem = findProblem(last, row, sha256);
    if (problem !== null) return { last, broken: problem };
    last = { seq: row.seq, hash: row.hash };
  }
  return { last, broken: null };
}

function findProblem(last: ChainPosition, row: AuditRow, sha256: Sha256): ChainBreak | null {
  const next = last.seq + 1;
  if (row.seq !== next) return { brokenAt: next, problem: "row_missing" };
  if (row.previousHash !== last.hash) return { brokenAt: next, problem: "link_broken" };
  const text = canonicalText(row);
  if (text === null || sha256(text) !== row.hash) return { brokenAt: next, problem: "row_altered" };
  return null;
}

/** Parses JSON that is written exactly as `JSON.stringify` writes it; undefined for any other text. */
function parseExactly(text: string | null): Json | undefined {
  if (text === null) return null;
  const value = tryParseJson(text);
  return value !== undefined && value !== null && JSON.stringify(value) === text
    ? value
    : undefined;
}

function isInstant(at: number): boolean {
  return Number.isInteger(at) && Math.abs(at) <= 8.64e15;
}
