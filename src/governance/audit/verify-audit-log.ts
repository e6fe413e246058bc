import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { getDatabase, type Database } from "../../platform/d1/client.ts";
import { findChainStart, listOldestRows } from "./audit.store.ts";
import { CHAIN_PAGE_ROWS, VERIFIED_ROWS_MAX } from "./limits.ts";
import { verifyRows, type ChainPosition } from "../model/audit-chain.ts";
import { sha256Text } from "../../platform/crypto/hash.ts";
import type { AuditVerificationResponse } from "./schemas.ts";

/** Verifies up to VERIFIED_ROWS_MAX rows after `since`, or from the oldest row if it is undefined. */
export async function verifyAuditLog(
  env: Pick<Env, "DB">,
  since: ChainPosition | undefined,
): Promise<Result<AuditVerificationResponse, Failure>> {
  const db = getDatabase(env.DB);
  const start = await findChainStart(db);
  if (since === undefined) return ok(await verifyAfter(db, start));
  if (since.seq < start.seq) {
    const rule = `must be at least ${start.seq}, because the rows before it have expired`;
    return fail(createFieldFailure("since.seq", `${rule}, got ${since.seq}`));
  }
  const [row] = await listOldestRows(db, {}, { after: since.seq - 1, upTo: since.seq, limit: 1 });
  const known = since.seq === start.seq ? start : row;
  if (known?.hash === since.hash) return ok(await verifyAfter(db, since));
  const problem = known === undefined ? ("row_missing" as const) : ("hash_mismatch" as const);
  return ok({ ...resultOf(null, since, 0), valid: false, brokenAt: since.seq, problem });
}

async function verifyAfter(
  db: Database,
  position: ChainPosition,
): Promise<AuditVerificationResponse> {
  let last = position;
  let first: number | null = null;
  let rows = 0;
  while (rows < VERIFIED_ROWS_MAX) {
    const range = { after: last.seq, upTo: Number.MAX_SAFE_INTEGER, limit: CHAIN_PAGE_ROWS };
    const page = await listOldestRows(db, {}, range);
    if (page.length === 0) return { ...resultOf(first, last, rows), complete: true };
    const checked = verifyRows(last, page, sha256Text);
    rows += checked.last.seq - last.seq;
    first ??= checked.last.seq > last.seq ? last.seq + 1 : null;
    last = checked.last;
    if (checked.broken === null) continue;
    // Rows may have expired since the verification began.
    const start = await findChainStart(db);
    if (start.seq <= last.seq)
      return { ...resultOf(first, last, rows), valid: false, ...checked.broken };
    last = start;
  }
  return resultOf(first, last, rows);
}

function resultOf(
  firstSeq: number | null,
  { seq: lastSeq, hash: lastHash }: ChainPosition,
  rows: number,
): AuditVerificationResponse {
  return { valid: true, complete: false, rows, firstSeq, lastSeq, lastHash };
}
