import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { fail, ok, preview, type Result } from "../../kernel/result.ts";
import { decodeNumberCursor, encodeCursor, type CursorScope } from "../../http/cursor.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import { listNewestRows, listOldestRows, type AuditFilter } from "./audit.store.ts";
import { recordEvents, type AuditEnv } from "./audited.ts";
import { CHAIN_PAGE_ROWS } from "./limits.ts";
import { exportLine, type AuditRow } from "../model/audit-chain.ts";
import type { Actor } from "../model/audit-entry.ts";
import type { AuditQuery } from "./schemas.ts";

/** One page of the matching rows, newest first. */
export async function listAuditLog(
  env: Pick<Env, "DB" | "SIGNING_KEY">,
  query: AuditQuery,
): Promise<Result<{ rows: AuditRow[]; nextCursor: string | null }, Failure>> {
  const { cursor, limit } = query;
  const filter = filterOf(query);
  const scope: CursorScope = { use: "audit", filter: [JSON.stringify(filter)] };
  const before = cursor === undefined ? null : decodeNumberCursor(env.SIGNING_KEY, scope, cursor);
  if (cursor !== undefined && before === null) {
    const rule = "must be a nextCursor from a request with the same filters";
    return fail(createFieldFailure("cursor", `${rule}, got ${preview(cursor)}`));
  }
  const found = await listNewestRows(getDatabase(env.DB), filter, { before, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const nextCursor =
    found.length > limit && last !== undefined
      ? encodeCursor(env.SIGNING_KEY, scope, String(last.seq))
      : null;
  return ok({ rows, nextCursor });
}

/** Records an export, and streams the matching rows up to and including that record, oldest first. */
export async function exportAuditLog(
  env: AuditEnv,
  query: AuditQuery,
  by: Actor,
): Promise<ReadableStream<Uint8Array>> {
  const filter = filterOf(query);
  const entry = { action: "audit.exported", subjectId: "log", after: filter } as const;
  const { seq: upTo } = await recordEvents(env, [{ actor: by, entry }]);
  const db = getDatabase(env.DB);
  const encoder = new TextEncoder();
  let after = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const rows = await listOldestRows(db, filter, { after, upTo, limit: CHAIN_PAGE_ROWS });
      const last = rows.at(-1);
      if (last === undefined) return controller.close();
      after = last.seq;
      controller.enqueue(encoder.encode(rows.map(exportLine).join("")));
    },
  });
}

function filterOf({ action, subjectType, subjectId, keyId, from, to }: AuditQuery): AuditFilter {
  return { action, subjectType, subjectId, keyId, from, to };
}
