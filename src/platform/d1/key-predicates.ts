import { sql, type SQL } from "drizzle-orm";

/** Whether a stored key is neither revoked nor expired. False for the root key, which is not stored. */
export function isKeyValidSql(id: string | SQL, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM keys AS checked WHERE checked.id = ${id}
    AND checked.revoked_at IS NULL AND (checked.expires_at IS NULL OR checked.expires_at > ${now}))`;
}

/**
 * Whether a webhook's key is revoked or expired. False for A2A configurations, whose keys are checked for each message
 * instead.
 */
export function hasCreatorEndedSql(now: number): SQL {
  return sql`(webhooks.task_id IS NULL AND EXISTS (SELECT 1 FROM keys AS creator
    WHERE creator.id = webhooks.created_by
    AND (creator.revoked_at IS NOT NULL OR creator.expires_at <= ${now})))`;
}
