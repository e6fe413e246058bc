import type { Rng } from "../support/rng.ts";
import type { Owner, VirtualClock } from "./virtual-clock.ts";
import type { Disk } from "./disk.ts";
import type { FaultPlan } from "./fault-plan.ts";
import { createStorage, type StorageHost } from "./object-storage.ts";
import type { Trace } from "./trace.ts";
import type { Answer } from "./network.ts";

export interface ObjectEnvironment {
  readonly clock: VirtualClock;
  readonly faultPlan: FaultPlan;
  readonly rng: Rng;
  readonly trace: Trace;
  /** Called when an object notifies its subscriber. */
  readonly notified: (name: string) => void;
  /** What the object's only subscriber wants to know, as stored with its socket. */
  readonly interest: unknown;
}

/** The part of an object that outlives its instances. */
export interface ObjectHost {
  readonly name: string;
  readonly disk: Disk;
  /** Whether the object survives the next effect. */
  strike(what: string): boolean;
  safeSoon(): void;
  plan(): void;
  alarmAt(): number | null;
}

/** One in-memory instance of an object. */
export class ObjectInstance implements Owner {
  readonly name: string;
  isGone = false;
  readonly #body: ObjectHost;
  readonly #object: object;
  readonly #around: ObjectEnvironment;
  /**
   * The promise returned by the callback that the constructor passed to `blockConcurrencyWhile`.
   */
  #ready: Promise<unknown> = Promise.resolve();
  readonly #open = new Set<(answer: Answer) => void>();
  /** Outgoing messages held back until earlier writes are committed (output gate). */
  #held: (() => void)[] = [];

  constructor(
    body: ObjectHost,
    make: (ctx: DurableObjectState) => object,
    around: ObjectEnvironment,
  ) {
    this.name = body.name;
    this.#body = body;
    this.#around = around;
    const storage = createStorage(this.#createHost());
    this.#object = make(
      asState({
        storage,
        id: { toString: () => body.name },
        blockConcurrencyWhile: (run: () => Promise<unknown>) => (this.#ready = run()),
        getWebSockets: () => [
          {
            readyState: WebSocket.OPEN,
            send: () => this.#notify(),
            // The platform returns a new copy for each call.
            deserializeAttachment: () => structuredClone(around.interest),
          },
        ],
      }),
    );
  }

  get isIdle(): boolean {
    return this.#open.size === 0 && this.#held.length === 0;
  }

  run(call: (object: object) => unknown, answer: (answer: Answer) => void): void {
    this.#open.add(answer);
    const end = (outcome: Answer): void => {
      if (this.isGone) return;
      this.send(() => {
        this.#open.delete(answer);
        answer(outcome);
      });
    };
    this.#ready
      .then(() => call(this.#object))
      .then(
        (value) => end({ ok: true, value }),
        (error: unknown) => end({ ok: false, error: asError(error) }),
      );
  }

  strike(effect: string): void {
    if (!this.isGone) this.#body.strike(effect);
  }

  send(message: () => void): void {
    if (this.#body.disk.isSafe) message();
    else this.#held.push(message);
  }

  #notify(): void {
    this.send(() => this.#around.notified(this.name));
  }

  isSafe(): void {
    for (const message of this.#held.splice(0)) message();
  }

  end(): void {
    this.isGone = true;
    this.#held = [];
    const error = new Error(`${this.name} was reset`);
    for (const answer of this.#open) answer({ ok: false, error });
  }

  #createHost(): StorageHost {
    const [body, { faultPlan, clock }] = [this.#body, this.#around];
    return {
      disk: body.disk,
      survives: (what) => !this.isGone && body.strike(what),
      beforeWrite: (what) => {
        this.strike(what);
        if (this.isGone) throw new Error(`${this.name} is gone`);
        if (faultPlan.failsWrite()) throw new Error(`${what}: disk I/O error: SQLITE_IOERR`);
      },
      afterWrite: () => body.safeSoon(),
      alarmSet: () => body.plan(),
      alarmAt: () => body.alarmAt(),
      later: () => new Promise((resolve) => clock.after(1, resolve, this)),
    };
  }
}

export function callObject(object: object, verb: string, args: readonly unknown[]): unknown {
  const method: unknown = Reflect.get(object, verb);
  if (typeof method !== "function") throw new Error(`Unknown method: ${verb}`);
  return Reflect.apply(method, object, args);
}

/** The simulated objects use only these members. */
function asState(state: object): DurableObjectState {
  return state as DurableObjectState;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
