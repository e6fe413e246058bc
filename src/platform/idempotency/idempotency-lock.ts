import {
  idempotencyKeyStub,
  type IdempotencyKeyRpc,
  type IdempotencyLockState,
} from "./idempotency-key.rpc.ts";
import { log } from "../log.ts";

/** The lock that one attempt of a request holds on its idempotency key. */
export class IdempotencyLock {
  /** A new stub each time: a broken one stays broken. */
  readonly #port: () => IdempotencyKeyRpc;
  readonly #ticket = crypto.randomUUID();

  constructor(onces: Env["ONCE"], keyId: string, idempotencyKey: string) {
    this.#port = () => idempotencyKeyStub(onces, keyId, idempotencyKey);
  }

  /** The state of the key. An attempt that gets no response does nothing, so it releases the key. */
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

  /** Stores the response for every repeat. */
  saveResponse(answer: () => Promise<string>): Promise<void> {
    return this.#end("keep", async (port) => port.saveResponse(this.#ticket, await answer()));
  }

  /** Releases the key: the attempt has certainly changed nothing. */
  release(): Promise<void> {
    return this.#end("release", (port) => port.release(this.#ticket));
  }

  /** Keeps the key: the attempt failed and may have changed something. */
  markLost(): Promise<void> {
    return this.#end("lose", (port) => port.markLost(this.#ticket));
  }

  /** Settling is idempotent. An attempt that cannot be settled counts as lost after a while. */
  async #end(how: string, ending: (port: IdempotencyKeyRpc) => Promise<void>): Promise<void> {
    try {
      await ending(this.#port()).catch(() => ending(this.#port()));
    } catch (error) {
      log.error("idempotency_key_settle_failed", { how, error });
    }
  }
}
