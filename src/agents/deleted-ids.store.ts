import { sql } from "drizzle-orm";
import { getDatabase } from "../platform/d1/client.ts";
import { listDirectoryDatabases, type DirectoryEnv } from "../platform/d1/shards.ts";

/**
 * Whether an id belonged to a deleted agent. Such an id is not reused, because keys, tasks, usage and events
 * still name it. Earlier releases did not store deleted ids, so tasks and keys are checked as well.
 */
export function isDeletedAgentId(env: DirectoryEnv, id: string): Promise<boolean> {
  return isUsedId(env, sql`agent_id = ${id}`, sql`SELECT 1 FROM deleted_agents WHERE id = ${id}`);
}

/** The same for a team. */
export function isDeletedTeamId(env: DirectoryEnv, id: string): Promise<boolean> {
  return isUsedId(env, sql`team_id = ${id}`, sql`SELECT 1 FROM deleted_teams WHERE id = ${id}`);
}

async function isUsedId(
  env: DirectoryEnv,
  condition: ReturnType<typeof sql>,
  deleted: ReturnType<typeof sql>,
): Promise<boolean> {
  const [first, ...further] = listDirectoryDatabases(env);
  const inTasks = sql`EXISTS (SELECT 1 FROM directory WHERE ${condition})`;
  const inKeys = sql`EXISTS (SELECT 1 FROM keys WHERE ${condition} AND revoked_at IS NULL)`;
  const found = await Promise.all([
    getDatabase(first).get<UsedRow>(
      sql`SELECT EXISTS (${deleted}) OR ${inTasks} OR ${inKeys} AS was_used`,
    ),
    ...further.map((shard) => getDatabase(shard).get<UsedRow>(sql`SELECT ${inTasks} AS was_used`)),
  ]);
  return found.some((row) => row.was_used === 1);
}

interface UsedRow {
  readonly was_used: number;
}
