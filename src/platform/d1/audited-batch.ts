import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { Database } from "./client.ts";

export type Statements = readonly [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]];

/**
 * Runs the statements of a change in one transaction, as `db.batch` does, together with the row of the audit log. The row
 * is inserted only if the statement with the index `deciding` (by default the first one) inserts, updates or deletes at
 * least one row.
 */
export type AuditedBatch = <Batch extends Statements>(
  statements: Batch,
  deciding?: number,
) => Promise<BatchResponse<Batch>>;

/** For changes that the audit log does not contain: those of a task's own webhooks. */
export function unaudited(db: Database): AuditedBatch {
  return (statements) => db.batch(statements);
}
