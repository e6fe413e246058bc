import { queryOrNull } from "../platform/d1/client.ts";
import { ROOT_KEY_ID, type Key } from "./model/key.ts";
import { KEY_CHECK_MS, KEY_CHECK_TIMEOUT_MS } from "./limits.ts";
import { hasKeyEnded } from "./authenticate.ts";

/** The key fields that the check needs. */
export type WatchedKey = Pick<Key, "id" | "expiresAt" | "sessionId">;

/**
 * Ends long-running work when its key or session ends: checks them every few seconds, and aborts `signal` once the key
 * is revoked or has expired, or the session has ended. A failed check does not abort `signal`, because both may still be
 * valid.
 */
export class KeyWatch {
  readonly #env: Pick<Env, "DB">;
  readonly #key: WatchedKey;
  readonly #ended = new AbortController();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(env: Pick<Env, "DB">, key: WatchedKey) {
    this.#env = env;
    this.#key = key;
  }

  /** Starts the checks, which continue until the key ends or `stop` is called. */
  start(): void {
    const { id, sessionId } = this.#key;
    if (id !== ROOT_KEY_ID || sessionId !== undefined) this.#schedule();
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#check(), KEY_CHECK_MS);
  }

  async #check(): Promise<void> {
    const hasEnded = await this.#hasEnded();
    if (hasEnded) this.#ended.abort();
    else if (this.#timer !== null) this.#schedule();
  }

  async #hasEnded(): Promise<boolean> {
    const { id, expiresAt } = this.#key;
    if (expiresAt !== null && expiresAt <= Date.now()) return true;
    const check = hasKeyEnded(this.#env, this.#key);
    const fields = { keyId: id };
    return (await queryOrNull(KEY_CHECK_TIMEOUT_MS, check, "key_check_failed", fields)) ?? false;
  }
}
