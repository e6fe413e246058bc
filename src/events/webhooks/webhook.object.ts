import { webhookFilterOf, type StoredWebhook } from "../model/webhook.ts";
import { DurableObject } from "cloudflare:workers";
import { type Activity, logActivity } from "../../platform/activity-log.ts";
import { TASK_EVENT_PREFIX } from "../../tasks/model/events.ts";
import { ObjectAlarm } from "../../platform/alarm.ts";
import { runConcurrently, withTimeout } from "../../platform/promises.ts";
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
import type { PushWriterLoader } from "./message.ts";
import { createSender, type DeliverySender } from "./sender.ts";
import { DeliveryState } from "./delivery-state.store.ts";
import type { WebhookRpc, WebhookStats } from "./webhook.rpc.ts";
import type { SendResult, SubscriptionClosure } from "../model/subscription.ts";
import { unaudited } from "../../platform/d1/audited-batch.ts";
import { audited } from "../../governance/audit/audited.ts";
import { serviceActor } from "../../governance/model/audit-entry.ts";
import { deleteWebhook, disableWebhook, findWebhook } from "./webhooks.store.ts";
import { log } from "../../platform/log.ts";
import { acceptRequestIds, currentRequestId, runWithRequestId } from "../../platform/request-id.ts";

/**
 * One webhook. It reads matching events from the feed, and its alarm delivers them. Its row in D1 is the source of
 * truth for its settings.
 */
