import { PRIORITIES, TASK_STATUSES } from "../../../../src/tasks/model/task.ts";
import { assignShard, listDirectoryDatabases } from "../../../../src/platform/d1/client.ts";
import { env } from "cloudflare:workers";
import { Rng } from "../../../support/rng.ts";

export const AGENTS = ["ada", "bob", "cleo"] as const;
export const TEAMS = ["north", "south"] as const;

/** A directory row whose task was never created. */
export interface SeededRow {
  readonly id: string;
  readonly status: string;
  readonly agentId: string | null;
  readonly teamId: string | null;
  readonly priority: string;
  readonly title: string | null;
  readonly createdAt: number;
}

const TITLES = [
  null,
  null,
  "Alpha",
  "alpha",
  "ALPHA 2",
  "Ωmega",
  "\u{1F6A2} ship",
  "\uFF21",
  "50% off",
  "a_b",
];

/** Builds rows for tasks of all kinds. About seven tasks share each creation time. */
export function buildRows(count: number): SeededRow[] {
  const rng = new Rng(count);
  return Array.from({ length: count }, () => {
    const digits = Array.from({ length: 64 }, () => rng.below(16).toString(16));
    return {
      id: digits.join(""),
      status: rng.pick(TASK_STATUSES),
      agentId: rng.oneIn(4) ? null : rng.pick(AGENTS),
      teamId: rng.oneIn(2) ? null : rng.pick(TEAMS),
      priority: rng.pick(PRIORITIES),
      title: TITLES[rng.below(TITLES.length)] ?? null,
      createdAt: 1_700_000_000_000 + rng.below(Math.ceil(count / 7)) * 40_000_000,
    };
  });
}

/** Replaces the directory's rows with these, spread over this number of databases. */
export async function replaceDirectoryRows(
  rows: readonly SeededRow[],
  shards: number,
): Promise<void> {
  const databases = listDirectoryDatabases(env);
  for (const database of databases) await database.prepare("DELETE FROM directory").run();
  for (const [shard, database] of databases.entries()) {
    const own = rows.filter(({ id }) => assignShard(id, { first: 0, count: shards }) === shard);
    await database
      .prepare(
        `INSERT INTO directory (id, seq, status, task, agent_id, team_id, priority, title, attempt, created_at)
         SELECT value->>'id', 3, value->>'status', 'Task', value->>'agentId', value->>'teamId', value->>'priority', value->>'title', 1, value->>'createdAt'
         FROM json_each(?)`,
      )
      .bind(JSON.stringify(own))
      .run();
  }
}

const teams: string[] = [];

/**
 * Inserts a team's tasks into one shard, a second apart. Tasks of different teams have different
 * times.
 */
export async function seedTeam(shard: number, teamId: string, count: number): Promise<void> {
  const database = listDirectoryDatabases(env)[shard];
  if (!teams.includes(teamId)) teams.push(teamId);
  const from = 1_500_000_000_000 + teams.indexOf(teamId) * 100_000_000;
  await database
    ?.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
       INSERT INTO directory (id, seq, status, task, team_id, priority, attempt, created_at)
       SELECT printf('%04x%060x', ?3, i), 9, 'failed', 'Task ' || i, ?1, 'medium', 1, ?4 + i * 1000 FROM n`,
    )
    .bind(teamId, count, shard, from)
    .run();
}
