import { webhookFilterOf, type StoredWebhook } from "../model/webhook.ts";
import { DurableObject } from "cloudflare:workers";
import { withTimeout } from "../../platform/timeout.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import type { Delivery, DeliveryLogEntry, DeliveryStatus } from "../model/delivery.ts";
import type { FeedFilter } from "../model/feed.ts";
import { isSameJson } from "../../kernel/json.ts";
import {
  DELIVERIES_ALARM_MS,
  DELIVERIES_PER_ALARM_MAX,
  DELIVERIES_AT_ONCE_MAX,
  FEED_PAGE_EVENTS_MAX,
  WEBHOOK_REREAD_MS,
  WEBHOOK_BACKOFF_MAX_MS,
  WEBHOOK_BACKOFF_MIN_MS,
} from "../limits.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { feedStub } from "../feed.rpc.ts";
import type { PushWriterLoader } from "./message-writer.ts";
import { createSender, type DeliverySender } from "./sender.ts";
import { DeliveryState } from "./delivery-state.store.ts";
import type { WebhookRpc, WebhookStats } from "./webhook.rpc.ts";
import type { SubscriptionClosure } from "../model/subscription.ts";
import { deleteWebhook, disableWebhook, findWebhook } from "./webhooks.store.ts";
import { log } from "../../platform/log.ts";
import { acceptRequestIds, currentRequestId, runWithRequestId } from "../../platform/request-id.ts";

/**
 * One object a webhook: takes in from the feed what passes its filter, and delivers it by its alarm. The
 * row in D1 is the truth of its settings, and is read before each of these.
 */
