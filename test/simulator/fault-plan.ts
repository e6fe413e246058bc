import type { Rng } from "../support/rng.ts";

/**
 * The outcome of a call. `lost`: the call is not executed and fails. `unheard`: the call is
 * executed but fails. `silent` and `mute`: like `lost` and `unheard`, but the call never settles.
 * `late`: the call is executed after a long delay, when the caller has usually given up. `twice`:
 * the call is executed again after a delay.
 */
export type CallOutcome = "fine" | "lost" | "unheard" | "silent" | "mute" | "late" | "twice";

/** The destinations of calls. */
export const CALL_KINDS = ["task", "queue", "feed", "webhook", "d1", "r2", "turns"] as const;
export type CallKind = (typeof CALL_KINDS)[number];

const MINUTE_MS = 60_000;

/** Draws a world's fault rates, then decides for each effect whether a fault occurs. */
export class FaultPlan {
  /** The number of faults of each kind. */
  readonly faultCounts = new Map<string, number>();
  /** If true, no more faults occur, except for outages that have not ended. */
  isOver = false;
  readonly #rng: Rng;
  readonly #callFailureRate: number;
  readonly #crashRate: number;
  readonly #writeFailureRate: number;
  readonly #slowness: number;
  /** Each destination's outage, if it has one. */
  readonly #outages = new Map<CallKind, readonly [from: number, to: number]>();

  constructor(rng: Rng, startsAt: number) {
    this.#rng = rng;
    this.#callFailureRate = rng.pick([0, 0.02, 0.08, 0.25]);
    this.#crashRate = rng.pick([0, 0.004, 0.015, 0.05]);
    this.#writeFailureRate = rng.pick([0, 0, 0.01, 0.03]);
    this.#slowness = rng.pick([2, 10, 40, 400]);
    this.#drawOutage(startsAt);
  }

  /** The end of the last outage. */
  get outageEndsAt(): number {
    return Math.max(0, ...[...this.#outages.values()].map(([, to]) => to));
  }

  /** Starts another period of faults. */
  restart(now: number): void {
    this.isOver = false;
    this.#drawOutage(now);
  }

  outcomeOfCall(kind: CallKind, mayBeTwice: boolean, now: number): CallOutcome {
    const outage = this.#outages.get(kind);
    if (outage !== undefined && outage[0] <= now && now < outage[1]) {
      return this.#count(kind, this.#rng.pick(["lost", "lost", "lost", "silent"]));
    }
    if (this.isOver) return "fine";
    if (this.#rng.next() >= this.#callFailureRate) return "fine";
    const outcome = this.#rng.pick([
      "lost",
      "unheard",
      "unheard",
      "silent",
      "mute",
      "late",
      "twice",
    ]);
    return outcome === "twice" && !mayBeTwice ? "fine" : this.#count(kind, outcome);
  }

  /** Whether the object crashes before its next effect. */
  crashes(): boolean {
    return this.#strikes(this.#crashRate, "crash");
  }

  failsWrite(): boolean {
    return this.#strikes(this.#writeFailureRate, "write rejected");
  }

  chance(part: number, name: string): boolean {
    return this.#strikes(part, name);
  }

  latencyMs(): number {
    return this.isOver ? 1 : this.#rng.below(this.#slowness);
  }

  below(count: number): number {
    return this.#rng.below(count);
  }

  note(name: string): void {
    this.faultCounts.set(name, (this.faultCounts.get(name) ?? 0) + 1);
  }

  /**
   * Sometimes draws an outage. A long one can outlast the other faults and the tasks' retry limits.
   */
  #drawOutage(now: number): void {
    const rng = this.#rng;
    if (!rng.oneIn(3)) return;
    const from = now + rng.below(30_000);
    const lastsMs = rng.oneIn(6) ? rng.between(5, 25) * MINUTE_MS : rng.below(MINUTE_MS);
    this.#outages.set(rng.pick(["queue", "feed", "d1", "r2", "turns"]), [from, from + lastsMs]);
  }

  #strikes(part: number, name: string): boolean {
    if (this.isOver || part === 0 || this.#rng.next() >= part) return false;
    this.note(name);
    return true;
  }

  #count(kind: CallKind, outcome: CallOutcome): CallOutcome {
    this.note(`${kind} ${outcome}`);
    return outcome;
  }
}
