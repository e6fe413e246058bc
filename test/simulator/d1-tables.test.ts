import type { DirectoryRow } from "../../src/tasks/model/listing.ts";
import { getDatabase } from "../../src/platform/d1/client.ts";
import { BUILTIN_TERMS } from "../../src/agents/model/agent.ts";
import { PRIORITIES, TASK_STATUSES } from "../../src/tasks/model/task.ts";
import {
  deleteDirectoryRow,
  saveDirectoryRow,
  deleteRating,
  saveRemoteRating,
} from "../../src/tasks/directory/directory.store.ts";
import { Rng } from "../support/rng.ts";
import { D1Tables } from "./d1-tables.ts";
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { expect, it } from "vitest";

const LIVES = 60;
const AGENT_IDS = ["ada", "bob"] as const;

it("the simulator's directory contains the same rows, usage and ratings as the SQL store, whatever the order of writes", async () => {
  const sqlite = migrated();
  const real = getDatabase(bindingOf(sqlite));
  let [stale, partial, rated, remote] = [0, 0, 0, 0];
  for (let seed = 1; seed <= LIVES; seed += 1) {
    const rng = new Rng(seed);
    const tables = new D1Tables({ ada: BUILTIN_TERMS, bob: BUILTIN_TERMS });
    sqlite.exec("DELETE FROM directory; DELETE FROM agents; DELETE FROM rated_elsewhere");
    for (const id of AGENT_IDS) {
      sqlite.prepare("INSERT INTO agents (id, name, created_at) VALUES (?, ?, 1)").run(id, id);
    }
    const rows: DirectoryRow[] = [];
    for (let step = 0; step < 12; step += 1) {
      const row = rowAt(rng);
      const written = rng.oneIn(2) ? (rows[rng.below(rows.length)] ?? null) : null;
      if (written !== null) partial += 1;
      if (row.seq <= (tables.directory.get(row.id)?.seq ?? 0)) stale += 1;
      else if (row.rating !== null) rated += 1;
      rows.push(row);
      tables.put(row, written);
      await saveDirectoryRow(real, row, written);
      if (rng.oneIn(10)) {
        tables.delete(row.id);
        await deleteDirectoryRow(real, row);
      }
      if (rng.oneIn(2)) {
        const { seq, agentId } = rowAt(rng);
        const taskId = rng.pick(["three", "four"]);
        const far = { taskId, seq, agentId: agentId ?? "ada", rating: rng.between(1, 5) };
        const isForgotten = rng.oneIn(10);
        remote += 1;
        if (isForgotten) tables.ratedElsewhere.delete(taskId);
        else tables.rate(far);
        await (isForgotten ? deleteRating(real, taskId) : saveRemoteRating(real, far));
      }
      expect(rowsIn(sqlite)).toEqual([...tables.directory.values()].toSorted(byId));
      expect(usageIn(sqlite)).toEqual(usageOf(tables));
      expect(ratingsIn(sqlite)).toEqual(AGENT_IDS.map((id) => ratingOf(tables, id)));
    }
    expect(labelsIn(sqlite)).toEqual(labelsOf(tables));
  }
  for (const times of [stale, partial, rated, remote]) expect(times).toBeGreaterThan(LIVES);
});

function rowAt(rng: Rng): DirectoryRow {
  const id = rng.pick(["one", "two"]);
  return {
    id,
    seq: rng.between(1, 20),
    status: rng.pick(TASK_STATUSES),
    task: "Compare",
    agentId: rng.oneIn(4) ? null : rng.pick(AGENT_IDS),
    agentName: null,
    teamId: null,
    priority: rng.pick(PRIORITIES),
    deadline: rng.oneIn(2) ? null : rng.below(3),
    attempt: rng.between(1, 2),
    rating: rng.oneIn(2) ? rng.between(1, 5) : null,
    createdAt: id === "one" ? 1 : 2,
    startedAt: rng.oneIn(2) ? null : 3,
    endedAt: rng.oneIn(2) ? null : 4,
    keyId: id === "one" ? "one key" : null,
    storedBytes: id === "one" ? rng.below(4) : 0,
    contextId: null,
    details: rng.oneIn(2) ? null : rng.pick(["one", "two"]),
    title: rng.oneIn(2) ? null : "Sales",
    labels: rng.oneIn(2) ? null : JSON.stringify({ [rng.pick(["a", "b"])]: rng.pick(["1", "2"]) }),
    externalId: rng.oneIn(2) ? null : "order-1",
  };
}

