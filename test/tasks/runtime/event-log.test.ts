import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EventLog } from "../../../src/tasks/runtime/event-log.store.ts";
import type { TaskEvent } from "../../../src/tasks/model/events.ts";

const CHOICE = { agentId: "researcher", agentName: "Researcher", reason: "r", candidates: [] };
const EVENTS = [
  { seq: 1, at: 1, type: "updated", data: { notes: "first" } },
  { seq: 2, at: 2, type: "assigned", data: CHOICE },
  { seq: 3, at: 2, type: "started", data: { agentId: "researcher" } },
  { seq: 4, at: 3, type: "updated", data: { notes: "last" } },
] as unknown as readonly TaskEvent[];

function withLog(use: (log: EventLog, sql: SqlStorage) => void): Promise<void> {
  const stub = env.TASKS.get(env.TASKS.newUniqueId());
  return runInDurableObject(stub, (_, { storage }) => use(new EventLog(storage), storage.sql));
}

function appendAll(log: EventLog): void {
  log.append(EVENTS.slice(0, 1), 0, [], null);
  log.append(EVENTS.slice(1, 3), 0, [], null);
  log.append(EVENTS.slice(3), 0, [], null);
}

const readRowSeqs = (sql: SqlStorage): number[] =>
  sql
    .exec<{ seq: number }>("SELECT seq FROM events ORDER BY seq")
    .toArray()
    .map(({ seq }) => seq);

describe("the event log", () => {
  it("the event log stores `assigned` in the row of `started`, and every reader gets each event once, in order", () =>
    withLog((log, sql) => {
      log.createTable();
      appendAll(log);
      expect(readRowSeqs(sql)).toEqual([1, 3, 4]);
      expect([...log.read()].map(({ event }) => event)).toEqual(EVENTS);
      for (const upTo of [0, 1, 2, 3, 4]) {
        expect([...log.read(upTo)].map(({ event }) => event.seq)).toEqual(
          [1, 2, 3, 4].slice(0, upTo),
        );
        for (const limit of [1, 2, 10]) {
          const seqs = [1, 2, 3, 4].slice(upTo, upTo + limit);
          expect(log.page(upTo, limit).map(({ seq }) => seq)).toEqual(seqs);
          expect(log.page(upTo, limit, 4).map(({ seq }) => seq)).toEqual(seqs);
        }
      }
      expect(log.page(0, 10, 2).map(({ seq }) => seq)).toEqual([1, 2]);
    }));

  it("the event log stores an `assigned` event that ends its commit in a separate row", () =>
    withLog((log, sql) => {
      log.createTable();
      log.append(EVENTS.slice(0, 2), 0, [], null);
      log.append(EVENTS.slice(2), 0, [], null);
      expect(readRowSeqs(sql)).toEqual([1, 2, 3, 4]);
      expect(log.page(0, 10)).toEqual(EVENTS);
    }));

  it("the event log reads and continues an earlier release's log, which lacks the newer columns", () =>
    withLog((log, sql) => {
      sql.exec(
        "CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL)",
      );
      sql.exec(
        "INSERT INTO events VALUES (1, 1, 'updated', ?)",
        JSON.stringify({ notes: "first" }),
      );
      expect(log.page(0, 10)).toEqual(EVENTS.slice(0, 1));
      expect(log.page(0, 10, 1)).toEqual(EVENTS.slice(0, 1));
      expect([log.feedCursor(), log.lastRequestId()]).toEqual([0, null]);
      log.append(EVENTS.slice(1, 3), 1, [], "request");
      log.append(EVENTS.slice(3), 3, [], "request");
      expect(log.page(0, 10)).toEqual(EVENTS);
      expect([log.feedCursor(), log.lastRequestId()]).toEqual([3, "request"]);
    }));
});
