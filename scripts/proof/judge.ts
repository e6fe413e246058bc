import { checkResponses } from "./check/responses.ts";
import { checkRows } from "./check/rows.ts";
import { checkAgents } from "./check/agents.ts";
import { checkDirectory } from "./check/directory.ts";
import { checkFeed } from "./check/feed.ts";
import { checkFiles } from "./check/files.ts";
import { checkLimits } from "./check/limits.ts";
import { checkPaths } from "./check/path.ts";
import { checkClaimedTasks, checkKeys, checkObservations } from "./check/observations.ts";
import { checkFollowers, checkMessages, missingEvents } from "./check/deliveries.ts";
import { checkUndelivered } from "./check/undelivered.ts";
import type { Violation } from "./check/violation.ts";
import { acknowledged, checkWrites } from "./check/writes.ts";
import type { Client } from "./client.ts";
import type { Converged } from "./converge.ts";
import { countBy } from "./counts.ts";
import type { Outage } from "./faults.ts";
import type { History } from "./history.ts";
import { readAgents, readFiles, type Agents, type StoredState } from "./stored-state.ts";
import type { FollowedStream } from "./load/follower.ts";
import type { Receiver } from "./load/receiver.ts";
import { readDeliveries, readFeed, readLogs, readRows, type Log } from "./read-state.ts";
import type { TaskShape } from "./responses.ts";
import { pollUntilValid, pollWhileShrinking } from "./poll.ts";

/** The faults and what the clients saw. */
export interface Evidence {
  readonly history: History;
  readonly outages: readonly Outage[];
  readonly receiver: Receiver;
  readonly streams: readonly FollowedStream[];
  /** The events that the feed's follower received, in order. */
  readonly followed: readonly string[];
  readonly known: readonly string[];
  /** Tasks that did not end in time. */
  readonly late: readonly TaskShape[];
  /** The time at which the faults stopped. */
  readonly calmAt: number;
  /** How the lists caught up with the tasks that had ended before the faults stopped. */
  readonly converged: Converged;
  /** The time from the last fault until all tasks had ended. */
  readonly settledMs: number;
  /** The number of entries in the service's log, by kind. */
  readonly logCounts: ReadonlyMap<string, number>;
}

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly evidence: Evidence;
  readonly logs: readonly Log[];
  readonly storedState: StoredState;
  readonly figures: Figures;
}

export interface Figures {
  readonly kills: number;
  readonly freezes: number;
  readonly outMs: number;
  readonly requests: number;
  readonly unknown: number;
  readonly serverErrors: Readonly<Record<string, number>>;
  readonly acknowledged: ReadonlyMap<string, number>;
  readonly tasks: number;
  readonly statuses: ReadonlyMap<string, number>;
  readonly events: number;
  readonly limits: number;
  readonly overdue: number;
  readonly latestMs: number;
  readonly settledMs: number;
  readonly logCounts: ReadonlyMap<string, number>;
  readonly directoryMs: number;
  readonly endedByCalm: number;
  readonly claims: number;
  readonly keysTwice: number;
  readonly feedMs: number;
  readonly webhooksMs: number;
  readonly messages: number;
  readonly arrivals: number;
  readonly streams: number;
  readonly streamEvents: number;
  readonly feedEvents: number;
  readonly files: number;
  /** The number of files that workers uploaded. */
  readonly handedIn: number;
  readonly observations: number;
}

/** Reads the entire state of the service and compares it with the evidence. */
export async function judge(client: Client, evidence: Evidence): Promise<Verdict> {
  const { history, outages, receiver, streams, followed, late } = evidence;
  const fed = (await readFeed(client)).map(({ taskId }) => taskId);
  const ids = [...new Set([...evidence.known, ...fed])];
  const logs = await readLogs(client, ids);
  const directory = await pollUntilValid(async () => checkDirectory(logs, await readRows(client)));
  const feed = await pollUntilValid(async () => checkFeed(logs, await readFeed(client), followed));
  const undelivered = await pollWhileShrinking(() => missingEvents(logs, receiver));
  const { left } = undelivered;
  const windows =
    left.length === 0
      ? []
      : checkUndelivered(left, await readFeed(client), await readDeliveries(client));
  let agents: Agents = new Map();
  const queues = await pollUntilValid(async () => {
    agents = await readAgents(client, logs);
    return checkAgents(agents, logs);
  });
  const limits = checkLimits(logs, outages);
  const storedState = { agents, fileSets: await readFiles(client, logs) };
  const violations = [
    ...late.map(({ taskId, status }) => ({
      rule: "all pending work completes",
      about: taskId,
      message: `it is stuck in ${status}`,
    })),
    ...checkWrites(history, logs),
    ...checkKeys(history),
    ...checkResponses(history.exchanges, evidence.calmAt),
    ...checkRows(history, logs),
    ...evidence.converged.violations,
    ...checkPaths(logs),
    ...checkClaimedTasks(history, logs),
    ...checkObservations(history, logs),
    ...checkFollowers(logs, streams),
    ...directory.violations,
    ...queues.violations,
    ...feed.violations,
    ...checkMessages(logs, receiver),
    ...windows,
    ...limits.violations,
    ...checkFiles(history, logs, storedState.fileSets),
  ];
  const files = storedState.fileSets.flatMap((one) => one.files);
  const handedIn = new Set(history.uploads.map(({ name }) => name));
  const kinds = outages.map(({ kind }) => kind);
  const { exchanges } = history;
  const figures: Figures = {
    kills: kinds.filter((kind) => kind !== "freeze").length,
    freezes: kinds.filter((kind) => kind !== "kill").length,
    outMs: outages.reduce((sum, { from, until }) => sum + until - from, 0),
    requests: exchanges.length,
    unknown: exchanges.filter(({ result }) => result === "unknown").length,
    serverErrors: serverErrorsIn(history),
    acknowledged: acknowledged(history),
    tasks: logs.length,
    statuses: countBy(logs, ({ shown }) => shown.status),
    events: logs.reduce((sum, { events }) => sum + events.length, 0),
    limits: limits.latenessMs.length,
    overdue: limits.overdue,
    latestMs: Math.max(0, ...limits.latenessMs),
    settledMs: evidence.settledMs,
    logCounts: evidence.logCounts,
    directoryMs: evidence.converged.tookMs,
    endedByCalm: evidence.converged.tasks,
    claims: history.claimedTasks.length,
    keysTwice: keysTwice(history),
    feedMs: feed.tookMs,
    webhooksMs: undelivered.tookMs,
    messages: receiver.messages.size,
    arrivals: receiver.arrivals(),
    streams: streams.filter(({ isComplete }) => isComplete).length,
    streamEvents: streams.reduce((sum, { events }) => sum + events.length, 0),
    feedEvents: followed.length,
    files: files.length,
    handedIn: files.filter(({ name }) => handedIn.has(name)).length,
    observations: history.observations.length + history.rows.length,
  };
  return { violations, evidence, logs, storedState, figures };
}

function keysTwice({ exchanges }: History): number {
  const keyed = exchanges.filter(({ kind, key }) => kind === "create" && key !== null);
  return [...Map.groupBy(keyed, ({ key }) => key).values()].filter(({ length }) => length > 1)
    .length;
}

function serverErrorsIn({ exchanges }: History): Record<string, number> {
  const errors = exchanges.filter(({ status }) => (status ?? 0) >= 500);
  return Object.fromEntries(
    countBy(errors, ({ kind, status, reason }) => `${kind} ${status} ${reason}`),
  );
}
