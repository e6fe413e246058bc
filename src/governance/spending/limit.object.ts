import { DurableObject } from "cloudflare:workers";
import { acceptRequestIds } from "../../platform/request-id.ts";
import { CALL_LOST_AFTER_MS } from "../../tools/limits.ts";
import { computeFeedRetryMs } from "../../events/model/feed.ts";
import { ObjectAlarm } from "../../platform/alarm.ts";
import { LimitEventOutbox } from "./limit-event-outbox.ts";
import type { LimitRpc } from "./limit.rpc.ts";
import {
  LimitLedger,
  type LimitDecision,
  type StoredReservation,
  type StoredUse,
} from "../model/spending/ledger.ts";
import type { Amounts, LimitTerms, LimitUse } from "../model/spending/limit.ts";

/** All uses are one value, because each value is one row, and each row written costs money. */
const USES_KEY = "uses";
const RESERVATION_PREFIX = "reservation ";

/**
 * Counts the use of all limits. The counts are exact, because the methods do not await. A call writes one row when it
 * reserves and two when it ends, plus one for the first call in a window. The alarm sends events to the feed.
 */
export class LimitObject extends DurableObject<Env> implements LimitRpc {
  static {
    acceptRequestIds(this, (object) => object.#alarm.requestId);
  }

  readonly #alarm: ObjectAlarm;
  readonly #outbox: LimitEventOutbox;
  #ledger: LimitLedger;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#alarm = ObjectAlarm.load(ctx);
    this.#outbox = new LimitEventOutbox(env, ctx.storage.kv);
    this.#ledger = this.#loadLedger();
  }

  #loadLedger(): LimitLedger {
    const { kv } = this.ctx.storage;
    const reservations = [...kv.list<StoredReservation>({ prefix: RESERVATION_PREFIX })];
    return new LimitLedger(
      kv.get<StoredUse[]>(USES_KEY) ?? [],
      reservations.map(([, one]) => one),
    );
  }

  async reserve(
    id: string,
    amounts: Amounts,
    limits: readonly LimitTerms[],
  ): Promise<LimitDecision> {
    const now = Date.now();
    const times = { now, expiresAt: now + CALL_LOST_AFTER_MS };
    const decision = this.#ledger.reserve(id, amounts, limits, times);
    this.#saveChange();
    return decision;
  }

  async settle(id: string, used: Amounts): Promise<void> {
    this.#ledger.settle(id, used, Date.now());
    this.#saveChange();
  }

  async readUses(limits: readonly LimitTerms[]): Promise<readonly LimitUse[]> {
    const now = Date.now();
    this.#ledger.expire(now);
    this.#saveChange();
    return limits.map((limit) => this.#ledger.readUse(limit, now));
  }

  override async alarm(): Promise<void> {
    this.#alarm.markFired();
    await this.#outbox.publish();
    const pendingSince = this.#outbox.pendingSince();
    if (pendingSince === null) return;
    const now = Date.now();
    this.#alarm.setNoLaterThan(now + computeFeedRetryMs(now - pendingSince));
  }

  #saveChange(): void {
    const { reserved, ended, areUsesChanged, events } = this.#ledger.takeChange();
    const { kv } = this.ctx.storage;
    this.#alarm.transactionSync(
      () => {
        for (const one of reserved) kv.put(RESERVATION_PREFIX + one.id, one);
        for (const id of ended) kv.delete(RESERVATION_PREFIX + id);
        if (areUsesChanged) kv.put(USES_KEY, this.#ledger.uses);
        if (events.length === 0) return;
        this.#outbox.add(events);
        this.#alarm.setNoLaterThan(Date.now());
      },
      () => {
        this.#ledger = this.#loadLedger();
      },
    );
  }
}
