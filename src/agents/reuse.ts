import { sql } from "drizzle-orm";
import { database } from "../db/client.ts";
import { shardsOf, type ShardsEnv } from "../db/shards.ts";

/**
 * Whether an id belonged to a deleted agent. Such an id is not reused, because keys, tasks, usage and events
 * still name it. Earlier releases did not store deleted ids, so tasks and keys are checked as well.
 */
export function wasAgent(env: ShardsEnv, id: string): Promise<boolean> {
  return wasUsed(env, sql`agent_id = ${id}`, sql`SELECT 1 FROM deleted_agents WHERE id = ${id}`);
}

/** The same for a team. */
export function wasTeam(env: ShardsEnv, id: string): Promise<boolean> {
  return wasUsed(env, sql`team_id = ${id}`, sql`SELECT 1 FROM deleted_teams WHERE id = ${id}`);
}

async function wasUsed(
  env: ShardsEnv,
  names: ReturnType<typeof sql>,
  deleted: ReturnType<typeof sql>,
): Promise<boolean> {
  const [first, ...further] = shardsOf(env);
  const inTasks = sql`EXISTS (SELECT 1 FROM directory WHERE ${names})`;
  const inKeys = sql`EXISTS (SELECT 1 FROM keys WHERE ${names} AND revoked_at IS NULL)`;
  const found = await Promise.all([
    database(first).get<Found>(
      sql`SELECT EXISTS (${deleted}) OR ${inTasks} OR ${inKeys} AS was_used`,
    ),
    ...further.map((shard) => database(shard).get<Found>(sql`SELECT ${inTasks} AS was_used`)),
  ]);
  return found.some((row) => row.was_used === 1);
}

interface Found {
  readonly was_used: number;
}
