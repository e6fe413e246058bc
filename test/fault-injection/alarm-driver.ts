import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import worker from "../../src/index.ts";
import { passTime } from "../support/tasks.ts";
import type { Injection } from "./injection.ts";

/** Longer than any pause after a first failure. */
const ROUND_MS = 11_000;
const ROUNDS_MAX = 40;
/**
 * The longest time that an alarm may run while a call hangs and the service's timeouts are
 * shortened.
 */
const ALARM_MAX_MS = 3_000;
/** The longest wait for turns, which the platform's queue may deliver at any time. */
const TURN_MAX_MS = 2_000;
const HUNG_TURN_MS = 100;
const LOOK_MS = 3;
/** Alarms later than this only clean up. */
const FAR_MS = 60 * 60_000;

/** The numbers of messages sent to the turn queue and handled by its consumer. */
const mail = { sent: 0, handled: 0 };

export function countSentTurns(count: number): void {
  mail.sent += count;
}

/** Counts handled messages until the returned function is called. */
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

/**
 * How alarms run. `set`: as set. `late`: 20 minutes late. `early`: with an extra run first.
 * `twice`: with an extra run first and two more afterwards.
 */
export const ALARM_MODES = ["set", "late", "twice", "early"] as const;
export type AlarmMode = (typeof ALARM_MODES)[number];
const LATE_MS = 20 * 60_000;

/** Runs the alarms of a scenario's objects. No other alarms run, because the clock is stopped. */
export class AlarmDriver {
  readonly tasks = new Set<string>();
  readonly agents = new Set<string>();
  readonly webhooks = new Set<string>();
  /** The number of extra alarm runs. */
  spuriousAlarms = 0;
  lastWoken = "no alarm";
  /** The number of messages still unhandled after the last wait. */
  #unhandled = 0;
  readonly #injection: Injection;
  readonly #manner: AlarmMode;

  constructor(injection: Injection, manner: AlarmMode = "set") {
    this.#injection = injection;
    this.#manner = manner;
    mail.sent = mail.handled;
  }

  /** Runs every alarm that is set, and waits for the resulting turns. */
  async runAlarms(): Promise<void> {
    if (this.#manner === "late") passTime(LATE_MS);
    if (this.#manner === "twice" || this.#manner === "early") await this.runSpuriousAlarms();
    for (const stub of this.#stubs()) await this.#alarm(stub);
    if (this.#manner === "twice")
      await Promise.all([this.runSpuriousAlarms(), this.runSpuriousAlarms()]);
    await this.#turns();
  }

  /**
   * Runs the alarm handler of every object, whether or not an alarm is due, because the platform
   * may repeat alarms.
   */
  async runSpuriousAlarms(): Promise<void> {
    for (const stub of this.#stubs()) {
      await runInDurableObject(stub, (object) => object.alarm?.());
      this.spuriousAlarms += 1;
    }
  }

  /** Advances time and runs alarms until no work is pending. */
  async settle(): Promise<void> {
    for (let rounds = 0; rounds < ROUNDS_MAX; rounds += 1) {
      passTime(ROUND_MS);
      await this.runAlarms();
      if (!(await this.#hasPendingWork())) return;
    }
    throw new Error(`Work is still pending after ${ROUNDS_MAX} rounds of alarms`);
  }

  async #alarm(stub: DurableObjectStub): Promise<void> {
    this.lastWoken = `the alarm of ${stub.id.name ?? stub.id.toString()}`;
    const ran = await this.#injection.unlessHung(runDurableObjectAlarm(stub), ALARM_MAX_MS);
    if (ran === undefined)
      expect.fail(`An alarm was still waiting for a hanging call after ${ALARM_MAX_MS} ms`);
  }

  /**
   * Waits until turns have been handled. While a call hangs, waits only briefly unless there are new
   * turns, because the task later repeats the turn that hung.
   */
  async #turns(): Promise<void> {
    const { isHung } = this.#injection;
    const hasNewer = mail.sent - mail.handled > this.#unhandled;
    const expected = isHung && hasNewer ? this.#unhandled : 0;
    const giveUpAt = performance.now() + (isHung && !hasNewer ? HUNG_TURN_MS : TURN_MAX_MS);
    while (mail.sent - mail.handled > expected && performance.now() < giveUpAt)
      await scheduler.wait(LOOK_MS);
    this.#unhandled = mail.sent - mail.handled;
  }

  async #hasPendingWork(): Promise<boolean> {
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
