import { checkAgents } from "../../../scripts/proof/check/agents.ts";
import { checkResponses } from "../../../scripts/proof/check/responses.ts";
import { checkDirectory } from "../../../scripts/proof/check/directory.ts";
import { checkFeed } from "../../../scripts/proof/check/feed.ts";
import { checkFiles } from "../../../scripts/proof/check/files.ts";
import { checkLimits } from "../../../scripts/proof/check/limits.ts";
import { checkPaths } from "../../../scripts/proof/check/path.ts";
import { checkRows } from "../../../scripts/proof/check/rows.ts";
import {
  checkClaimedTasks,
  checkKeys,
  checkObservations,
} from "../../../scripts/proof/check/observations.ts";
import {
  checkFollowers,
  checkMessages,
  missingEvents,
} from "../../../scripts/proof/check/deliveries.ts";
import { checkUndelivered } from "../../../scripts/proof/check/undelivered.ts";
import type { Violation } from "../../../scripts/proof/check/violation.ts";
import { checkWrites } from "../../../scripts/proof/check/writes.ts";
import type { Exchange, History } from "../../../scripts/proof/history.ts";
import type { StoredState } from "../../../scripts/proof/stored-state.ts";
import type { Verdict } from "../../../scripts/proof/judge.ts";
import { logOf, type Log } from "../../../scripts/proof/read-state.ts";
import { isData } from "../../../scripts/proof/restore.ts";

/**
 * Introduces one small error for each checker, and returns the violations that each checker finds.
 */
export function sabotages({
  logs,
  evidence,
  storedState,
}: Verdict): readonly (readonly [string, readonly Violation[]])[] {
  const { history, receiver } = evidence;
  const changed = (more: Partial<History>): History => Object.assign(Object.create(history), more);
  const sent = (otherwise: (one: Exchange) => Exchange): History =>
    changed({ exchanges: history.exchanges.map(otherwise) });
  const noted = first(logs, ({ events }) => events.some(({ type }) => type === "updated"));
  const at = noted.events.findIndex(({ type }) => type === "updated");
  const notes = noted.events[at]?.data["notes"];
  const limited = first(logs, (log) => checkLimits([log], []).latenessMs.length > 0);
  const late = limited.restored.map((event) => ({ ...event, at: event.at + HOUR_MS }));
  const observation = first(history.observations, ({ type }) => type !== null);
  const row = first(history.rows, () => true);
  const claimedTask = first(history.claimedTasks, () => true);
  const rated = first(history.exchanges, isRated);
  const foreign = new Map(receiver.messages).set(
    "evt_nobody_1_1",
    first([...receiver.messages.values()], () => true),
  );
  const streams = first(evidence.streams, ({ events }) => events.length > 1);
  const doubled = [...streams.events.slice(0, 1), ...streams.events];
  const failed: Exchange = { ...rated, status: 500, startedAt: evidence.calmAt + 1 };
  return [
    ["one write is lost", checkWrites(history, swap(logs, noted, drop(noted, at)))],
    ["one write is stored twice", checkWrites(history, swap(logs, noted, double(noted, at)))],
    [
      "a rating differs from the request",
      checkWrites(
        sent((one) => worse(one, rated)),
        logs,
      ),
    ],
    [
      "a change differs from the request",
      checkWrites(
        sent((one) => postponed(one, notes)),
        logs,
      ),
    ],
    ["a task's priority differs from the request", checkWrites(sent(urgent), logs)],
    ["one event of a log is lost", checkPaths([drop(noted, at)])],
    ["one task is in no list", checkDirectory(logs, [])],
    ["one event is not in the feed", checkFeed([noted], [], [])],
    [
      "a limit is enforced an hour late",
      checkLimits([{ ...limited, restored: late }], []).violations,
    ],
    [
      "a client saw an event that is not in the log",
      checkObservations(changed({ observations: [{ ...observation, seq: 10_000 }] }), logs),
    ],
    [
      "a list showed a state that the task never had",
      checkRows(changed({ rows: [{ ...row, attempt: 99 }] }), logs),
    ],
    [
      "the creator's next list did not contain the new task",
      checkRows(changed({ unlisted: [row.taskId] }), logs),
    ],
    [
      "a key created two tasks",
      checkKeys(changed({ keys: new Map([["key", new Set(["a", "b"])]]) })),
    ],
    [
      "a claim is not in any log",
      checkClaimedTasks(changed({ claimedTasks: [{ ...claimedTask, worker: "none" }] }), logs),
    ],
    [
      "a message was not delivered",
      checkUndelivered(
        missingEvents(logs, { ...receiver, messages: without(receiver.messages) }),
        [],
        new Map(),
      ),
    ],
    ["a message has no event", checkMessages(logs, { ...receiver, messages: foreign })],
    ["a stream delivers an event twice", checkFollowers(logs, [{ ...streams, events: doubled }])],
    ["a rating counts twice", checkAgents(ratedOnceMore(storedState), logs)],
    ["a queue still counts an ended task", checkAgents(holdingOn(storedState), logs)],
    ["a file has other bytes", checkFiles(history, logs, corruptFiles(storedState))],
    ["a file is not listed", checkFiles(history, logs, unlisted(storedState, history))],
    ["a server error without faults", checkResponses([failed], evidence.calmAt)],
  ];
}

