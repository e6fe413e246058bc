import type { JsonObject } from "../../src/kernel/json.ts";
import { send, type Answer } from "../support/client.ts";
import { passTime } from "../support/tasks.ts";
import type { Binding } from "./interpose-bindings.ts";
import type { Injection, FaultMode } from "./injection.ts";

const TRIES_MAX = 12;
/** How long a client waits for a response while a call hangs. */
const PATIENCE_MS = 60;
const LATER_PATIENCE_MS = 1_500;
/**
 * After this many IDEMPOTENCY_KEY_IN_USE responses, a client checks whether its request took effect,
 * and if not, repeats it with a new key.
 */
const AT_WORK_MAX = 3;
const DOCUMENTED = new Set([503, 504]);

/** What makes it safe to repeat a request. */
type Guard =
  | { readonly kind: "key"; readonly isDone: () => Promise<boolean> }
  | { readonly kind: "harmless" };

let keys = 0;

/**
 * A client that retries a request only if it gets no response or an error that the API declares
 * retryable. Any other 5xx fails the test.
 */
export class RetryingClient {
  readonly #injection: Injection;
  /** The number of idempotency keys used. */
  keys = 0;
  /** The number of successful requests. */
  successes = 0;
  /** The number of attempts that got a retryable error or no response. */
  retries = 0;
  lastAsked = "nothing";

  constructor(injection: Injection) {
    this.#injection = injection;
  }

  /** Returns the mode of the fault that occurred at a binding, or null if none did. */
  modeOf(binding: Binding): FaultMode | null {
    return this.#injection.modeOf(binding);
  }

  get(path: string): Promise<Answer> {
    return this.#persist("GET", path, undefined, { kind: "harmless" });
  }

  /** Sends a write that can be repeated as it is, for example because it has an If-Match header. */
  write(
    method: "POST" | "PATCH" | "PUT",
    path: string,
    body: JsonObject | string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.#persist(method, path, body, { kind: "harmless" }, headers);
  }

  /**
   * Sends a POST with an Idempotency-Key. `isDone` checks for the effect of the POST if its
   * response is lost.
   */
  once(path: string, body: JsonObject, isDone: () => Promise<boolean>): Promise<Answer> {
    return this.#persist("POST", path, body, { kind: "key", isDone });
  }

  async #persist(
    method: string,
    path: string,
    body: JsonObject | string | undefined,
    guard: Guard,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    let key = this.#newKey(guard);
    let atWork = 0;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const keyed = guard.kind === "key" ? { ...headers, "Idempotency-Key": key } : headers;
      const answer = await this.#exchange(method, path, body, keyed);
      const isInUse = answer?.body?.error?.code === "IDEMPOTENCY_KEY_IN_USE";
      if (answer !== null && !isInUse && !mayBeRepeated(answer)) {
        if (answer.status < 300) this.successes += 1;
        return answer;
      }
      this.retries += 1;
      passTime(1_000);
      if (!isInUse || guard.kind !== "key") continue;
      atWork += 1;
      const isLost = answer?.body.error.retryable === false || atWork === AT_WORK_MAX;
      if (!isLost) continue;
      if (answer !== null && (await guard.isDone())) return answer;
      [key, atWork] = [this.#newKey(guard), 0];
    }
    throw new Error(`${method} ${path} did not succeed in ${TRIES_MAX} attempts`);
  }

  #newKey({ kind }: Guard): string {
    if (kind === "key") this.keys += 1;
    keys += 1;
    return `faults-${keys}`;
  }

  /** Returns the response, or null if none arrives while a call hangs. */
  async #exchange(
    method: string,
    path: string,
    body: JsonObject | string | undefined,
    headers: Record<string, string>,
  ): Promise<Answer | null> {
    this.lastAsked = `${method} ${path}`;
    const answering = send(method, path, body, { headers });
    const patienceMs = this.#injection.isHung ? LATER_PATIENCE_MS : PATIENCE_MS;
    // Later responses are ignored.
    return (await this.#injection.unlessHung(answering, patienceMs)) ?? null;
  }
}

function mayBeRepeated({ status, body, text }: Answer): boolean {
  if (status < 500) return status === 429;
  if (!DOCUMENTED.has(status) || body?.error?.retryable !== true) {
    throw new Error(`A server error must be retryable and documented: ${status} ${text}`);
  }
  return true;
}
