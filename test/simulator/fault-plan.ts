import type { Rng } from "../support/rng.ts";

/**
 * What becomes of a call: `lost` it is not done and fails; `unheard` it is done and fails all the same;
 * `silent` and `mute` are those two without any answer, ever; `late` it is done long after
 * whoever called gave up; `twice` it is done once more after a while.
 */
export type CallOutcome = "fine" | "lost" | "unheard" | "silent" | "mute" | "late" | "twice";

/** Where calls go. */
export const CALL_KINDS = ["task", "queue", "feed", "webhook", "d1", "r2", "turns"] as const;
export type CallKind = (typeof CALL_KINDS)[number];

const MINUTE_MS = 60_000;

/** What strikes in one life, drawn once; and then, effect by effect, whether it does. */
export class FaultPlan {
  /** How often each thing has befallen the life. */
  readonly faultCounts = new Map<string, number>();
  /** Once faults are over everything goes well, but for an outage that lasts longer. */
  isOver = false;
  readonly #dice: Rng;
  readonly #illness: number;
  readonly #mortality: number;
  readonly #badWrites: number;
  readonly #slowness: number;
  /** Until when nothing gets through to a place, counted from the beginning of the life. */
  readonly #outages = new Map<CallKind, readonly [from: number, to: number]>();

  constructor(rng: Rng, startsAt: number) {
    this.#dice = rng;
    this.#illness = rng.pick([0, 0.02, 0.08, 0.25]);
    this.#mortality = rng.pick([0, 0.004, 0.015, 0.05]);
    this.#badWrites = rng.pick([0, 0, 0.01, 0.03]);
    this.#slowness = rng.pick([2, 10, 40, 400]);
    this.#drawOutage(startsAt);
  }

  /** Until when something is out of reach. */
  get outageEndsAt(): number {
    return Math.max(0, ...[...this.#outages.values()].map(([, to]) => to));
  }

  /** Once more, after a time in which all went well. */
  restart(now: number): void {
    this.isOver = false;
    this.#drawOutage(now);
  }

  outcomeOfCall(kind: CallKind, mayBeTwice: boolean, now: number): CallOutcome {
    const outage = this.#outages.get(kind);
    if (outage !== undefined && outage[0] <= now && now < outage[1]) {
      return this.#count(kind, this.#dice.pick(["lost", "lost", "lost", "silent"]));
    }
    if (this.isOver) return "fine";
    if (this.#dice.next() >= this.#illness) return "fine";
    const fate = this.#dice.pick(["lost", "unheard", "unheard", "silent", "mute", "late", "twice"]);
    return fate === "twice" && !mayBeTwice ? "fine" : this.#count(kind, fate);
  }

  /** Whether the object ends before its next effect. */
  crashes(): boolean {
    return this.#strikes(this.#mortality, "crash");
  }

  failsWrite(): boolean {
    return this.#strikes(this.#badWrites, "write refused");
  }

  chance(part: number, name: string): boolean {
    return this.#strikes(part, name);
  }

  latencyMs(): number {
    return this.isOver ? 1 : this.#dice.below(this.#slowness);
  }

  below(count: number): number {
    return this.#dice.below(count);
  }

  note(name: string): void {
    this.faultCounts.set(name, (this.faultCounts.get(name) ?? 0) + 1);
  }

  /** A long one outlives the storm, and the patience of the work with it. */
  #drawOutage(now: number): void {
    const rng = this.#dice;
    if (!rng.oneIn(3)) return;
    const from = now + rng.below(30_000);
    const lastsMs = rng.oneIn(6) ? rng.between(5, 25) * MINUTE_MS : rng.below(MINUTE_MS);
    this.#outages.set(rng.pick(["queue", "feed", "d1", "r2", "turns"]), [from, from + lastsMs]);
  }

  #strikes(part: number, name: string): boolean {
    if (this.isOver || part === 0 || this.#dice.next() >= part) return false;
    this.note(name);
    return true;
  }

  #count(kind: CallKind, fate: CallOutcome): CallOutcome {
    this.note(`${kind} ${fate}`);
    return fate;
  }
}