function ratedOnceMore({ agents }: StoredState): StoredState["agents"] {
  const [id, agent] = first([...agents], ([, { rating }]) => rating !== undefined);
  const { mean = 0, count = 0 } = agent.rating ?? {};
  return new Map(agents).set(id, { ...agent, rating: { mean, count: count + 1 } });
}

function holdingOn({ agents }: StoredState): StoredState["agents"] {
  const [id, agent] = first([...agents], ([, { queue }]) => queue !== undefined);
  return new Map(agents).set(id, { ...agent, queue: { waiting: 0, running: 1 } });
}

const ZEROS = "0".repeat(64);

/** Changes both the checksum of each file's bytes and the checksum that the service reports. */
function corruptFiles({ fileSets }: StoredState): StoredState["fileSets"] {
  return fileSets.map(({ taskId, files }) => ({
    taskId,
    files: files.map((file) => ({ ...file, sha256: ZEROS, digest: ZEROS })),
  }));
}

/** Removes the files that workers uploaded. */
function unlisted({ fileSets }: StoredState, { uploads }: History): StoredState["fileSets"] {
  const names = new Set(uploads.map(({ name }) => name));
  return fileSets.map(({ taskId, files }) => ({
    taskId,
    files: files.filter(({ name }) => !names.has(name)),
  }));
}

const HOUR_MS = 3_600_000;

function isRated({ kind, result }: Exchange): boolean {
  return kind === "feedback" && result === "acknowledged";
}

function drop({ taskId, events, shown }: Log, at: number): Log {
  return logOf(
    taskId,
    events.filter((_, place) => place !== at),
    shown,
  );
}

function double(log: Log, at: number): Log {
  return { ...log, events: [...log.events, ...log.events.slice(at, at + 1)] };
}

function swap(logs: readonly Log[], old: Log, other: Log): Log[] {
  return logs.map((log) => (log === old ? other : log));
}

/** Changes the rating in every attempt at the same write. */
function worse(exchange: Exchange, { mark }: Exchange): Exchange {
  return exchange.mark === mark ? { ...exchange, body: { rating: 0 } } : exchange;
}

/** Changes the deadline in every attempt at the update with these notes. */
function postponed(exchange: Exchange, notes: unknown): Exchange {
  const { kind, body } = exchange;
  const isMeant = kind === "patch" && isData(body) && body["notes"] === notes;
  return isMeant ? { ...exchange, body: { ...body, deadline: "never" } } : exchange;
}

/** Changes the priority in every create request. */
function urgent(exchange: Exchange): Exchange {
  const { kind, body } = exchange;
  return kind === "create" && isData(body)
    ? { ...exchange, body: { ...body, priority: "none" } }
    : exchange;
}

function without<Value>(map: ReadonlyMap<string, Value>): Map<string, Value> {
  return new Map([...map].slice(1));
}

function first<Item>(items: readonly Item[], isWanted: (item: Item) => boolean): Item {
  const found = items.find(isWanted);
  if (found === undefined) throw new Error("The run contains no suitable item");
  return found;
}
