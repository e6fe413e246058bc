import { setTimeout as pause } from "node:timers/promises";
import { startBosun, type Bosun } from "./bosun.ts";
import { Board } from "./board.ts";
import { Chance } from "./chance.ts";
import { Complaints } from "./complaints.ts";
import { converge } from "./converge.ts";
import { judge, type Evidence, type Verdict } from "./judge.ts";
import { Client } from "./client.ts";
import { injectFaults, type Storm } from "./faults.ts";
import { History } from "./history.ts";
import { createOn } from "./load/creator.ts";
import { followOn } from "./load/follower.ts";
import { lookAfter } from "./load/people.ts";
import { followFeed, readOn } from "./load/reader.ts";
import { startReceiver, type Receiver } from "./load/receiver.ts";
import { workOn, type Manner } from "./load/worker.ts";
import { readRows } from "./look.ts";
import { registerAgents } from "./orders.ts";
import { settle } from "./settle.ts";

const CREATORS = 4;
const PEOPLE = 6;
const READERS = 2;
const WORKERS = 6;
const FOLLOWERS = 4;
const STEP_INTERVAL_MS = 100;
const MANNER: Manner = {
  tasksAClaimMax: 3,
  stepMaxMs: 250,
  stepsMax: 3,
  files: 0.35,
  ends: { completed: 12, review: 2, blocked: 2, failed: 5, vanish: 1 },
};

export interface ChaosOptions {
  readonly seed: number;
  readonly storm: Storm;
  readonly tasksMax: number;
  /** The time for all tasks to end after the load. */
  readonly settleMaxMs: number;
  readonly say: (words: string) => void;
  /** The folder of an existing bundle. */
  readonly bundle?: string;
}

/** Injects faults into a service under load, then waits without faults and checks the result. */
export async function runChaos(options: ChaosOptions): Promise<Verdict> {
  const { seed, storm, tasksMax, settleMaxMs, say, bundle = null } = options;
  const chance = new Chance(seed);
  const complaints = new Complaints();
  const variables = {
    AGENT_STEP_INTERVAL_MS: String(STEP_INTERVAL_MS),
    ALLOW_PRIVATE_EGRESS: "true",
  };
  const bosun = await startBosun({ variables, onLog: complaints.record, bundle });
  const receiver = await startReceiver(chance.branch("receiver"));
  try {
    await registerAgents(bosun);
    await subscribe(bosun, receiver);
    const history = new History();
    const board = new Board();
    const leaving = new AbortController();
    const load = startLoad({ bosun, chance, history, board, tasksMax }, leaving.signal);
    say("under load; injecting faults");
    // A client that fails early ends the run, which then cleans up.
    const everybody = Promise.all([
      load.feed,
      ...load.short,
      ...load.workers,
      ...load.followers,
    ]).then(() => []);
    const injecting = injectFaults(bosun, storm, chance.branch("storm"), () => history.writes);
    const outages = await Promise.race([injecting, everybody]);
    const calmAt = Date.now();
    // The load continues briefly after the last kill, to exercise the recovery.
    await pause(1_000);
    board.over.abort();
    const followed = await load.feed;
    await Promise.all(load.short);
    say(`${outages.length} faults over ${board.ids.length} tasks; no more faults`);
    const looker = new Client("looker", bosun, history);
    const settling = chance.branch("settler");
    const [converged] = await Promise.all([
      converge(looker, board.ids, calmAt),
      settle(looker, settling, board.ids, settleMaxMs),
    ]);
    // The lists contain tasks whose creation was never acknowledged.
    for (const { taskId } of await readRows(looker)) board.add(taskId);
    const late = await settle(looker, settling, board.ids, settleMaxMs);
    leaving.abort();
    await Promise.all(load.workers);
    const streams = (await Promise.all(load.followers)).flat();
    const settledMs = Date.now() - calmAt;
    say("all tasks have ended; reading everything");
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
    const evidence: Evidence = { ...seen, known: board.ids, complaints: complaints.counts };
    return await judge(looker, evidence);
  } finally {
    await receiver.close();
    await bosun.stop();
  }
}

interface Scene {
  readonly bosun: Bosun;
  readonly chance: Chance;
  readonly history: History;
  readonly board: Board;
  readonly tasksMax: number;
}

/** Starts all clients. Some end with the load, the others when `leaving` aborts. */
function startLoad({ bosun, chance, history, board, tasksMax }: Scene, leaving: AbortSignal) {
  const staff = (role: string, count: number): (readonly [Client, Chance])[] =>
    Array.from({ length: count }, (_, place) => {
      const name = `${role}${place + 1}`;
      return [new Client(name, bosun, history), chance.branch(name)] as const;
    });
  const feed = followFeed(new Client("feed", bosun, history), board);
  return {
    feed,
    short: [
      ...staff("creator", CREATORS).map(([client, own]) => createOn(client, own, board, tasksMax)),
      ...staff("person", PEOPLE).map(([client, own]) => lookAfter(client, own, board)),
      ...staff("reader", READERS).map(([client, own]) => readOn(client, own, board)),
    ],
    workers: staff("worker", WORKERS).map(([client, own]) =>
      workOn(client, own, board, MANNER, leaving),
    ),
    followers: staff("follower", FOLLOWERS).map(([, own]) => followOn(bosun, own, board, leaving)),
  };
}

/** Creates a webhook for all events of all tasks. */
async function subscribe(bosun: Bosun, receiver: Receiver): Promise<void> {
  const client = new Client("founder", bosun, new History());
  const body = { url: receiver.url };
  const ask = { kind: "set-up", method: "POST", path: "/agents/webhooks", body } as const;
  const { data, exchange } = await client.ask<{ secret: string }>(ask);
  if (data === null) throw new Error(`The webhook was not made: ${exchange.reason}`);
  receiver.trust(data.secret);
}
