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

/** The ids of a key and all keys that it created, directly or indirectly, including revoked keys. */
export function keyFamilySql(id: string): SQL {
  return sql`(WITH RECURSIVE family(id) AS (
    SELECT ${id} UNION SELECT child.id FROM keys AS child JOIN family ON child.created_by = family.id
  ) SELECT id FROM family)`;
}
