import { sql, type SQL, type SQLWrapper } from "drizzle-orm";

/**
 * Whether a stored key is valid now: not revoked and not expired. False for unknown keys and for the root key,
 * which is not stored.
 */
export function isKeyValid(id: string | SQLWrapper, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM keys AS checked WHERE checked.id = ${id}
    AND checked.revoked_at IS NULL AND (checked.expires_at IS NULL OR checked.expires_at > ${now}))`;
}