function migrated(): DatabaseSync {
  const sqlite = new DatabaseSync(":memory:");
  const files = readdirSync("migrations").filter((name) => name.endsWith(".sql"));
  for (const name of files.toSorted()) sqlite.exec(readFileSync(`migrations/${name}`, "utf8"));
  return sqlite;
}

function rowsIn(sqlite: DatabaseSync): DirectoryRow[] {
  const rows = sqlite
    .prepare(
      `SELECT id, seq, status, task, agent_id AS agentId, agent_name AS agentName, team_id AS teamId, priority,
         deadline, attempt, rating, created_at AS createdAt, started_at AS startedAt, ended_at AS endedAt,
         key_id AS keyId, stored_bytes AS storedBytes, context_id AS contextId, title, labels,
         external_id AS externalId, details
       FROM directory ORDER BY id`,
    )
    .all();
  return rows.map((row) => asRow({ ...row }));
}

/** Returns each key's usage as counted by the triggers. */
function usageIn(sqlite: DatabaseSync): object {
  const rows = sqlite.prepare("SELECT * FROM key_usage WHERE live_tasks > 0 OR stored_bytes > 0");
  return rows.all().map((row) => ({ ...row }));
}

/** Computes the same usage from the rows. */
function usageOf({ directory }: D1Tables): object[] {
  const rows = [...directory.values()].filter(({ keyId }) => keyId !== null);
  const live = rows.filter(({ endedAt }) => endedAt === null).length;
  const bytes = rows.reduce((sum, row) => sum + row.storedBytes, 0);
  if (live === 0 && bytes === 0) return [];
  return [{ key_id: "one key", live_tasks: live, stored_bytes: bytes }];
}

/** Returns the labels that the triggers have copied from the rows. */
function labelsIn(sqlite: DatabaseSync): string[] {
  const rows = sqlite.prepare("SELECT id, created_at, key, value FROM task_labels").all();
  return rows.map((row) => Object.values(row).join(" ")).toSorted();
}

function labelsOf({ directory }: D1Tables): string[] {
  return [...directory.values()]
    .flatMap(({ id, createdAt, labels }) =>
      Object.entries(JSON.parse(labels ?? "{}")).map((label) =>
        [id, createdAt, ...label].join(" "),
      ),
    )
    .toSorted();
}

function ratingsIn(sqlite: DatabaseSync): object[] {
  const rows = sqlite
    .prepare("SELECT rating_sum AS sum, rating_count AS count FROM agents ORDER BY id")
    .all();
  return rows.map((row) => ({ ...row }));
}

function ratingOf(tables: D1Tables, id: string): object {
  const agent = tables.agents.get(id);
  return { sum: agent?.ratingSum, count: agent?.ratingCount };
}

function byId(one: DirectoryRow, other: DirectoryRow): number {
  return one.id < other.id ? -1 : 1;
}

/** The part of D1 that Drizzle needs for writes. */
function bindingOf(sqlite: DatabaseSync): D1Database {
  const binding = {
    prepare: (sql: string) => ({
      bind: (...values: SQLInputValue[]) => ({
        async run() {
          sqlite.prepare(sql).run(...values);
          return { results: [] };
        },
      }),
    }),
    async batch(statements: readonly { run(): Promise<object> }[]) {
      sqlite.exec("BEGIN");
      const results = [];
      for (const statement of statements) results.push(await statement.run());
      sqlite.exec("COMMIT");
      return results;
    },
  };
  return asBinding(binding);
}

/** The store uses only these members for writes. */
function asBinding(binding: object): D1Database {
  return binding as D1Database;
}

/** The column names in the query match those of the row type. */
function asRow(row: object): DirectoryRow {
  return row as DirectoryRow;
}
