import type { Owner, VirtualClock } from "./virtual-clock.ts";
import type { FaultPlan, CallKind } from "./fault-plan.ts";
import type { Trace } from "./trace.ts";

/** What a call does at its destination. */
export type Effect = (answer: (answer: Answer) => void, isLate: boolean) => void;

export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: Error };

/** A call's destination and method. */
export interface Call {
  readonly kind: CallKind;
  readonly to: string;
  readonly verb: string;
}

/** The delay of a late call, which usually arrives after its caller has timed out. */
const LATE_MIN_MS = 1_500;
const LATE_MAX_MS = 20_000;
/** Idempotent methods. Only calls to these are repeated. */
const REPEATABLE = new Set([
  "put",
  "delete",
  "read",
  "enqueue",
  "remove",
  "send",
  "save",
  "notify",
  "readPage",
]);
/** Methods used to delete a task's data at the end of its retention. */
const PURGING = new Set(["list", "erase", "delete"]);
/** Destinations that run object code. All others respond as soon as a call arrives. */
const OBJECTS: ReadonlySet<CallKind> = new Set(["task", "queue", "feed", "webhook"]);

/** Carries calls between the parts of the simulated world. */
export class Network {
  readonly #clock: VirtualClock;
  readonly #faultPlan: FaultPlan;
  readonly #trace: Trace;

  constructor(clock: VirtualClock, faultPlan: FaultPlan, trace: Trace) {
    this.#clock = clock;
    this.#faultPlan = faultPlan;
    this.#trace = trace;
  }

  /** Makes a call on behalf of the current owner. `effect` runs at the destination. */
  call<Value>(call: Call, effect: Effect): Promise<Value> {
    const from = this.#clock.owner;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    from.strike("calls");
    const settle = (answer: Answer, afterMs: number): void => {
      const settled = (): void => (answer.ok ? resolve(answer.value) : reject(answer.error));
      this.#clock.after(afterMs, settled, from);
    };
    if (!from.isGone) from.send(() => this.#go(from, call, effect, settle));
    return promise as Promise<Value>;
  }

  #go(
    from: Owner,
    call: Call,
    effect: Effect,
    settle: (answer: Answer, afterMs: number) => void,
  ): void {
    const outcome = this.#faultPlan.outcomeOfCall(
      call.kind,
      REPEATABLE.has(call.verb),
      this.#clock.now,
    );
    this.#trace?.(`${from.name} → ${call.to}.${call.verb}: ${outcome}`);
    if (outcome !== "fine" && PURGING.has(call.verb)) this.#faultPlan.note("fault in a purge");
    const travelMs = this.#faultPlan.latencyMs();
    if (outcome === "fine") {
      return this.#arrive(call, travelMs, () =>
        effect((answer) => settle(answer, this.#faultPlan.latencyMs()), false),
      );
    }
    const failed: Answer = {
      ok: false,
      error: new Error(`${call.to} is unreachable (${outcome})`),
    };
    const reply = (answer: Answer): void => settle(answer, this.#faultPlan.latencyMs());
    switch (outcome) {
      case "twice":
        this.#clock.after(travelMs + this.#faultPlan.below(5_000), () => effect(() => {}, false));
        return this.#arrive(call, travelMs, () => effect(reply, false));
      case "lost":
        return settle(failed, travelMs);
      case "silent":
        // The call never settles.
        return;
      case "unheard":
        return this.#arrive(call, travelMs, () => effect(() => reply(failed), false));
      case "mute":
        return this.#arrive(call, travelMs, () => effect(() => {}, false));
      case "late": {
        const lateMs = LATE_MIN_MS + this.#faultPlan.below(LATE_MAX_MS - LATE_MIN_MS);
        return this.#clock.after(lateMs, () => effect(reply, true));
      }
    }
  }

  /** Calls can arrive in any order, because each one uses its own stub. */
  #arrive({ kind }: Call, travelMs: number, run: () => void): void {
    if (OBJECTS.has(kind)) this.#clock.after(travelMs, run);
    else this.#clock.afterPlain(travelMs, run);
  }
}
