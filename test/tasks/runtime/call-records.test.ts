import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import {
  CALL_EVENTS_DROPPED,
  CALL_EVENTS_MAX,
  CALL_RECORDS_PER_EVENT_CHARACTERS_MAX,
  CALLS_WITHOUT_EVENT_MAX,
} from "../../../src/tasks/limits.ts";
import type { CallRecord } from "../../../src/tasks/model/call-record.ts";
import type { TaskEvent } from "../../../src/tasks/model/events.ts";
import { EventLog } from "../../../src/tasks/runtime/event-log.store.ts";

function withLog(use: (log: EventLog) => void): Promise<void> {
  const stub = env.TASKS.get(env.TASKS.newUniqueId());
  return runInDurableObject(stub, (_, { storage }) => {
    const log = new EventLog(storage);
    log.createTable();
    use(log);
  });
}

function recordOf(id: string, text = "{}"): CallRecord {
  return {
    id,
    toolId: "json-workbench",
    capability: "query",
    agentId: null,
    source: "step",
    keyId: null,
    turn: null,
    requestId: null,
    startedAt: Number(id),
    attempt: 1,
    parameters: { text, bytes: text.length },
    end: { outcome: "ok", durationMs: 1, cost: 0, result: { text: "{}", bytes: 2 } },
  };
}

/** An event that charges calls with these ids. */
function chargingEvent(seq: number, ids: readonly string[]): TaskEvent {
  const call = { toolId: "json-workbench", capability: "query", cost: 0, durationMs: 1, ok: true };
  const calls = ids.map((callId) => ({ ...call, callId }));
  const data = { progress: 1, phase: "analysis", calls, work: {} };
  return { seq, at: seq, type: "progressed", data };
}

const ALL = { outcome: null, before: null, limit: 10_000 };
const EVERY = { firstSeq: 0, agentId: null };
const LATER = { firstSeq: 2, agentId: null };

it("a log keeps the records of the latest events with calls, and drops older ones in batches", () =>
  withLog((log) => {
    const last = CALL_EVENTS_MAX + 2 * CALL_EVENTS_DROPPED;
    for (let seq = 1; seq <= last; seq += 1) {
      log.calls.end(recordOf(String(seq)));
      log.append([chargingEvent(seq, [String(seq)])], 0, [], null);
      log.calls.settle(String(seq), seq);
    }
    const { calls } = log.calls.list(ALL, EVERY, 0);
    expect(calls.length).toBeLessThanOrEqual(CALL_EVENTS_MAX);
    expect(calls.length).toBeGreaterThan(CALL_EVENTS_MAX - CALL_EVENTS_DROPPED);
    const newest = Array.from({ length: calls.length }, (_, index) => last - index);
    expect(calls.map(({ eventSeq }) => eventSeq)).toEqual(newest);
    expect([...log.read()]).toHaveLength(last);
  }));

it("records that do not fit into their event's row are stored separately", () =>
  withLog((log) => {
    const text = "x".repeat(CALL_RECORDS_PER_EVENT_CHARACTERS_MAX / 3);
    const ids = ["1", "2", "3", "4"];
    for (const id of ids) log.calls.end(recordOf(id, text));
    log.append([chargingEvent(1, ids)], 0, [], null);
    for (const id of ids) log.calls.settle(id, 1);
    const { calls } = log.calls.list(ALL, EVERY, 0);
    expect(calls.map(({ record, eventSeq }) => [record.id, eventSeq])).toEqual([
      ["4", null],
      ["3", null],
      ["2", 1],
      ["1", 1],
    ]);
  }));

it("a stored call whose event's records were dropped is not listed again as interrupted", () =>
  withLog((log) => {
    const { end: _, ...started } = recordOf("1");
    log.calls.start(started, 0, false);
    const last = CALL_EVENTS_MAX + CALL_EVENTS_DROPPED;
    for (let seq = 1; seq <= last; seq += 1) {
      log.calls.end(recordOf(String(seq)));
      log.append([chargingEvent(seq, [String(seq)])], 0, [], null);
      log.calls.settle(String(seq), seq);
      // Reading in between fills the index.
      if (seq % 100 === 0) expect(log.calls.find(String(seq), EVERY, 0)).not.toBeNull();
    }
    expect(log.calls.find("1", EVERY, 0)).toBeNull();
    expect(log.calls.find(String(last), EVERY, 0)).toMatchObject({ eventSeq: last });
  }));

