import { Hono } from "hono";
import { selectMediaType } from "../../kernel/accept.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { fail, ok } from "../../kernel/result.ts";
import type { AppContext, AppEnv } from "../../http/envelope.ts";
import { answerOtherMethods, defineEndpoint } from "../../http/endpoint.ts";
import { actorOf } from "./actor.ts";
import { exportAuditLog, listAuditLog } from "./list-audit-log.ts";
import { auditOperations } from "./operations.ts";
import type { AuditQuery } from "./schemas.ts";
import { verifyAuditLog } from "./verify-audit-log.ts";
import { auditRowView } from "./view.ts";

const NDJSON = "application/x-ndjson";

const list = defineEndpoint(auditOperations.listAudit, async (c, { query }) => {
  if (!isExport(c, query)) {
    const page = await listAuditLog(c.env, query);
    if (!page.ok) return page;
    const { rows, nextCursor } = page.value;
    return ok({ data: { rows: rows.map(auditRowView), limit: query.limit, nextCursor } });
  }
  if (query.cursor !== undefined) {
    const message = "must be omitted in an export, which contains all matching rows";
    return fail<Failure>(createFieldFailure("cursor", message));
  }
  return c.body(await exportAuditLog(c.env, query, actorOf(c)), 200, {
    "Content-Type": NDJSON,
    "Content-Disposition": 'attachment; filename="audit.ndjson"',
    "Cache-Control": "no-store",
  });
});

/** A HEAD request exports nothing. */
function isExport(c: AppContext, { format }: AuditQuery): boolean {
  if (c.req.method === "HEAD") return false;
  if (format !== undefined) return format === "ndjson";
  return selectMediaType(c.req.header("Accept"), ["application/json", NDJSON]) === NDJSON;
}

const verify = defineEndpoint(auditOperations.verifyAudit, async (c, { body }) => {
  const verified = await verifyAuditLog(c.env, body.since);
  return verified.ok ? ok({ data: verified.value }) : verified;
});

export const auditRoutes = answerOtherMethods(
  new Hono<AppEnv>().get("/agents/audit", ...list).post("/agents/audit/verify", ...verify),
);
