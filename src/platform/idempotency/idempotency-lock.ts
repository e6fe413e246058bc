import {
  idempotencyKeyStub,
  type IdempotencyKeyRpc,
  type IdempotencyLockState,
} from "./idempotency-key.rpc.ts";
import { log } from "../log.ts";

/** The work of a request with an idempotency key. */
interface LockedWork<Prepared, Outcome> {
  /** Must change nothing, because an error releases the key. */
  readonly prepare: () => Promise<Prepared>;
  /** After an error, the effect is unknown, so the key counts as lost. */
  readonly execute: (prepared: Prepared) => Promise<Outcome>;
  /** Returns the response for repeats; null if the work is known to have changed nothing. */
  readonly serialize: (outcome: Outcome) => (() => Promise<string>) | null;
}

/** The lock that one attempt of a request holds on its idempotency key. */
export class IdempotencyLock {
  /** Creates a new stub each time, because a broken stub stays broken. */
  readonly #stub: () => IdempotencyKeyRpc;
  readonly #holderId = crypto.randomUUID();
  readonly #waitUntil: (work: Promise<unknown>) => void;

  constructor(
    namespace: Env["ONCE"],
    keyId: string,
    idempotencyKey: string,
    waitUntil: (work: Promise<unknown>) => void,
  ) {
    this.#stub = () => idempotencyKeyStub(namespace, keyId, idempotencyKey);
    this.#waitUntil = waitUntil;
  }

  /**
   * Tries to acquire the key and returns its state. If the object does not respond, the attempt releases the key,
   * because its work will not run.
   */
  async acquire(fingerprint: string): Promise<IdempotencyLockState> {
    try {
      return await this.#stub().acquire(fingerprint, this.#holderId);
    } catch (error) {
      this.#waitUntil(this.#release());
      throw error;
    }
  }

  /**
   * Runs the work of the attempt that acquired the key. The work continues even if the client disconnects, because the
   * client will retry.
   */
  run<Prepared, Outcome>(work: LockedWork<Prepared, Outcome>): Promise<Outcome> {
    const run = this.#run(work);
    this.#waitUntil(run.catch(() => null));
    return run;
  }

  async #run<Prepared, Outcome>(work: LockedWork<Prepared, Outcome>): Promise<Outcome> {
    const prepared = await work.prepare().catch(async (error: unknown) => {
      await this.#release();
      throw error;
    });
    const outcome = await work.execute(prepared).catch(async (error: unknown) => {
      await this.#settle("mark_lost", (key) => key.markLost(this.#holderId));
      throw error;
    });
    const response = work.serialize(outcome);
    if (response === null) await this.#release();
    else
      await this.#settle("save", async (key) => key.saveResponse(this.#holderId, await response()));
    return outcome;
  }

  #release(): Promise<void> {
    return this.#settle("release", (key) => key.release(this.#holderId));
  }

  /** Settling is idempotent. If it fails, the client still gets its response, and the attempt later counts as lost. */
  async #settle(how: string, settle: (key: IdempotencyKeyRpc) => Promise<void>): Promise<void> {
    try {
      await settle(this.#stub()).catch(() => settle(this.#stub()));
    } catch (error) {
      log.error("idempotency_key_settle_failed", { how, error });
    }
  }
}
