import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import worker from "../../src/index.ts";
import { passTime } from "../support/tasks.ts";
import type { Injection } from "./injection.ts";

/** More than any fault takes to be mended: longer than the longest pause after one. */
const ROUND_MS = 11_000;
const ROUNDS_MAX = 40;
/** What an alarm may take while a call hangs, all the patience of the service being shortened. */
const ALARM_MAX_MS = 3_000;
/** The same for the turns that the platform's own queue brings, whenever it likes. */
const TURN_MAX_MS = 2_000;
const HUNG_TURN_MS = 100;
const LOOK_MS = 3;
/** An alarm that is further off tidies up. */
const FAR_MS = 60 * 60_000;

/** Messages of the queue of turns: how many went out and how many were dealt with. */
const mail = { sent: 0, handled: 0 };

export function countSentTurns(count: number): void {
  mail.sent += count;
}

/** Counts what the queue brings, for as long as the returned function is not called. */
export function countHandledTurns(): () => void {
  const whole = worker.queue;
  worker.queue = async (batch, bindings) => {
    await whole(batch, bindings);
    mail.handled += batch.messages.length;
  };
  return () => {
    worker.queue = whole;
  };
}

/** How alarms come: as they were set, later, each twice and once more at a time, or when nobody has set any. */
export const ALARM_MODES = ["set", "late", "twice", "early"] as const;
export type AlarmMode = (typeof ALARM_MODES)[number];
const LATE_MS = 20 * 60_000;

/** The objects of one journey whose alarms are run; the clock stands, so that no other runs. */
export class AlarmDriver {
  readonly tasks = new Set<string>();
  readonly agents = new Set<string>();
  readonly webhooks = new Set<string>();
  /** Alarms that came although none was due. */
  spuriousAlarms = 0;
  lastWoken = "no alarm";
  /** Messages of the queue of turns that were not handled when the last wait for them ended. */
  #unhandled = 0;
  readonly #injection: Injection;
  readonly #manner: AlarmMode;

  constructor(injection: Injection, manner: AlarmMode = "set") {
    this.#injection = injection;
    this.#manner = manner;
    mail.sent = mail.handled;
  }

  /** Runs every alarm that is set, and waits for the turns that come of it. */
  async runAlarms(): Promise<void> {
    if (this.#manner === "late") passTime(LATE_MS);
    if (this.#manner === "twice" || this.#manner === "early") await this.runSpuriousAlarms();
    for (const stub of this.#stubs()) await this.#alarm(stub);
    if (this.#manner === "twice")
      await Promise.all([this.runSpuriousAlarms(), this.runSpuriousAlarms()]);
    await this.#turns();
  }

  /** Runs the alarms of all objects, whether one is due or not: the platform brings them at least once. */
  async runSpuriousAlarms(): Promise<void> {
    for (const stub of this.#stubs()) {
      await runInDurableObject(stub, (object) => object.alarm?.());
      this.spuriousAlarms += 1;
    }
  }

  /** Lets time pass and alarms run until nothing has an alarm any more. */
  async settle(): Promise<void> {
    for (let rounds = 0; rounds < ROUNDS_MAX; rounds += 1) {
      passTime(ROUND_MS);
      await this.runAlarms();
      if (!(await this.#isOwed())) return;
    }
    throw new Error(`Something is owed still after ${ROUNDS_MAX} rounds of alarms`);
  }

  async #alarm(stub: DurableObjectStub): Promise<void> {
    this.lastWoken = `the alarm of ${stub.id.name ?? stub.id.toString()}`;
    const ran = await this.#injection.unlessHung(runDurableObjectAlarm(stub), ALARM_MAX_MS);
    if (ran === undefined) expect.fail("An alarm waits for ever for a call that hangs");
  }

  /** Waits for turns. After a call has hung, newer turns get their full time; the hung turn is repeated by its task. */
  async #turns(): Promise<void> {
    const { isHung } = this.#injection;
    const hasNewer = mail.sent - mail.handled > this.#unhandled;
    const expected = isHung && hasNewer ? this.#unhandled : 0;
    const giveUpAt = performance.now() + (isHung && !hasNewer ? HUNG_TURN_MS : TURN_MAX_MS);
    while (mail.sent - mail.handled > expected && performance.now() < giveUpAt)
      await scheduler.wait(LOOK_MS);
    this.#unhandled = mail.sent - mail.handled;
  }

  async #isOwed(): Promise<boolean> {
    const alarms = await Promise.all(this.#stubs().map(alarmOf));
    return alarms.some((at) => at !== null && at < Date.now() + FAR_MS);
  }

  #stubs(): DurableObjectStub[] {
    return [
      ...[...this.tasks].map((id) => env.TASKS.get(env.TASKS.idFromString(id))),
      ...[...this.agents].map((id) => env.QUEUES.get(env.QUEUES.idFromName(id))),
      env.FEED.get(env.FEED.idFromName("feed")),
      ...[...this.webhooks].map((id) => env.WEBHOOKS.get(env.WEBHOOKS.idFromName(id))),
    ];
  }
}

function alarmOf(stub: DurableObjectStub): Promise<number | null> {
  return runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
}
