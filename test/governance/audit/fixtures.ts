import { expect } from "vitest";
import type { AuditRowResponse } from "../../../src/governance/audit/schemas.ts";
import { get, post } from "../../support/client.ts";

/** The newest rows of the audit log, newest first. */
export async function newestRows(query = "limit=100"): Promise<AuditRowResponse[]> {
  const answer = await get(`/agents/audit?${query}`);
  expect(answer.status).toBe(200);
  return answer.body.data.rows;
}

/** The number of the last row; 0 if there is none. */
export async function lastSeq(): Promise<number> {
  return (await newestRows("limit=1"))[0]?.seq ?? 0;
}

/** The rows that a piece of work writes, oldest first, with its outcome. */
export async function rowsOf<Outcome>(
  work: () => Promise<Outcome>,
): Promise<{ outcome: Outcome; rows: AuditRowResponse[] }> {
  const before = await lastSeq();
  const outcome = await work();
  const rows = (await newestRows()).filter(({ seq }) => seq > before).toReversed();
  return { outcome, rows };
}

/** Verifies the whole log. */
export async function verifyAll() {
  const answer = await post("/agents/audit/verify");
  expect(answer.status).toBe(200);
  return answer.body.data;
}
