import { setTimeout as pause } from "node:timers/promises";
import { startBosun, type Bosun } from "./bosun.ts";
import { KnownTasks } from "./known-tasks.ts";
import { Rng } from "./rng.ts";
import { LogCounts } from "./log-counts.ts";
import { hasEachWrite } from "./chaos-report.ts";
import { converge } from "./converge.ts";
import { judge, type Evidence, type Verdict } from "./judge.ts";
import { Client } from "./client.ts";
import { injectFaults, type FaultSchedule } from "./faults.ts";
import { History } from "./history.ts";
import { createOn } from "./load/creator.ts";
import { followOn } from "./load/follower.ts";
import { manageTasks } from "./load/manager.ts";
import { followFeed, readOn } from "./load/reader.ts";
import { startReceiver, type Receiver } from "./load/receiver.ts";
import { workOn, type WorkerProfile } from "./load/worker.ts";
import { readRows } from "./read-state.ts";
import { registerAgents } from "./task-requests.ts";
import { settle } from "./settle.ts";

const CREATORS = 4;
const PEOPLE = 6;
const READERS = 2;
const WORKERS = 6;
const FOLLOWERS = 4;
const STEP_INTERVAL_MS = 100;
const AFTER_FAULTS_MS = 1_000;
const EACH_WRITE_WITHIN_MS = 20_000;
const POLL_MS = 200;
const WORKER_PROFILE: Omit<WorkerProfile, "drawEnd"> = {
  tasksPerClaimMax: 3,
  stepMaxMs: 250,
  stepsMax: 3,
  files: 0.35,
};
/** How often work on a task ends in each of these ways. */
const ENDS = { completed: 12, review: 2, blocked: 2, failed: 5, vanish: 1 };

export interface ChaosOptions {
  readonly seed: number;
  readonly schedule: FaultSchedule;
  readonly tasksMax: number;
  /** How long to wait for all tasks to end after the load. */
  readonly settleMaxMs: number;
  readonly say: (message: string) => void;
  /** The folder of an existing bundle. */
  readonly bundle?: string;
}

/** Injects faults into a service under load, then stops the faults, waits, and checks the result. */
export async function runChaos(options: ChaosOptions): Promise<Verdict> {
  const { seed, schedule, tasksMax, settleMaxMs, say, bundle = null } = options;
  const rng = new Rng(seed);
  const logCounts = new LogCounts();
  const variables = {
    AGENT_STEP_INTERVAL_MS: String(STEP_INTERVAL_MS),
    ALLOW_PRIVATE_EGRESS: "true",
  };
  const bosun = await startBosun({ variables, onLog: logCounts.record, bundle });
  const receiver = await startReceiver(rng.branch("receiver"));
  try {
    await registerAgents(bosun);
    await subscribe(bosun, receiver);
    const history = new History();
    const knownTasks = new KnownTasks();
    const leaving = new AbortController();
    const load = startLoad({ bosun, rng, history, knownTasks, tasksMax }, leaving.signal);
    say("load started; injecting faults");
    // A client that fails early ends the run, which then cleans up.
    const everybody = Promise.all([
      load.feed,
      ...load.short,
      ...load.workers,
      ...load.followers,
    ]).then(() => []);
    const injecting = injectFaults(bosun, schedule, rng.branch("storm"), () => history.writes);
    const outages = await Promise.race([injecting, everybody]);
    const calmAt = Date.now();
    // Continue the load after the last fault, to exercise recovery and to reach the minimum of each kind of write.
    await pause(AFTER_FAULTS_MS);
    await waitForEachWrite(history, schedule.kills);
    knownTasks.over.abort();
    const followed = await load.feed;
    await Promise.all(load.short);
    say(
      `${outages.length} faults injected into ${knownTasks.ids.length} tasks; waiting for recovery`,
    );
    const reader = new Client("reader", bosun, history);
    const settling = rng.branch("settler");
    const [converged] = await Promise.all([
      converge(reader, knownTasks.ids, calmAt),
      settle(reader, settling, knownTasks.ids, settleMaxMs),
    ]);
    // The lists also contain tasks whose creation was never acknowledged.
    for (const { taskId } of await readRows(reader)) knownTasks.add(taskId);
    const late = await settle(reader, settling, knownTasks.ids, settleMaxMs);
    leaving.abort();
    await Promise.all(load.workers);
    const streams = (await Promise.all(load.followers)).flat();
    const settledMs = Date.now() - calmAt;
    say("all tasks have ended; reading the final state");
    const seen = {
      history,
      outages,
      receiver,
      streams,
      followed,
      late,
      settledMs,
      calmAt,
      converged,
    };
    const evidence: Evidence = { ...seen, known: knownTasks.ids, logCounts: logCounts.counts };
    return await judge(reader, evidence);
  } finally {
    await receiver.close();
    await bosun.stop();
  }
}

/** Waits until each kind of acknowledged write has reached its minimum, or until the time limit. */
async function waitForEachWrite(history: History, kills: number): Promise<void> {
  const until = Date.now() + EACH_WRITE_WITHIN_MS;
  while (!hasEachWrite(history, kills) && Date.now() < until) await pause(POLL_MS);
}

interface LoadContext {
  readonly bosun: Bosun;
  readonly rng: Rng;
  readonly history: History;
  readonly knownTasks: KnownTasks;
  readonly tasksMax: number;
}

/** Starts all clients. Some end with the load, the others when `leaving` aborts. */
function startLoad(
  { bosun, rng, history, knownTasks, tasksMax }: LoadContext,
  leaving: AbortSignal,
) {
  const staff = (role: string, count: number): (readonly [Client, Rng])[] =>
    Array.from({ length: count }, (_, place) => {
      const name = `${role}${place + 1}`;
      return [new Client(name, bosun, history), rng.branch(name)] as const;
    });
  const profile = { ...WORKER_PROFILE, drawEnd: rng.branch("ends").deck(ENDS) };
  const feed = followFeed(new Client("feed", bosun, history), knownTasks);
  return {
    feed,
    short: [
      ...staff("creator", CREATORS).map(([client, own]) =>
        createOn(client, own, knownTasks, tasksMax),
      ),
      ...staff("person", PEOPLE).map(([client, own]) => manageTasks(client, own, knownTasks)),
      ...staff("reader", READERS).map(([client, own]) => readOn(client, own, knownTasks)),
    ],
    workers: staff("worker", WORKERS).map(([client, own]) =>
      workOn(client, own, knownTasks, profile, leaving),
    ),
    followers: staff("follower", FOLLOWERS).map(([, own]) =>
      followOn(bosun, own, knownTasks, leaving),
    ),
  };
}

/** Creates a webhook that receives every event of every task. */
async function subscribe(bosun: Bosun, receiver: Receiver): Promise<void> {
  const client = new Client("founder", bosun, new History());
  const body = { url: receiver.url };
  const ask = { kind: "set-up", method: "POST", path: "/agents/webhooks", body } as const;
  const { data, exchange } = await client.ask<{ secret: string }>(ask);
  if (data === null) throw new Error(`The webhook could not be created: ${exchange.reason}`);
  receiver.trust(data.secret);
}
