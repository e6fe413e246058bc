import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AuditAction } from "../../governance/model/audit-entry.ts";

/**
 * The audit log: configuration changes, sign-ins and denied calls. Triggers (migration 0020) allow only the next row to
 * be inserted, no row to be changed, and only the rows that `audit_retention` names to be deleted.
 */
export const auditTable = sqliteTable(
  "audit",
  {
    /** 1, 2, 3 and so on, without gaps. */
    seq: integer("seq").primaryKey(),
    at: integer("at").notNull(),
    keyId: text("key_id").notNull(),
    sessionId: text("session_id"),
    address: text("address"),
    userAgent: text("user_agent"),
    action: text("action").$type<AuditAction>().notNull(),
    subjectType: text("subject_type").notNull(),
    subjectId: text("subject_id").notNull(),
    /** The changed fields before the change, as JSON without secrets. */
    before: text("before"),
    after: text("after"),
    requestId: text("request_id"),
    previousHash: text("previous_hash").notNull(),
    /** The SHA-256 of the row's canonical text, which contains `previous_hash`. */
    hash: text("hash").notNull(),
  },
  (table) => [
    index("audit_at").on(table.at),
    index("audit_action").on(table.action),
    index("audit_subject").on(table.subjectType, table.subjectId),
    index("audit_key").on(table.keyId),
  ],
);

/** One row: the last row that was deleted from the audit log because of its age. */
export const auditRetentionTable = sqliteTable("audit_retention", {
  id: integer("id").primaryKey(),
  /** Rows from before this time may be deleted, up to `lastSeq`. */
  deletedBefore: integer("deleted_before").notNull(),
  lastSeq: integer("last_seq").notNull(),
  lastHash: text("last_hash").notNull(),
});
