import { startBosun } from "./bosun.ts";
import { Board } from "./board.ts";
import { Chance } from "./chance.ts";
import { checkAnswers } from "./check/answers.ts";
import { checkKeys } from "./check/seen.ts";
import type { Violation } from "./check/violation.ts";
import { Client } from "./client.ts";
import { Complaints } from "./complaints.ts";
import { countedBy } from "./counted.ts";
import { History } from "./history.ts";
import { workOn, type Manner } from "./load/worker.ts";
import { readRows } from "./look.ts";
import { registerAgents } from "./orders.ts";
import { order, type Injected } from "./soak/customers.ts";
import { drained } from "./soak/drained.ts";
import { cancelWaitingTasks, judgeAll } from "./soak/judge.ts";
import { restingMemory, watchMemory, type Rest, type Sample } from "./soak/memory.ts";
import { followNews, News } from "./soak/news.ts";
import { attend } from "./soak/people.ts";

const CUSTOMERS = 6;
const PEOPLE = 4;
const WORKERS = 8;
/** The pauses between stages, without any requests, in which memory is compared. */
const STAGES = 5;
const TELL_MS = 10_000;
/** The time for running tasks to end after the last task was created. */
const DRAIN_MAX_MS = 120_000;
const MANNER: Manner = {
  tasksAClaimMax: 8,
  stepMaxMs: 20,
  stepsMax: 1,
  files: 0.05,
  ends: { completed: 90, review: 3, blocked: 3, failed: 3, vanish: 1 },
};

export interface SoakOptions {
  readonly seed: number;
  readonly tasks: number;
  /** The time after which no task is created; running tasks still get the time that they need. */
  readonly seconds: number;
  readonly say: (words: string) => void;
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
  /** The duration without the rests. */
  readonly seconds: number;
  readonly complaints: ReadonlyMap<string, number>;
}

/** Runs many tasks of all kinds through a service that is never restarted, until all have ended. */
export async function runSoak({ seed, tasks, seconds, say }: SoakOptions): Promise<Soaked> {
  const chance = new Chance(seed);
  const complaints = new Complaints();
  const bosun = await startBosun({
    variables: { AGENT_STEP_INTERVAL_MS: "0" },
    onLog: complaints.record,
  });
  const leaving = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  try {
    await registerAgents(bosun);
    const history = new History();
    const board = new Board();
    const news = new News();
    const injected: Injected = new Map();
    let [taken, wanted] = [0, 0];
    const takesMore = (): boolean => taken < wanted && (taken += 1) > 0;
    const shop = { board, news, injected, origin: bosun.origin, takesMore };
    const one = (role: string, place: number): readonly [Client, Chance] => {
      const name = `${role}${place + 1}`;
      return [new Client(name, bosun, history), chance.branch(name)];
    };
    const many = (role: string, count: number, act: (who: Client, own: Chance) => Promise<void>) =>
      Array.from({ length: count }, (_, place) => act(...one(role, place)));
    const samples: Sample[] = [];
    const staff = [
      watchMemory(bosun, () => news.ended.size, leaving.signal, samples),
      followNews(new Client("news", bosun, history), news, leaving.signal),
      ...many("person", PEOPLE, (who, own) => attend(who, own, news, leaving.signal)),
      ...many("worker", WORKERS, (who, own) => workOn(who, own, board, MANNER, leaving.signal)),
    ];
    // A client that fails early ends the whole run.
    const failing = Promise.all(staff);
    failing.catch(() => leaving.abort());
    const over = setTimeout(() => board.over.abort(), seconds * 1_000);
    const telling = setInterval(() => {
      const mib = (bosun.residentBytes() / 2 ** 20).toFixed(0);
      say(`${news.ended.size} of ${board.ids.length} ended, ${mib} MiB`);
    }, TELL_MS);
    timers.push(over, telling);
    const looker = new Client("looker", bosun, history);
    const still: Violation[] = [];
    const rests: Rest[] = [];
    let busyMs = 0;
    for (let stage = 1; stage <= STAGES && still.length === 0 && !board.isOver; stage += 1) {
      const stageAt = Date.now();
      wanted = Math.ceil((tasks * stage) / STAGES);
      // The same random numbers in each stage, so that stages are comparable.
      const ordering = Promise.all(
        many("customer", CUSTOMERS, (who, own) => order(who, own, shop)),
      );
      await Promise.race([ordering, failing]);
      const draining = drained(looker, news, board, Date.now() + DRAIN_MAX_MS);
      still.push(...((await Promise.race([draining, failing.then(() => [])])) ?? []));
      busyMs += Date.now() - stageAt;
      const since = samples.filter(({ ended }) => ended >= (rests.at(-1)?.ended ?? 0));
      rests.push(await restingMemory(bosun, news.ended.size, since));
    }
    leaving.abort();
    await failing;
    const { ended, left } = await cancelWaitingTasks(looker, board.ids, news);
    const rows = await readRows(looker);
    const violations = [...still, ...left, ...checkKeys(history)];
    violations.push(...checkAnswers(history.exchanges, 0));
    violations.push(...(await judgeAll(looker, chance.branch("sample"), board, rows)));
    const statuses = countedBy(rows, ({ status }) => status);
    const figures = { tasks: board.ids.length, events: news.events, seconds: busyMs / 1_000 };
    const memories = { samples, rests };
    const results = { statuses, waiting: ended, complaints: complaints.counts };
    return { history, injected, violations, ...figures, ...memories, ...results };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    leaving.abort();
    await bosun.stop();
  }
}
