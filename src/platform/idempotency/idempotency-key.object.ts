import { DurableObject } from "cloudflare:workers";
import { IDEMPOTENCY_ROW_CHARACTERS_MAX } from "../limits.ts";
import {
  recordExpiresAt,
  isLockHolder,
  idempotencyStatusOf,
  type IdempotencyRecord,
} from "./idempotency-record.ts";
import type { IdempotencyKeyRpc, IdempotencyLockState } from "./idempotency-key.rpc.ts";
import { acceptRequestIds } from "../request-id.ts";

const RECORD_KEY = "taking";

/**
 * One idempotency key: a row for its holder and rows for the response. Nothing is awaited between the read and
 * the write, so that only one request acquires the key.
 */
export class OnceObject extends DurableObject<Env> implements IdempotencyKeyRpc {
  static {
    acceptRequestIds(this);
  }

  async acquire(fingerprint: string, ticket: string): Promise<IdempotencyLockState> {
    const now = Date.now();
    const taking = this.#taking();
    const kind = idempotencyStatusOf(taking, this.#isAnswered(), fingerprint, now);
    if (kind === "answered") return { kind, answer: this.#answer() };
    if (kind === "free") this.#take({ fingerprint, ticket, at: now }, taking !== null);
    return { kind };
  }

  async saveResponse(ticket: string, answer: string): Promise<void> {
    if (!isLockHolder(this.#taking(), this.#isAnswered(), ticket)) return;
    this.ctx.storage.transactionSync(() => {
      for (let part = 0; part * IDEMPOTENCY_ROW_CHARACTERS_MAX < answer.length; part += 1) {
        const from = part * IDEMPOTENCY_ROW_CHARACTERS_MAX;
        const text = answer.slice(from, from + IDEMPOTENCY_ROW_CHARACTERS_MAX);
        this.ctx.storage.kv.put(responsePartKey(part), text);
      }
    });
  }

  async release(ticket: string): Promise<void> {
    if (isLockHolder(this.#taking(), this.#isAnswered(), ticket))
      await this.ctx.storage.deleteAll();
  }

  async markLost(ticket: string): Promise<void> {
    const taking = this.#taking();
    if (taking === null || !isLockHolder(taking, this.#isAnswered(), ticket)) return;
    this.ctx.storage.kv.put(RECORD_KEY, { ...taking, isLost: true } satisfies IdempotencyRecord);
  }

  override async alarm(): Promise<void> {
    const taking = this.#taking();
    // The key may have expired and been acquired again before the alarm.
    if (taking !== null && Date.now() < recordExpiresAt(taking)) {
      await this.ctx.storage.setAlarm(recordExpiresAt(taking));
    } else await this.ctx.storage.deleteAll();
  }

  /** Saves the holder and sets the alarm for its expiry in one transaction, and deletes an expired response. */
  #take(taking: IdempotencyRecord, isExpired: boolean): void {
    const { storage } = this.ctx;
    storage.transactionSync(() => {
      if (isExpired) this.#forgetAnswer();
      storage.kv.put(RECORD_KEY, taking);
      void storage.setAlarm(recordExpiresAt(taking));
    });
  }

  #taking(): IdempotencyRecord | null {
    return this.ctx.storage.kv.get<IdempotencyRecord>(RECORD_KEY) ?? null;
  }

  #isAnswered(): boolean {
    return this.#part(0) !== null;
  }

  #answer(): string {
    let answer = "";
    for (let part = 0, text = this.#part(0); text !== null; text = this.#part((part += 1))) {
      answer += text;
    }
    return answer;
  }

  #forgetAnswer(): void {
    for (let part = 0; this.ctx.storage.kv.delete(responsePartKey(part)); part += 1);
  }

  #part(part: number): string | null {
    return this.ctx.storage.kv.get<string>(responsePartKey(part)) ?? null;
  }
}

function responsePartKey(part: number): string {
  return `answer:${part}`;
}
