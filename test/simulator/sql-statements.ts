import type { Disk, Row } from "./disk.ts";

type Parameters = readonly SqlStorageValue[];
type Statement = {
  readonly writes: boolean;
  readonly run: (disk: Disk, parameters: Parameters) => readonly Row[];
};

const NOTHING: readonly Row[] = [];
const ONE: readonly Row[] = [{ 1: 1 }];

/**
 * The SQL in src/tasks/runtime/event-log.store.ts and src/agents/queue/queue.store.ts. White space
 * may differ.
 */
const STATEMENTS: Readonly<Record<string, Statement>> = {
  "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'events'": reads((disk) =>
    disk.tables.has("events") ? ONE : NOTHING,
  ),
  "CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, told INTEGER, held BLOB, request TEXT, assigned TEXT, calls TEXT)":
    writes((disk) => disk.makeTable("events")),
  "SELECT name FROM pragma_table_info('events')": reads((disk) =>
    disk.tables.has("events")
      ? ["told", "held", "request", "assigned", "calls"].map((name) => ({ name }))
      : NOTHING,
  ),
  "SELECT told FROM events ORDER BY seq DESC LIMIT 1": reads((disk) => {
    const last = [...disk.table("events").values()].at(-1);
    return last === undefined ? NOTHING : [last];
  }),
  // Simulated objects receive no HTTP requests.
  "SELECT request FROM events ORDER BY seq DESC LIMIT 1": reads(() => NOTHING),
  "UPDATE events SET told = ? WHERE seq = ?": writes((disk, [told = null, seq = null]) => {
    const row = disk.table("events").get(seq);
    if (row !== undefined) disk.setRow("events", seq, { ...row, told });
  }),
  "INSERT INTO events (seq, at, type, data, told, held, request, assigned, calls) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)":
    writes((disk, parameters) => {
      const [seq = null, at = null, type = null, data = null] = parameters;
      const [told = null, held = null, , assigned = null, calls = null] = parameters.slice(4);
      if (disk.table("events").has(seq)) throw new Error("UNIQUE constraint failed: events.seq");
      disk.setRow("events", seq, { seq, at, type, data, told, held, assigned, calls });
    }),
  "SELECT substr(held, ?, ?) AS bytes FROM events WHERE held IS NOT NULL ORDER BY seq DESC LIMIT 1":
    reads((disk, [from = null, size = null]) => {
      const last = [...disk.table("events").values()].findLast(({ held = null }) => held !== null);
      if (!(last?.held instanceof ArrayBuffer)) return NOTHING;
      const begin = Number(from) - 1;
      return [{ bytes: last.held.slice(begin, begin + Number(size)) }];
    }),
  "SELECT seq, at, type, data, request, assigned FROM events WHERE seq > ? AND seq <= ? ORDER BY seq":
    reads((disk, [after = null, upTo = null]) =>
      [...disk.table("events").values()].filter(
        ({ seq = null }) => Number(seq) > Number(after) && Number(seq) <= Number(upTo),
      ),
    ),
  "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'entries'": reads((disk) =>
    disk.tables.has("entries") ? [{ sql: "key_id TEXT, request_id TEXT, worker TEXT" }] : NOTHING,
  ),
  "CREATE TABLE entries ( task_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, priority TEXT NOT NULL, deadline INTEGER, since INTEGER NOT NULL, is_running INTEGER NOT NULL, generation INTEGER NOT NULL, key_id TEXT, request_id TEXT, worker TEXT ) WITHOUT ROWID":
    writes((disk) => disk.makeTable("entries")),
  "SELECT task_id AS taskId, seq, priority, deadline, since, is_running AS isRunning, generation, key_id AS keyId, request_id AS requestId, worker AS worker FROM entries":
    reads((disk) =>
      [...disk.table("entries").values()].map(
        ({ task_id = null, is_running = null, key_id = null, request_id = null, ...entry }) => ({
          ...entry,
          taskId: task_id,
          isRunning: is_running,
          keyId: key_id,
          requestId: request_id,
        }),
      ),
    ),
  "INSERT INTO entries (task_id, seq, priority, deadline, since, is_running, generation, key_id, request_id, worker) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (task_id) DO UPDATE SET seq = ?2, priority = ?3, deadline = ?4, since = ?5, is_running = ?6, generation = ?7, key_id = ?8, request_id = ?9, worker = ?10":
    writes((disk, parameters) => {
      const [task_id = null, seq = null, priority = null, deadline = null] = parameters;
      const [since = null, is_running = null, generation = null, key_id = null] =
        parameters.slice(4);
      const worker = parameters[9] ?? null;
      const entry = { task_id, seq, priority, deadline, since, is_running, generation, key_id };
      disk.setRow("entries", task_id, { ...entry, worker });
    }),
  "DELETE FROM entries WHERE task_id = ?": writes((disk, [id = null]) => {
    if (disk.table("entries").has(id)) disk.setRow("entries", id, undefined);
  }),
};

const BY_TEXT = new Map<string, Statement>();

/** Looks up what a statement does. */
export function parseStatement(sql: string): Statement {
  const known = BY_TEXT.get(sql);
  if (known !== undefined) return known;
  const statement = STATEMENTS[sql.replaceAll(/\s+/g, " ").trim()];
  if (statement === undefined) {
    UNKNOWN_STATEMENTS.push(sql);
    throw new Error(`The simulator does not implement this statement: ${sql}`);
  }
  BY_TEXT.set(sql, statement);
  return statement;
}

/**
 * Statements that are not implemented here. Objects would handle the resulting error like any other
 * failure, so each one is recorded for the final report.
 */
export const UNKNOWN_STATEMENTS: string[] = [];

function reads(run: Statement["run"]): Statement {
  return { writes: false, run };
}

function writes(run: (disk: Disk, parameters: Parameters) => void): Statement {
  return {
    writes: true,
    run: (disk, parameters) => {
      run(disk, parameters);
      return NOTHING;
    },
  };
}