export class WebhookObject extends DurableObject<Env> implements WebhookRpc {
  static {
    acceptRequestIds(this, (object) => object.#state.alarm.requestId ?? object.#state.requestId);
  }

  readonly #state: DeliveryState;
  readonly #loadPushWriter: PushWriterLoader;
  /** Incremented when the settings change, so that no later attempt uses outdated settings. */
  #revision = 0;
  /** The filter in the row when it was last read; null if it has not been read or does not exist. */
  #filter: FeedFilter | null = null;
  /** The number of consecutive alarms in which the registry or the feed failed. */
  #consecutiveErrors = 0;

  constructor(ctx: DurableObjectState, env: Env, loadPushWriter: PushWriterLoader) {
    super(ctx, env);
    this.#loadPushWriter = loadPushWriter;
    this.#state = new DeliveryState(ctx.storage, ObjectAlarm.load(ctx));
  }

  async notify(webhookId: string): Promise<void> {
    await this.#pullAndSetAlarm(webhookId, false);
  }

  async catchUp(webhookId: string): Promise<boolean> {
    return this.#pullAndSetAlarm(webhookId, true);
  }

  async startAt(webhookId: string, position: number): Promise<void> {
    // A disabled webhook must not continue from its old position.
    if (this.#state.subscription !== null) await this.#syncSettings(webhookId);
    this.#state.setStart(webhookId, position, Date.now());
  }

  async reloadSettings(webhookId: string): Promise<void> {
    this.#revision += 1;
    try {
      await this.#syncSettings(webhookId);
      this.#setAlarm();
    } catch (error) {
      this.#state.alarm.setNoLaterThan(Date.now() + WEBHOOK_BACKOFF_MIN_MS);
      throw error;
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
    } catch (error) {
      this.#consecutiveErrors += 1;
      const { webhookId = null } = this.#state.subscription ?? {};
      log.warn("webhook_alarm_failed", { webhookId, error: errorMessageOf(error) });
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
        // Deliveries must not wait for a failing feed.
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
   * Reads the webhook's row and opens or stops the subscription. If there is no row, or the webhook belongs to a task
   * and is disabled, deletes the state and returns null.
   */
  async #syncSettings(webhookId: string): Promise<StoredWebhook | null> {
    for (;;) {
      const revision = this.#revision;
      const webhook = await withStoreTimeout(findWebhook(getDatabase(this.env.DB), webhookId));
      // The row may have changed during the read.
      if (revision !== this.#revision) continue;
      this.#filter = webhook === null ? null : webhookFilterOf(webhook);
      if (webhook === null || (webhook.taskId !== null && !webhook.enabled)) {
        if (this.#state.subscription !== null) await this.deleteState();
        return null;
      }
      if (!webhook.enabled) {
        this.#state.stop(disabledMessage(webhook), Date.now());
      } else if (this.#state.subscription === null) {
        const end = await withStoreTimeout(feedStub(this.env.FEED).readLastPosition());
        await this.startAt(webhookId, end);
        continue;
      } else {
        // The feed looks up a task's webhooks for each event of the task, so it cannot miss this one.
        this.#state.open(webhook.taskId === null ? Date.now() + WEBHOOK_REREAD_MS : null);
      }
      return webhook;
    }
  }

  /**
   * Reads the feed to its end; false if too many deliveries are pending before that. A page is stored only if the row
   * still has the filter that was used for the read, because a new filter may match more events.
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
      // Another call may have stored the page during the read.
      if (!isSameJson(filter, this.#filter) || this.#state.readPosition() !== after) continue;
      this.#state.storePage(page, isExact, Date.now());
      if (!page.more) return true;
    }
  }

  /** Makes the attempts that are due, a few at a time. Attempts for the same task are made in order. */
  async #deliverDue(webhook: StoredWebhook): Promise<void> {
    const due = this.#state.log.listDue(Date.now(), DELIVERIES_PER_ALARM_MAX);
    if (due.length === 0) return;
    const endsAt = Date.now() + DELIVERIES_ALARM_MS;
    const revision = this.#revision;
    const sender = await createSender(this.env, webhook, this.#loadPushWriter);
    const lanes = [...Map.groupBy(due, ({ sourceId }) => sourceId).values()];
    const canContinue = (): boolean =>
      this.#revision === revision && this.#state.isDelivering && Date.now() < endsAt;
    await runConcurrently(DELIVERIES_AT_ONCE_MAX, async () => {
      const lane = lanes.shift();
      for (const delivery of lane?.toSorted((one, other) => one.id - other.id) ?? []) {
        if (!canContinue()) return false;
        await this.#sendDelivery(webhook.id, sender, delivery);
      }
      return lane !== undefined;
    });
  }

  async #sendDelivery(
    webhookId: string,
    sender: DeliverySender,
    delivery: Delivery,
  ): Promise<void> {
    const requestId = delivery.event.requestId ?? currentRequestId();
    await runWithRequestId(requestId, async () => {
      const result = await sender(delivery);
      this.#state.recordAttempt(delivery, result, Math.random(), Date.now());
      logActivity(this.env, () => describeAttempt(webhookId, delivery, result));
    });
  }

  /** Disables or deletes the webhook; the alarm repeats this until it succeeds. */
  async #applyClosure(closed: StoredWebhook, closure: SubscriptionClosure): Promise<void> {
    const { id, taskId } = closed;
    const isDisabled = closure.kind === "disable";
    const isTaskEnded = closure.kind === "end" && closure.isTaskEnded === true;
    if (!isDisabled && this.#state.log.countPending() > 0) return;
    const isDone = await withStoreTimeout(this.#closeRow(closed, closure));
    if (isDisabled && isDone) {
      log.warn("webhook_disabled", { webhookId: id, reason: closure.reason });
    }
    if (taskId === null) await withStoreTimeout(feedStub(this.env.FEED).refreshSubscribers());
    const webhook = await this.#syncSettings(id);
    // If the task has ended, a webhook with a new address gets no more events, so its closure is retried instead of
    // cancelled.
    if (webhook?.enabled === true && !isTaskEnded) this.#state.cancelClosure();
  }

  /**
   * Disables the webhook or deletes its row. If the webhook's task has ended, the row is kept so that clients can read
   * it. Otherwise, a task's webhook is deleted because it cannot be enabled again.
   */
  #closeRow(
    { id, format, url, taskId }: StoredWebhook,
    closure: SubscriptionClosure,
  ): Promise<boolean> {
    const db = getDatabase(this.env.DB);
    if (closure.kind === "end" && closure.isTaskEnded === true) {
      const ended = { url, reason: "The task has ended.", at: Date.now() };
      return disableWebhook(db, id, ended, unaudited(db));
    }
    if (closure.kind !== "disable" || taskId !== null)
      return deleteWebhook(db, format, id, unaudited(db));
    const entry = {
      action: "webhook.disabled",
      subjectId: id,
      before: { enabled: true },
      after: { enabled: false, disabledReason: closure.reason },
    } as const;
    return audited(this.env, serviceActor(currentRequestId()), (record) =>
      disableWebhook(db, id, closure, record(entry)),
    );
  }

  #setAlarm(): void {
    const now = Date.now();
    const errors = this.#consecutiveErrors;
    const dueAt = this.#state.nextAlarmAt(now) ?? (errors === 0 ? null : now);
    if (dueAt === null) return;
    const backoffMs = errors === 0 ? 0 : WEBHOOK_BACKOFF_MIN_MS * 2 ** (errors - 1);
    const earliestAt = now + Math.min(backoffMs, WEBHOOK_BACKOFF_MAX_MS);
    this.#state.alarm.setNoLaterThan(Math.max(dueAt, earliestAt));
  }
}

/** Limits the wait for another system; the alarm retries. */
function withStoreTimeout<Value>(answer: Promise<Value>): Promise<Value> {
  return withTimeout(STORE_TIMEOUT_MS, answer);
}

function disabledMessage({ disabledReason }: StoredWebhook): string {
  return `The webhook was disabled${disabledReason === null ? "." : `: ${disabledReason}`}`;
}

/**
 * Prefers the cause, because Drizzle's message contains parameters, such as webhook URLs, which can contain secrets.
 */
function errorMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function describeAttempt(
  webhookId: string,
  { event, tries }: Delivery,
  { outcome }: SendResult,
): Activity {
  const sent = outcome?.status ?? "no response";
  return {
    kind: "webhook",
    subject: `${webhookId} ${TASK_EVENT_PREFIX}${event.type}`,
    outcome: outcome === null ? "nothing to send" : `${sent}, attempt ${tries + 1}`,
    message: outcome?.error ?? null,
    ...(outcome === null ? {} : { durationMs: outcome.durationMs }),
    agentId: event.agentId,
    taskId: event.taskId,
  };
}
