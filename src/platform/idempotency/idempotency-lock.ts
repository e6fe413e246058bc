import {
  idempotencyKeyStub,
  type IdempotencyKeyRpc,
  type IdempotencyLockState,
} from "./idempotency-key.rpc.ts";
import { log } from "../log.ts";

/** What one try of a request has of its idempotency key until it is ended. */
export class IdempotencyLock {
  /** A new connection each time: one that broke stays broken. */
  readonly #port: () => IdempotencyKeyRpc;
  readonly #ticket = crypto.randomUUID();

  constructor(onces: Env["ONCE"], keyId: string, idempotencyKey: string) {
    this.#port = () => idempotencyKeyStub(onces, keyId, idempotencyKey);
  }

  /** What the try meets. One that cannot hear whether the key is its own does nothing, and so gives it back. */
  async acquire(
    fingerprint: string,
    waitUntil: (work: Promise<unknown>) => void,
  ): Promise<IdempotencyLockState> {
    try {
      return await this.#port().acquire(fingerprint, this.#ticket);
    } catch (error) {
      waitUntil(this.release());
      throw error;
    }
  }

  /** Keeps the answer for every repeat. */
  saveResponse(answer: () => Promise<string>): Promise<void> {
    return this.#end("keep", async (port) => port.saveResponse(this.#ticket, await answer()));
  }

  /** Gives the key back: the try has surely changed nothing. */
  release(): Promise<void> {
    return this.#end("release", (port) => port.release(this.#ticket));
  }

  /** Leaves the key taken: the try broke off, and may have changed something. */
  markLost(): Promise<void> {
    return this.#end("lose", (port) => port.markLost(this.#ticket));
  }

  /** Ending takes effect once however often it is asked for. A try that cannot be ended is lost in time. */
  async #end(how: string, ending: (port: IdempotencyKeyRpc) => Promise<void>): Promise<void> {
    try {
      await ending(this.#port()).catch(() => ending(this.#port()));
    } catch (error) {
      log.error("idempotency_key_settle_failed", { how, error });
    }
  }
}
