import type { Dice } from "../domain/dice.ts";

/**
 * What becomes of a call: `lost` it is not done and fails; `unheard` it is done and fails all the same;
 * `silent` and `mute` are those two without any answer, ever; `late` it is done long after
 * whoever called gave up; `twice` it is done once more after a while.
 */
export type Fate = "fine" | "lost" | "unheard" | "silent" | "mute" | "late" | "twice";

/** Where calls go. */
export const KINDS = ["task", "queue", "feed", "webhook", "d1", "r2", "turns"] as const;
export type Kind = (typeof KINDS)[number];

const MINUTE_MS = 60_000;

/** What strikes in one life, drawn once; and then, effect by effect, whether it does. */
export class Fates {
  /** How often each thing has befallen the life. */
  readonly befell = new Map<string, number>();
  /** Once faults are over everything goes well, but for an outage that lasts longer. */
  isOver = false;
  readonly #dice: Dice;
  readonly #illness: number;
  readonly #mortality: number;
  readonly #badWrites: number;
  readonly #slowness: number;
  /** Until when nothing gets through to a place, counted from the beginning of the life. */
  readonly #outages = new Map<Kind, readonly [from: number, to: number]>();

  constructor(dice: Dice, startsAt: number) {
    this.#dice = dice;
    this.#illness = dice.of([0, 0.02, 0.08, 0.25]);
    this.#mortality = dice.of([0, 0.004, 0.015, 0.05]);
    this.#badWrites = dice.of([0, 0, 0.01, 0.03]);
    this.#slowness = dice.of([2, 10, 40, 400]);
    this.#drawOutage(startsAt);
  }

  /** Until when something is out of reach. */
  get outageEndsAt(): number {
    return Math.max(0, ...[...this.#outages.values()].map(([, to]) => to));
  }

  /** Once more, after a time in which all went well. */
  strikeAgain(now: number): void {
    this.isOver = false;
    this.#drawOutage(now);
  }

  ofCall(kind: Kind, mayBeTwice: boolean, now: number): Fate {
    const outage = this.#outages.get(kind);
    if (outage !== undefined && outage[0] <= now && now < outage[1]) {
      return this.#count(kind, this.#dice.of(["lost", "lost", "lost", "silent"]));
    }
    if (this.isOver) return "fine";
    if (this.#dice.roll() >= this.#illness) return "fine";
    const fate = this.#dice.of(["lost", "unheard", "unheard", "silent", "mute", "late", "twice"]);
    return fate === "twice" && !mayBeTwice ? "fine" : this.#count(kind, fate);
  }

  /** Whether the object ends before its next effect. */
  kills(): boolean {
    return this.#strikes(this.#mortality, "crash");
  }

  spoilsWrite(): boolean {
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
    this.befell.set(name, (this.befell.get(name) ?? 0) + 1);
  }

  /** A long one outlives the storm, and the patience of the work with it. */
  #drawOutage(now: number): void {
    const dice = this.#dice;
    if (!dice.oneIn(3)) return;
    const from = now + dice.below(30_000);
    const lastsMs = dice.oneIn(6) ? dice.between(5, 25) * MINUTE_MS : dice.below(MINUTE_MS);
    this.#outages.set(dice.of(["queue", "feed", "d1", "r2", "turns"]), [from, from + lastsMs]);
  }

  #strikes(part: number, name: string): boolean {
    if (this.isOver || part === 0 || this.#dice.roll() >= part) return false;
    this.note(name);
    return true;
  }

  #count(kind: Kind, fate: Fate): Fate {
    this.note(`${kind} ${fate}`);
    return fate;
  }
}