export class WebhookObject extends DurableObject<Env> implements WebhookRpc {
  static {
    acceptRequestIds(this, (object) => object.#state.alarm.requestId);
  }

  readonly #state: DeliveryState;
  readonly #loadPushWriter: PushWriterLoader;
  /** Counts changes of the settings, so that attempts with earlier ones stop. */
  #revision = 0;
  /** The filter of the row as it was last read; null before that, and without a row. */
  #filter: FeedFilter | null = null;
  /** Alarms in a row that the registry or the feed has failed. */
  #consecutiveErrors = 0;

  constructor(ctx: DurableObjectState, env: Env, loadPushWriter: PushWriterLoader) {
    super(ctx, env);
    this.#loadPushWriter = loadPushWriter;
    this.#state = new DeliveryState(ctx.storage);
    void ctx.blockConcurrencyWhile(() => this.#state.alarm.load());
  }

  async notify(webhookId: string): Promise<void> {
    await this.#pullAndSetAlarm(webhookId, false);
  }

  async catchUp(webhookId: string): Promise<boolean> {
    return this.#pullAndSetAlarm(webhookId, true);
  }

  async startAt(webhookId: string, position: number): Promise<void> {
    // One that was disabled, and has not heard of it, is not to go on from its own place.
    if (this.#state.subscription !== null) await this.#syncSettings(webhookId);
    this.#state.setStart(webhookId, position, Date.now());
  }

  async reloadSettings(webhookId: string): Promise<void> {
    this.#revision += 1;
    try {
      await this.#syncSettings(webhookId);
      this.#setAlarm();
    } catch (fault) {
      this.#state.alarm.set(Date.now() + WEBHOOK_BACKOFF_MIN_MS);
      throw fault;
    }
  }

  async deleteState(): Promise<void> {
    this.#revision += 1;
    await this.#state.clear();
  }

  async readStats(): Promise<WebhookStats> {
    return this.#state.readStats();
  }

  async listDeliveries(
    status: DeliveryStatus | null,
    below: number,
    limit: number,
  ): Promise<readonly DeliveryLogEntry[]> {
    return this.#state.log.list(status, below, limit);
  }

  async findDelivery(id: number): Promise<Delivery | null> {
    return this.#state.log.find(id);
  }

  async redeliver(id: number): Promise<Delivery | null> {
    return this.#state.redeliver(id, Date.now());
  }

  override async alarm(): Promise<void> {
    this.#state.alarm.markFired();
    try {
      await this.#runDueWork();
      this.#consecutiveErrors = 0;
    } catch (fault) {
      this.#consecutiveErrors += 1;
      const { webhookId = null } = this.#state.subscription ?? {};
      log.warn("webhook_alarm_failed", { webhookId, error: errorMessageOf(fault) });
    }
    this.#setAlarm();
  }

  async #pullAndSetAlarm(webhookId: string, isExact: boolean): Promise<boolean> {
    try {
      return await this.#pullFeed(webhookId, isExact);
    } finally {
      this.#setAlarm();
    }
  }

  async #runDueWork(): Promise<void> {
    const { subscription } = this.#state;
    if (subscription === null) return;
    const webhook = await this.#syncSettings(subscription.webhookId);
    if (webhook === null) return;
    if (this.#state.isDelivering) {
      try {
        await this.#pullIfDue(webhook.id);
      } finally {
        // Deliveries do not wait for a feed that fails.
        await this.#deliverDue(webhook);
      }
    }
    const closure = this.#state.subscription?.closing ?? null;
    if (closure !== null) await this.#applyClosure(webhook, closure);
    this.#state.prune(Date.now());
  }

  async #pullIfDue(webhookId: string): Promise<void> {
    const startedAt = Date.now();
    if (!this.#state.isReadDue(startedAt)) return;
    await this.#pullFeed(webhookId, false);
    this.#state.recordRead(startedAt);
  }

  /**
   * Reads the webhook's row, and is told of events or is not as that has it, whatever was missed of how
   * it came so; null when there is none, and then nothing is left here.
   */
  async #syncSettings(webhookId: string): Promise<StoredWebhook | null> {
    for (;;) {
      const revision = this.#revision;
      const webhook = await withStoreTimeout(findWebhook(getDatabase(this.env.DB), webhookId));
      // What was read is old by now.
      if (revision !== this.#revision) continue;
      this.#filter = webhook === null ? null : webhookFilterOf(webhook);
      if (webhook === null) {
        if (this.#state.subscription !== null) await this.deleteState();
      } else if (!webhook.enabled) {
        this.#state.stop(disabledMessage(webhook), Date.now());
      } else if (this.#state.subscription === null) {
        await this.startAt(
          webhookId,
          await withStoreTimeout(feedStub(this.env.FEED).readLastPosition()),
        );
        continue;
      } else {
        // The feed looks up webhooks for one task at each event of the task, so it cannot miss them.
        this.#state.open(webhook.taskId === null ? Date.now() + WEBHOOK_REREAD_MS : null);
      }
      return webhook;
    }
  }

  /**
   * Reads the feed to its end; false when too much is pending before that. A page is taken in only if, once
   * it is read, the row still has the filter that the page was asked for with: otherwise a change of the
   * filter in between would leave out events that the new filter wants.
   */
  async #pullFeed(webhookId: string, isExact: boolean): Promise<boolean> {
    for (;;) {
      const isKnown = this.#filter !== null && this.#state.isOpen;
      if (!isKnown && (await this.#syncSettings(webhookId)) === null) return true;
      const filter = this.#filter;
      if (filter === null || !this.#state.isOpen) return true;
      const room = this.#state.readCapacity();
      if (room === 0) return false;
      const after = this.#state.readPosition();
      const limit = Math.min(room, FEED_PAGE_EVENTS_MAX);
      const page = await withStoreTimeout(feedStub(this.env.FEED).readPage(filter, after, limit));
      await this.#syncSettings(webhookId);
      // Another call may have taken the page in meanwhile.
      if (!isSameJson(filter, this.#filter) || this.#state.readPosition() !== after) continue;
      this.#state.storePage(page, isExact, Date.now());
      if (!page.more) return true;
    }
  }

  /** Makes the attempts that are due, some at once; those for one task follow each other in their order. */
  async #deliverDue(webhook: StoredWebhook): Promise<void> {
    const due = this.#state.log.listDue(Date.now(), DELIVERIES_PER_ALARM_MAX);
    if (due.length === 0) return;
    const endsAt = Date.now() + DELIVERIES_ALARM_MS;
    const revision = this.#revision;
    const sender = await createSender(this.env, webhook, this.#loadPushWriter);
    const lanes = [...Map.groupBy(due, ({ taskId }) => taskId).values()];
    const canContinue = (): boolean =>
      this.#revision === revision && this.#state.isDelivering && Date.now() < endsAt;
    const sendLane = async (): Promise<void> => {
      for (let lane = lanes.shift(); lane !== undefined; lane = lanes.shift()) {
        for (const delivery of lane.toSorted((one, other) => one.id - other.id)) {
          if (!canContinue()) return;
          await this.#sendDelivery(sender, delivery);
        }
      }
    };
    await Promise.all(Array.from({ length: DELIVERIES_AT_ONCE_MAX }, sendLane));
  }

  async #sendDelivery(sender: DeliverySender, delivery: Delivery): Promise<void> {
    const requestId = delivery.event.requestId ?? currentRequestId();
    const result = await runWithRequestId(requestId, () => sender(delivery));
    this.#state.recordAttempt(delivery, result, Math.random(), Date.now());
  }

  /** Makes known that the webhook is disabled, or deletes it; repeated by the alarm until it is done. */
  async #applyClosure(
    { id, format, taskId }: StoredWebhook,
    closure: SubscriptionClosure,
  ): Promise<void> {
    const db = getDatabase(this.env.DB);
    const isDisabled = closure.kind === "disable";
    if (!isDisabled && this.#state.log.countPending() > 0) return;
    // Nobody enables one again that is for one task.
    const isDone =
      isDisabled && taskId === null
        ? await withStoreTimeout(disableWebhook(db, id, closure))
        : await withStoreTimeout(deleteWebhook(db, format, id));
    if (isDisabled && isDone) {
      log.warn("webhook_disabled", { webhookId: id, reason: closure.reason });
    }
    if (taskId === null) await withStoreTimeout(feedStub(this.env.FEED).refreshSubscribers());
    const webhook = await this.#syncSettings(id);
    if (webhook?.enabled === true) this.#state.cancelClosure();
  }

  #setAlarm(): void {
    const now = Date.now();
    const dueAt = this.#state.nextAlarmAt(now) ?? (this.#consecutiveErrors === 0 ? null : now);
    if (dueAt === null) return;
    const restMs =
      this.#consecutiveErrors === 0
        ? 0
        : WEBHOOK_BACKOFF_MIN_MS * 2 ** (this.#consecutiveErrors - 1);
    this.#state.alarm.set(Math.max(dueAt, now + Math.min(restMs, WEBHOOK_BACKOFF_MAX_MS)));
  }
}

/** What does not answer must not hold up the alarm, which comes again. */
function withStoreTimeout<Value>(answer: Promise<Value>): Promise<Value> {
  return withTimeout(STORE_TIMEOUT_MS, answer);
}

function disabledMessage({ disabledReason }: StoredWebhook): string {
  return `The webhook was disabled${disabledReason === null ? "." : `: ${disabledReason}`}`;
}

/** Drizzle's own words hold parameters, and addresses of webhooks hold secrets. */
function errorMessageOf(fault: unknown): string {
  if (!(fault instanceof Error)) return "unknown";
  return fault.cause instanceof Error ? fault.cause.message : fault.message;
}
