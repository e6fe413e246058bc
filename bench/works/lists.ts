import { BOSUN_HEADERS } from "../dialects.ts";
import { NEVER_MS, type RequestSpec } from "../contestants/contestant.ts";
import { startContestants, LIMIT, PG_BOSS, stopAll, THIS, type Contestant } from "../field.ts";
import { load } from "../load.ts";
import type { Work } from "../results.ts";
import { runRounds } from "../rounds.ts";
import type { Setting } from "./setting.ts";

export const SIZES = [1_000, 100_000, 1_000_000] as const;
const CONNECTIONS = 8;
const LISTED_A_ROUND = 80;
/** There are fewer rounds for lists, because 36 similar kinds of pages are measured. */
const ROUNDS_MAX = 3;
/** The creation time of the first row. Rows are one second apart. */
const FIRST_AT = 1_700_000_000_000;
const AGENTS = 10;
const TEAMS = 10;
const STATUSES = ["pending", "assigned", "in_progress", "completed", "failed"] as const;
const PRIORITIES = ["low", "medium", "high", "urgent"] as const;

/** A filter as query parameters of Bosun's API, and of the bare Worker and the pg-boss server. */
interface Filter {
  readonly id: string;
  readonly api: (rows: number) => string;
  readonly bare: (rows: number) => string;
}

const FILTERS: readonly Filter[] = [
  { id: "none", api: () => "", bare: () => "" },
  { id: "status", api: () => "status=completed", bare: () => "status=completed" },
  { id: "agent", api: () => "agentId=agent-7", bare: () => "agent_id=agent-7" },
  { id: "team", api: () => "teamId=team-3", bare: () => "team_id=team-3" },
  { id: "priority", api: () => "priority=high", bare: () => "priority=high" },
  {
    id: "dates",
    api: (rows) => `startDate=${iso(middle(rows))}&endDate=${iso(lastAt(rows))}`,
    bare: (rows) => `from=${middle(rows)}&to=${lastAt(rows)}`,
  },
];

function lastAt(rows: number): number {
  return FIRST_AT + (rows - 1) * 1_000;
}

function middle(rows: number): number {
  return FIRST_AT + (rows / 2) * 1_000;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

interface Sized {
  readonly rows: number;
  readonly contestants: readonly Contestant[];
}

/**
 * Measures pages of fifty tasks with each filter, both the first page and one after a cursor, with different numbers
 * of tasks.
 */
export async function lists({ rounds: wanted, say }: Setting): Promise<Work[]> {
  const rounds = Math.min(wanted, ROUNDS_MAX);
  const sized: Sized[] = [];
  try {
    for (const rows of SIZES) {
      const contestants = await startContestants(NEVER_MS, { names: [THIS, LIMIT, PG_BOSS] });
      sized.push({ rows, contestants });
      for (const one of contestants) {
        await one.send({ run: one.name === PG_BOSS ? postgresSeed(rows) : seed(rows) });
        await one.send({ run: "ANALYZE" });
      }
    }
    const works: Work[] = [];
    for (const filter of FILTERS) {
      for (const page of ["first", "cursor"] as const) {
        for (const { rows, contestants } of sized) {
          const turns = await Promise.all(
            contestants.map(async (one) => {
              const ask = await listRequest(one, filter, page, rows);
              const go = () =>
                load({
                  ...one,
                  connections: CONNECTIONS,
                  amount: LISTED_A_ROUND,
                  ask,
                  status: 200,
                });
              return { contestant: one.name, go };
            }),
          );
          const id = `list-${filter.id}-${page}-${rows}`;
          const by = filter.id === "none" ? "all tasks" : `tasks by ${filter.id}`;
          const title = `List ${by}, ${page === "first" ? "first page" : "after a cursor"}, of ${rows}`;
          const about = { unit: "request", reference: LIMIT, rounds } as const;
          works.push(await runRounds({ ...about, id, title, turns }, say));
        }
      }
    }
    return works;
  } finally {
    await stopAll(sized.flatMap(({ contestants }) => contestants));
  }
}

/** Returns a function that creates the request for the first page or the page after it. */
async function listRequest(
  one: Contestant,
  filter: Filter,
  page: "first" | "cursor",
  rows: number,
): Promise<() => RequestSpec> {
  const isApi = one.name === THIS;
  const path = isApi ? `/agents/tasks?${filter.api(rows)}` : `/tasks?${filter.bare(rows)}`;
  const headers = isApi ? { Authorization: BOSUN_HEADERS.Authorization } : {};
  const ask = (query: string) => () =>
    ({ method: "GET", path: `${path}${query}`, headers }) as const;
  if (page === "first") return ask("");
  const answer = await fetch(`${one.origin}${path}`, { headers });
  const after = isApi ? cursorIn(await answer.text()) : lastIn(await answer.text());
  return ask(after);
}

/** Returns the query parameter for the page after the one in `text`. */
export function cursorIn(text: string): string {
  const { data }: { data: { nextCursor: string } } = JSON.parse(text);
  return `&cursor=${encodeURIComponent(data.nextCursor)}`;
}

function lastIn(text: string): string {
  const { tasks }: { tasks: { created_at: number | string; id: string }[] } = JSON.parse(text);
  const last = tasks.at(-1);
  if (tasks.length !== 50 || last === undefined) throw new Error("The page is not full");
  return `&before=${last.created_at},${last.id}`;
}

/**
 * The SQL that inserts tasks, distributed evenly and independently over statuses, agents, teams and priorities. Inserts
 * only every `of`-th task, starting at `place`.
 */
export function seed(rows: number, { of, place } = { of: 1, place: 0 }): string {
  return `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows - 1})
    INSERT INTO directory (id, seq, status, task, agent_id, agent_name, team_id, priority, attempt, created_at)
    SELECT printf('%064x', i), 9, ${among(STATUSES, "i")}, 'Task ' || i, 'agent-' || (i / 5 % ${AGENTS}),
      'Agent', 'team-' || (i / 50 % ${TEAMS}), ${among(PRIORITIES, "i / 3")}, 1, ${FIRST_AT} + i * 1000 FROM n WHERE i % ${of} = ${place}`;
}

function postgresSeed(rows: number): string {
  return `INSERT INTO tasks (status, task, agent_id, agent_name, team_id, priority, attempt, created_at)
    SELECT ${among(STATUSES, "i")}, 'Task ' || i, 'agent-' || (i / 5 % ${AGENTS}),
      'Agent', 'team-' || (i / 50 % ${TEAMS}), ${among(PRIORITIES, "i / 3")}, 1, ${FIRST_AT} + i::bigint * 1000
    FROM generate_series(0, ${rows - 1}) AS i`;
}

function among(words: readonly string[], number: string): string {
  const cases = words.map((word, place) => `WHEN ${place} THEN '${word}'`).join(" ");
  return `CASE (${number}) % ${words.length} ${cases} END`;
}
