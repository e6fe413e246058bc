import { Disk, type Alarm } from "./disk.ts";
import {
  callObject,
  ObjectInstance,
  type ObjectHost,
  type ObjectEnvironment,
} from "./object-instance.ts";
import type { Answer } from "./network.ts";

/** The platform drops an alarm after its sixth retry. The first retry comes after two seconds. */
const ALARM_RETRIES_MAX = 6;
const ALARM_RETRY_MS = 2_000;
const SAFE_AFTER_MS = 8;

/** A running alarm. A `setAlarm` call during the run sets another one. */
interface RunningAlarm {
  readonly alarm: Alarm;
  readonly retries: number;
}

/** One Durable Object: its disk and its current in-memory instance, if any. */
export class SimulatedObject implements ObjectHost {
  readonly disk: Disk;
  readonly name: string;
  readonly #make: (ctx: DurableObjectState) => object;
  readonly #around: ObjectEnvironment;
  /** The number of instances that have ended. */
  endedInstances = 0;
  #instance: ObjectInstance | null = null;
  #runningAlarm: RunningAlarm | null = null;
  #isSaving = false;
  /** A failed alarm that the platform will retry. */
  #repeated: Alarm | null = null;

  constructor(
    name: string,
    make: (ctx: DurableObjectState) => object,
    around: ObjectEnvironment,
    disk = new Disk(),
  ) {
    this.name = name;
    this.disk = disk;
    this.#make = make;
    this.#around = around;
  }

  /** Whether nothing is running and every write is committed. */
  get isIdle(): boolean {
    return this.#runningAlarm === null && this.disk.isSafe && (this.#instance?.isIdle ?? true);
  }

  /** Delivers a call, starting an instance if there is none. */
  arrive(verb: string, args: readonly unknown[], answer: (answer: Answer) => void): void {
    this.#alive().run((object) => callObject(object, verb, args), answer);
  }

  /** Ends the instance. Its running work is lost, and some uncommitted writes may be lost too. */
  crash(): void {
    const instance = this.#instance;
    if (instance === null) return;
    this.#around.trace?.(`${this.name} crashes`);
    this.#instance = null;
    this.endedInstances += 1;
    this.disk.crash(this.#around.rng);
    const running = this.#runningAlarm;
    this.#runningAlarm = null;
    instance.end();
    if (running !== null) this.#hasFailed(running);
    else this.#plan();
  }

  /** Ends an idle instance, as the platform does. */
  evict(): void {
    if (this.#instance === null || !this.isIdle) return;
    this.#around.trace?.(`${this.name} is evicted`);
    this.#around.faultPlan.note("eviction");
    this.endedInstances += 1;
    this.#instance.end();
    this.#instance = null;
  }

  strike(what: string): boolean {
    if (!this.#around.faultPlan.crashes()) return true;
    this.#around.trace?.(`${this.name} ends before it ${what}`);
    this.crash();
    return false;
  }

  /** The time when the object next wakes. */
  get wakesAt(): number {
    const { alarm } = this.disk;
    if (alarm === null) return Infinity;
    return alarm === this.#repeated ? this.#around.clock.now : alarm.at;
  }

  alarmAt(): number | null {
    const { alarm } = this.disk;
    return alarm === null || alarm === this.#runningAlarm?.alarm ? null : alarm.at;
  }

  /** Schedules the object's alarm. */
  plan(): void {
    if (this.#runningAlarm === null) this.#plan();
  }

  /** Commits the current writes after a short delay. */
  safeSoon(): void {
    if (this.#isSaving) return;
    this.#isSaving = true;
    const { clock, faultPlan } = this.#around;
    clock.afterPlain(faultPlan.isOver ? 0 : faultPlan.below(SAFE_AFTER_MS), () => {
      this.#isSaving = false;
      this.disk.makeSafe();
      this.#instance?.isSafe();
    });
  }

  #alive(): ObjectInstance {
    const { clock } = this.#around;
    this.#instance ??= new ObjectInstance(this, this.#make, this.#around);
    clock.owner = this.#instance;
    return this.#instance;
  }

  #plan(): void {
    const { alarm } = this.disk;
    if (alarm === null) return;
    const { clock, faultPlan } = this.#around;
    const isEarly = faultPlan.chance(0.03, "alarm early");
    const lateMs = faultPlan.chance(0.1, "alarm late")
      ? faultPlan.below(15_000)
      : faultPlan.below(5);
    const inMs = isEarly
      ? faultPlan.below(1 + Math.max(0, alarm.at - clock.now))
      : alarm.at - clock.now + lateMs;
    clock.after(Math.max(0, inMs), () => {
      if (this.disk.alarm === alarm && this.#runningAlarm === null) this.#runAlarm(alarm, 0);
    });
  }

  #runAlarm(alarm: Alarm, retries: number): void {
    this.#around.trace?.(
      `${this.name} runs its alarm${retries === 0 ? "" : ` again (${retries})`}`,
    );
    const running = { alarm, retries };
    this.#runningAlarm = running;
    const info = { retryCount: retries, isRetry: retries > 0, scheduledTime: alarm.at };
    this.#alive().run(
      (object) => callObject(object, "alarm", [info]),
      (answer) => {
        if (this.#runningAlarm !== running) return;
        // The platform may lose track of a completed alarm and repeat it.
        if (answer.ok && !this.#around.faultPlan.chance(0.03, "alarm twice")) this.#isDone(running);
        else this.#hasFailed(running);
      },
    );
  }

  #isDone({ alarm }: RunningAlarm): void {
    this.#runningAlarm = null;
    if (this.disk.alarm !== alarm) return this.#plan();
    this.disk.setAlarm(null);
    this.safeSoon();
  }

  #hasFailed({ alarm, retries }: RunningAlarm): void {
    this.#runningAlarm = null;
    if (this.disk.alarm !== alarm) return this.#plan();
    this.#around.faultPlan.note("alarm failed");
    this.#repeated = alarm;
    this.#around.clock.after(ALARM_RETRY_MS * 2 ** retries, () => {
      if (this.disk.alarm !== alarm || this.#runningAlarm !== null) return;
      if (retries < ALARM_RETRIES_MAX) return this.#runAlarm(alarm, retries + 1);
      this.#around.faultPlan.note("alarm dropped for good");
      this.disk.setAlarm(null);
      this.disk.makeSafe();
    });
  }
}
