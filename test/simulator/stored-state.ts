import type { TaskEvent } from "../../src/tasks/model/events.ts";
import { fold } from "../../src/tasks/model/fold.ts";
import type { Deliverable, Task } from "../../src/tasks/model/task.ts";
import { EventLog } from "../../src/tasks/runtime/event-log.store.ts";
import { SideState } from "../../src/tasks/runtime/side-state.store.ts";
import type { Disk, Row } from "./disk.ts";
import { parseStatement } from "./sql-statements.ts";

/** Rows are immutable, so parsed rows are cached by identity. */
const READ = new WeakMap<Row, readonly TaskEvent[]>();
const FOLDED = new WeakMap<TaskEvent, Task | null>();

/** Returns a task's stored log. */
export function readLog(disk: Disk): TaskEvent[] {
  const rows = disk.tables.get("events");
  return rows === undefined ? [] : [...rows.values()].flatMap(eventsIn);
}

/** Returns a task's stored side state. */
export function readSideState(disk: Disk): SideState {
  return new SideState(asKv(disk.kv));
}

/** Returns the task that an object would load from this disk, or null if there is none. */
export function readTask(disk: Disk): Task | null {
  const task = folded(readLog(disk));
  return task === null ? null : readSideState(disk).withStoredLease(task);
}

/** Returns the bytes of a file stored in the log. */
export function readFileBytes(disk: Disk, file: Deliverable): Uint8Array | null {
  return new EventLog({ sql: asSql(disk), kv: asKv(disk.kv) }).readFile(file);
}

/** Folds a log. The result is cached by the log's last event. */
function folded(log: readonly TaskEvent[]): Task | null {
  const last = log.at(-1);
  if (last === undefined) return null;
  const known = FOLDED.get(last);
  if (known !== undefined) return known;
  const task = fold(log);
  FOLDED.set(last, task);
  return task;
}

/** Parses rows that only src/tasks/runtime/event-log.store.ts writes. */
function eventsIn(row: Row): readonly TaskEvent[] {
  const known = READ.get(row);
  if (known !== undefined) return known;
  const { seq, at, type, data, assigned = null } = row;
  const events = [{ seq, at, type, data: JSON.parse(String(data)) } as TaskEvent];
  if (assigned !== null) {
    const before = {
      seq: Number(seq) - 1,
      at,
      type: "assigned",
      data: JSON.parse(String(assigned)),
    };
    events.unshift(before as TaskEvent);
  }
  READ.set(row, events);
  return events;
}

/** `EventLog` only reads here. */
function asSql(disk: Disk): SqlStorage {
  const reader = {
    exec: (sql: string, ...parameters: SqlStorageValue[]) =>
      parseStatement(sql).run(disk, parameters).values(),
  };
  return reader as unknown as SqlStorage;
}

/** `SideState` only reads here. */
function asKv(kv: ReadonlyMap<string, unknown>): SyncKvStorage {
  const reader: Pick<ReadonlyMap<string, unknown>, "get"> = kv;
  return reader as SyncKvStorage;
}
