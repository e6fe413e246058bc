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
 * One idempotency key, with a row for its holder and rows for the response. There is no await between the read and the
 * write, so only one request acquires the key.
 */
export class IdempotencyKeyObject extends DurableObject<Env> implements IdempotencyKeyRpc {
  static {
    acceptRequestIds(this);
  }

  async acquire(fingerprint: string, holderId: string): Promise<IdempotencyLockState> {
    const now = Date.now();
    const record = this.#loadRecord();
    const kind = idempotencyStatusOf(record, this.#hasResponse(), fingerprint, now);
    if (kind === "answered") return { kind, answer: this.#readResponse() };
    if (kind === "free")
      this.#saveRecord({ fingerprint, ticket: holderId, at: now }, record !== null);
    return { kind };
  }

  async saveResponse(holderId: string, response: string): Promise<void> {
    if (!isLockHolder(this.#loadRecord(), this.#hasResponse(), holderId)) return;
    this.ctx.storage.transactionSync(() => {
      for (let part = 0; part * IDEMPOTENCY_ROW_CHARACTERS_MAX < response.length; part += 1) {
        const from = part * IDEMPOTENCY_ROW_CHARACTERS_MAX;
        const text = response.slice(from, from + IDEMPOTENCY_ROW_CHARACTERS_MAX);
        this.ctx.storage.kv.put(responsePartKey(part), text);
      }
    });
  }

  async release(holderId: string): Promise<void> {
    if (isLockHolder(this.#loadRecord(), this.#hasResponse(), holderId))
      await this.ctx.storage.deleteAll();
  }

  async markLost(holderId: string): Promise<void> {
    const record = this.#loadRecord();
    if (record === null || !isLockHolder(record, this.#hasResponse(), holderId)) return;
    this.ctx.storage.kv.put(RECORD_KEY, { ...record, isLost: true } satisfies IdempotencyRecord);
  }

  override async alarm(): Promise<void> {
    const record = this.#loadRecord();
    // The key may have expired and been acquired again before the alarm.
    if (record !== null && Date.now() < recordExpiresAt(record)) {
      await this.ctx.storage.setAlarm(recordExpiresAt(record));
    } else await this.ctx.storage.deleteAll();
  }

  /** In one transaction, deletes an expired response, saves the holder and sets the alarm for the key's expiry. */
  #saveRecord(record: IdempotencyRecord, isExpired: boolean): void {
    const { storage } = this.ctx;
    storage.transactionSync(() => {
      if (isExpired) this.#deleteResponse();
      storage.kv.put(RECORD_KEY, record);
      void storage.setAlarm(recordExpiresAt(record));
    });
  }

  #loadRecord(): IdempotencyRecord | null {
    return this.ctx.storage.kv.get<IdempotencyRecord>(RECORD_KEY) ?? null;
  }

  #hasResponse(): boolean {
    return this.#readPart(0) !== null;
  }

  #readResponse(): string {
    let response = "";
    for (
      let part = 0, text = this.#readPart(0);
      text !== null;
      text = this.#readPart((part += 1))
    ) {
      response += text;
    }
    return response;
  }

  #deleteResponse(): void {
    for (let part = 0; this.ctx.storage.kv.delete(responsePartKey(part)); part += 1);
  }

  #readPart(part: number): string | null {
    return this.ctx.storage.kv.get<string>(responsePartKey(part)) ?? null;
  }
}

function responsePartKey(part: number): string {
  return `answer:${part}`;
}