it("the end of a call does not replace the record of a later call in its place", () =>
  withLog((log) => {
    const { end: _, ...started } = recordOf("1");
    log.calls.start(started, 0, false);
    const rejected = Array.from({ length: CALLS_WITHOUT_EVENT_MAX }, (_one, i) => String(i + 2));
    for (const id of rejected) log.calls.reject(recordOf(id), 0);
    log.calls.end(recordOf("1"));
    log.calls.settle("1", 0);
    const { calls } = log.calls.list(ALL, EVERY, 0);
    expect(calls).toHaveLength(CALLS_WITHOUT_EVENT_MAX);
    expect(log.calls.find("1", EVERY, 0)).toMatchObject({ outcome: "ok" });
    // The place of the first rejected call was the oldest.
    expect(log.calls.find("2", EVERY, 0)).toBeNull();
    expect(log.calls.find(rejected.at(-1) ?? "", EVERY, 0)).not.toBeNull();
  }));

it("a call that ends after the object was evicted and the task ended has the outcome of its end", () => {
  const stub = env.TASKS.get(env.TASKS.newUniqueId());
  return runInDurableObject(stub, (_, { storage }) => {
    const before = new EventLog(storage);
    before.createTable();
    const { end: _end, ...started } = recordOf("1");
    before.calls.start(started, 0, false);
    const after = new EventLog(storage);
    after.calls.end(recordOf("1"));
    after.calls.settle("1", 0);
    const { calls } = after.calls.list(ALL, EVERY, 0);
    expect(calls.map(({ record, outcome }) => [record.id, outcome])).toEqual([["1", "ok"]]);
    expect(after.calls.find("1", EVERY, 0)).toMatchObject({ outcome: "ok" });
    for (const outcome of ["running", "interrupted"] as const) {
      expect(after.calls.list({ ...ALL, outcome }, EVERY, 0).calls).toEqual([]);
    }
  });
});

it("rejected calls do not replace a call whose end is unknown, but other calls do", () =>
  withLog((log) => {
    const { end: _end, ...started } = recordOf("1");
    log.calls.start(started, 0, false);
    const rejection = { code: "NO", message: "No." };
    const end = { outcome: "rejected", durationMs: 0, cost: 0, error: rejection } as const;
    for (let place = 2; place <= 2 * CALLS_WITHOUT_EVENT_MAX; place += 1) {
      log.calls.reject({ ...recordOf(String(place)), end }, 0);
    }
    const listed = log.calls.list(ALL, EVERY, 0).calls.map(({ record }) => record.id);
    expect(listed).toHaveLength(CALLS_WITHOUT_EVENT_MAX);
    expect(listed).toContain("1");
    log.calls.markLost("1");
    for (let place = 1_001; place <= 1_000 + CALLS_WITHOUT_EVENT_MAX; place += 1) {
      const { end: _other, ...other } = recordOf(String(place));
      log.calls.start(other, 0, false);
      log.calls.markLost(other.id);
    }
    expect(log.calls.find("1", EVERY, 0)).toBeNull();
    log.calls.reject({ ...recordOf("9999"), end }, 0);
    expect(log.calls.find("9999", EVERY, 0)).not.toBeNull();
  }));

it("calls before the first visible event are hidden", () =>
  withLog((log) => {
    log.calls.end(recordOf("1"));
    log.append([chargingEvent(1, ["1"])], 0, [], null);
    log.calls.settle("1", 1);
    log.calls.reject(recordOf("2"), 1);
    log.calls.reject(recordOf("3"), 2);
    expect(log.calls.list(ALL, LATER, 0).calls.map(({ record }) => record.id)).toEqual(["3"]);
    expect(log.calls.find("1", LATER, 0)).toBeNull();
    expect(log.calls.find("2", LATER, 0)).toBeNull();
    expect(log.calls.find("1", EVERY, 0)).toMatchObject({ record: { id: "1" }, eventSeq: 1 });
  }));

it("a call of the previous agent that ends after the task was reassigned is hidden from the new agent", () =>
  withLog((log) => {
    log.calls.end({ ...recordOf("1"), agentId: "previous" });
    log.append([chargingEvent(1, ["1"])], 0, [], null);
    log.calls.settle("1", 1);
    log.calls.reject({ ...recordOf("2"), agentId: "previous" }, 1);
    log.calls.reject({ ...recordOf("3"), agentId: "next" }, 1);
    const visible = { firstSeq: 0, agentId: "next" };
    expect(log.calls.list(ALL, visible, 0).calls.map(({ record }) => record.id)).toEqual(["3"]);
    expect(log.calls.find("1", visible, 0)).toBeNull();
    expect(log.calls.find("2", visible, 0)).toBeNull();
  }));
