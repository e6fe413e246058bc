import { DurableObject } from "cloudflare:workers";
import { deleteText, hasText, readText, writeText } from "../chunked-text.ts";
import {
  recordExpiresAt,
  isLockHolder,
  idempotencyStatusOf,
  type IdempotencyRecord,
} from "./idempotency-record.ts";
import type { IdempotencyKeyRpc, IdempotencyLockState } from "./idempotency-key.rpc.ts";
import { acceptRequestIds } from "../request-id.ts";

const RECORD_KEY = "taking";
const RESPONSE_NAME = "answer";

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
    if (kind === "answered")
      return { kind, answer: readText(this.ctx.storage.kv, RESPONSE_NAME) ?? "" };
    if (kind === "free")
      this.#saveRecord({ fingerprint, ticket: holderId, at: now }, record !== null);
    return { kind };
  }

  async saveResponse(holderId: string, response: string): Promise<void> {
    if (!isLockHolder(this.#loadRecord(), this.#hasResponse(), holderId)) return;
    const { storage } = this.ctx;
    storage.transactionSync(() => writeText(storage.kv, RESPONSE_NAME, response));
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
      if (isExpired) deleteText(storage.kv, RESPONSE_NAME);
      storage.kv.put(RECORD_KEY, record);
      void storage.setAlarm(recordExpiresAt(record));
    });
  }

  #loadRecord(): IdempotencyRecord | null {
    return this.ctx.storage.kv.get<IdempotencyRecord>(RECORD_KEY) ?? null;
  }

  #hasResponse(): boolean {
    return hasText(this.ctx.storage.kv, RESPONSE_NAME);
  }
}
