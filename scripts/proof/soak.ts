import { startBosun } from "./bosun.ts";
import { KnownTasks } from "./known-tasks.ts";
import { Rng } from "./rng.ts";
import { checkResponses } from "./check/responses.ts";
import { checkKeys } from "./check/observations.ts";
import type { Violation } from "./check/violation.ts";
import { Client } from "./client.ts";
import { LogCounts } from "./log-counts.ts";
import { countBy } from "./counts.ts";
import { History } from "./history.ts";
import { workOn, type WorkerProfile } from "./load/worker.ts";
import { readRows } from "./read-state.ts";
import { registerAgents } from "./task-requests.ts";
import { createTasks, type Injected } from "./soak/creator.ts";
import { drained } from "./soak/drained.ts";
import { cancelWaitingTasks, judgeAll } from "./soak/judge.ts";
import { restingMemory, watchMemory, type Rest, type Sample } from "./soak/memory.ts";
import { followFeedState, FeedState } from "./soak/feed-state.ts";
import { answerRequests } from "./soak/responder.ts";

const CUSTOMERS = 6;
const PEOPLE = 4;
const WORKERS = 8;
/** The number of stages. Memory is compared in the idle period after each stage. */
const STAGES = 5;
const PROGRESS_INTERVAL_MS = 10_000;
/** How long to wait for running tasks to end after the last task was created. */
const DRAIN_MAX_MS = 120_000;
const WORKER_PROFILE: Omit<WorkerProfile, "drawEnd"> = {
  tasksPerClaimMax: 8,
  stepMaxMs: 20,
  stepsMax: 1,
  files: 0.05,
};
/** How often work on a task ends in each of these ways. */
const ENDS = { completed: 90, review: 3, blocked: 3, failed: 3, vanish: 1 };

export interface SoakOptions {
  readonly seed: number;
  readonly tasks: number;
  /** How long to create tasks. Afterwards, running tasks still get time to end. */
  readonly seconds: number;
  readonly say: (message: string) => void;
}

export interface Soaked {
  readonly violations: readonly Violation[];
  readonly history: History;
  readonly injected: Injected;
  readonly samples: readonly Sample[];
  /** The memory of the idle runtime after each stage. */
  readonly rests: readonly Rest[];
  readonly tasks: number;
  readonly statuses: ReadonlyMap<string, number>;
  readonly waiting: number;
  readonly events: number;
  /** The duration, excluding idle periods. */
  readonly seconds: number;
  readonly logCounts: ReadonlyMap<string, number>;
}

/** Runs many tasks of all kinds through a service that is never restarted, until all tasks have ended. */
export async function runSoak({ seed, tasks, seconds, say }: SoakOptions): Promise<Soaked> {
  const rng = new Rng(seed);
  const logCounts = new LogCounts();
  const bosun = await startBosun({
    variables: { AGENT_STEP_INTERVAL_MS: "0" },
    onLog: logCounts.record,
  });
  const leaving = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  try {
    await registerAgents(bosun);
    const history = new History();
    const knownTasks = new KnownTasks();
    const feedState = new FeedState();
    const injected: Injected = new Map();
    let [taken, wanted] = [0, 0];
    const takesMore = (): boolean => taken < wanted && (taken += 1) > 0;
    const context = { knownTasks, feedState, injected, origin: bosun.origin, takesMore };
    const one = (role: string, place: number): readonly [Client, Rng] => {
      const name = `${role}${place + 1}`;
      return [new Client(name, bosun, history), rng.branch(name)];
    };
    const many = (role: string, count: number, act: (who: Client, own: Rng) => Promise<void>) =>
      Array.from({ length: count }, (_, place) => act(...one(role, place)));
    const profile = { ...WORKER_PROFILE, drawEnd: rng.branch("ends").deck(ENDS) };
    const samples: Sample[] = [];
    const clients = [
      watchMemory(bosun, () => feedState.ended.size, leaving.signal, samples),
      followFeedState(new Client("feed", bosun, history), feedState, leaving.signal),
      ...many("person", PEOPLE, (who, own) => answerRequests(who, own, feedState, leaving.signal)),
      ...many("worker", WORKERS, (who, own) =>
        workOn(who, own, knownTasks, profile, leaving.signal),
      ),
    ];
    // A client that fails early ends the entire run.
    const failing = Promise.all(clients);
    failing.catch(() => leaving.abort());
    const over = setTimeout(() => knownTasks.over.abort(), seconds * 1_000);
    const progress = setInterval(() => {
      const mib = (bosun.residentBytes() / 2 ** 20).toFixed(0);
      say(`${feedState.ended.size} of ${knownTasks.ids.length} ended, ${mib} MiB`);
    }, PROGRESS_INTERVAL_MS);
    timers.push(over, progress);
    const reader = new Client("reader", bosun, history);
    const still: Violation[] = [];
    const rests: Rest[] = [];
    let busyMs = 0;
    for (let stage = 1; stage <= STAGES && still.length === 0 && !knownTasks.isOver; stage += 1) {
      const stageAt = Date.now();
      wanted = Math.ceil((tasks * stage) / STAGES);
      // Use the same random numbers in each stage, so that stages are comparable.
      const creating = Promise.all(
        many("customer", CUSTOMERS, (who, own) => createTasks(who, own, context)),
      );
      await Promise.race([creating, failing]);
      const draining = drained(reader, feedState, knownTasks, Date.now() + DRAIN_MAX_MS);
      still.push(...((await Promise.race([draining, failing.then(() => [])])) ?? []));
      busyMs += Date.now() - stageAt;
      const since = samples.filter(({ ended }) => ended >= (rests.at(-1)?.ended ?? 0));
      rests.push(await restingMemory(bosun, feedState.ended.size, since));
    }
    leaving.abort();
    await failing;
    const { ended, left } = await cancelWaitingTasks(reader, knownTasks.ids, feedState);
    const rows = await readRows(reader);
    const violations = [...still, ...left, ...checkKeys(history)];
    violations.push(...checkResponses(history.exchanges, 0));
    violations.push(...(await judgeAll(reader, rng.branch("sample"), knownTasks, rows)));
    const statuses = countBy(rows, ({ status }) => status);
    const figures = {
      tasks: knownTasks.ids.length,
      events: feedState.events,
      seconds: busyMs / 1_000,
    };
    const memories = { samples, rests };
    const results = { statuses, waiting: ended, logCounts: logCounts.counts };
    return { history, injected, violations, ...figures, ...memories, ...results };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    leaving.abort();
    await bosun.stop();
  }
}
