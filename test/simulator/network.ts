import type { Owner, VirtualClock } from "./virtual-clock.ts";
import type { FaultPlan, CallKind } from "./fault-plan.ts";
import type { Trace } from "./trace.ts";

/** What happens at the other end of a call. */
export type Effect = (answer: (answer: Answer) => void, isLate: boolean) => void;

export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: Error };

/** Where a call goes and what it asks. */
export interface Call {
  readonly kind: CallKind;
  readonly to: string;
  readonly verb: string;
}

/** What comes late comes after its caller has given up waiting. */
const LATE_MIN_MS = 1_500;
const LATE_MAX_MS = 20_000;
/** Doing it again changes nothing for whom it is done: of others the platform repeats no call. */
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
/** Only the end of a task's retention deletes something. */
const PURGING = new Set(["list", "erase", "delete"]);
/** Of all others the answer is there at once. */
const OBJECTS: ReadonlySet<CallKind> = new Set(["task", "queue", "feed", "webhook"]);

/** Everything that one part of the world asks of another. */
export class Network {
  readonly #clock: VirtualClock;
  readonly #fates: FaultPlan;
  readonly #trace: Trace;

  constructor(clock: VirtualClock, faultPlan: FaultPlan, trace: Trace) {
    this.#clock = clock;
    this.#fates = faultPlan;
    this.#trace = trace;
  }

  /** A call by whoever runs now; `effect` is what happens at its other end. */
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
    const fate = this.#fates.outcomeOfCall(call.kind, REPEATABLE.has(call.verb), this.#clock.now);
    this.#trace?.(`${from.name} → ${call.to}.${call.verb}: ${fate}`);
    if (fate !== "fine" && PURGING.has(call.verb)) this.#fates.note("fault in a purge");
    const travelMs = this.#fates.latencyMs();
    if (fate === "fine") {
      return this.#arrive(call, travelMs, () =>
        effect((answer) => settle(answer, this.#fates.latencyMs()), false),
      );
    }
    const failed: Answer = { ok: false, error: new Error(`${call.to} is out of reach (${fate})`) };
    const heard = (answer: Answer): void => settle(answer, this.#fates.latencyMs());
    switch (fate) {
      case "twice":
        this.#clock.after(travelMs + this.#fates.below(5_000), () => effect(() => {}, false));
        return this.#arrive(call, travelMs, () => effect(heard, false));
      case "lost":
        return settle(failed, travelMs);
      case "silent":
        // However long anybody waits.
        return;
      case "unheard":
        return this.#arrive(call, travelMs, () => effect(() => heard(failed), false));
      case "mute":
        return this.#arrive(call, travelMs, () => effect(() => {}, false));
      case "late": {
        const lateMs = LATE_MIN_MS + this.#fates.below(LATE_MAX_MS - LATE_MIN_MS);
        return this.#clock.after(lateMs, () => effect(heard, true));
      }
    }
  }

  /** Calls come in any order: each is made over a stub of its own. */
  #arrive({ kind }: Call, travelMs: number, run: () => void): void {
    if (OBJECTS.has(kind)) this.#clock.after(travelMs, run);
    else this.#clock.afterPlain(travelMs, run);
  }
}
