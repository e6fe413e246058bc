import { DurableObject } from "cloudflare:workers";
import { within } from "../clock/within.ts";
import { database } from "../db/client.ts";
import type { Delivery, DeliveryLine, DeliveryStatus } from "../domain/delivery.ts";
import type { FeedFilter } from "../domain/feed.ts";
import { isSameJson } from "../domain/json.ts";
import {
  DELIVERIES_ALARM_MS,
  DELIVERIES_AN_ALARM_MAX,
  DELIVERIES_AT_ONCE_MAX,
  FEED_PAGE_EVENTS_MAX,
  STORE_WAIT_MS,
  WEBHOOK_REREAD_MS,
  WEBHOOK_REST_MAX_MS,
  WEBHOOK_REST_MIN_MS,
} from "../domain/limits.ts";
import { feedOf } from "../events/port.ts";
import { senderOf, type Sender } from "./deliver.ts";
import { Ledger } from "./ledger.ts";
import type { WebhookPort, WebhookStanding } from "./port.ts";
import type { Closing } from "./standing.ts";
import {
  deleteWebhook,
  disableWebhook,
  filterOf,
  findWebhook,
  type StoredWebhook,
} from "./store.ts";

/**
 * One object a webhook: takes in from the feed what passes its filter, and delivers it by its alarm. The
 * row in D1 is the truth of its settings, and is read before each of these.
 */
export class WebhookObject extends DurableObject<Env> implements WebhookPort {
  readonly #ledger: Ledger;
  /** Counts changes of the settings, so that attempts with earlier ones stop. */
  #revision = 0;
  /** The filter of the row as it was last read; null before that, and without a row. */
  #filter: FeedFilter | null = null;
  /** Alarms in a row that the registry or the feed has failed. */
  #faults = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#ledger = new Ledger(ctx.storage);
    void ctx.blockConcurrencyWhile(() => this.#ledger.wakeUp.recall());
  }

  async poke(webhookId: string): Promise<void> {
    await this.#hear(webhookId, false);
  }

  async catchUp(webhookId: string): Promise<boolean> {
    return this.#hear(webhookId, true);
  }

  async begin(webhookId: string, position: number): Promise<void> {
    // One that was disabled, and has not heard of it, is not to go on from its own place.
    if (this.#ledger.standing !== null) await this.#follow(webhookId);
    this.#ledger.place(webhookId, position, Date.now());
  }

  async changed(webhookId: string): Promise<void> {
    this.#revision += 1;
    try {
      await this.#follow(webhookId);
      this.#arm();
    } catch (fault) {
      this.#ledger.wakeUp.set(Date.now() + WEBHOOK_REST_MIN_MS);
      throw fault;
    }
  }

  async close(): Promise<void> {
    this.#revision += 1;
    await this.#ledger.clear();
  }

  async standing(): Promise<WebhookStanding> {
    return this.#ledger.report();
  }

  async deliveries(
    status: DeliveryStatus | null,
    below: number,
    limit: number,
  ): Promise<readonly DeliveryLine[]> {
    return this.#ledger.log.lines(status, below, limit);
  }

  async delivery(id: number): Promise<Delivery | null> {
    return this.#ledger.log.find(id);
  }

  async redeliver(id: number): Promise<Delivery | null> {
    return this.#ledger.redeliver(id, Date.now());
  }

  override async alarm(): Promise<void> {
    this.#ledger.wakeUp.fired();
    try {
      await this.#work();
      this.#faults = 0;
    } catch (fault) {
      this.#faults += 1;
      const { webhookId = null } = this.#ledger.standing ?? {};
      console.warn({ event: "webhook_alarm_failed", webhookId, reason: wordsOf(fault) });
    }
    this.#arm();
  }

  async #hear(webhookId: string, isExact: boolean): Promise<boolean> {
    try {
      return await this.#takeIn(webhookId, isExact);
    } finally {
      this.#arm();
    }
  }

  async #work(): Promise<void> {
    const { standing } = this.#ledger;
    if (standing === null) return;
    const webhook = await this.#follow(standing.webhookId);
    if (webhook === null) return;
    if (this.#ledger.isDelivering) {
      try {
        await this.#readFeed(webhook.id);
      } finally {
        // Deliveries do not wait for a feed that fails.
        await this.#deliver(webhook);
      }
    }
    const closing = this.#ledger.standing?.closing ?? null;
    if (closing !== null) await this.#finish(webhook, closing);
    this.#ledger.prune(Date.now());
  }

  async #readFeed(webhookId: string): Promise<void> {
    const startedAt = Date.now();
    if (!this.#ledger.mustRead(startedAt)) return;
    await this.#takeIn(webhookId, false);
    this.#ledger.reread(startedAt);
  }

  /**
   * Reads the webhook's row, and is told of events or is not as that has it, whatever was missed of how
   * it came so; null when there is none, and then nothing is left here.
   */
  async #follow(webhookId: string): Promise<StoredWebhook | null> {
    for (;;) {
      const revision = this.#revision;
      const webhook = await soon(findWebhook(database(this.env.DB), webhookId));
      // What was read is old by now.
      if (revision !== this.#revision) continue;
      this.#filter = webhook === null ? null : filterOf(webhook);
      if (webhook === null) {
        if (this.#ledger.standing !== null) await this.close();
      } else if (!webhook.enabled) {
        this.#ledger.halt(haltReason(webhook), Date.now());
      } else if (this.#ledger.standing === null) {
        await this.begin(webhookId, await soon(feedOf(this.env.FEED).last()));
        continue;
      } else {
        // The feed looks up webhooks for one task at each event of the task, so it cannot miss them.
        this.#ledger.open(webhook.taskId === null ? Date.now() + WEBHOOK_REREAD_MS : null);
      }
      return webhook;
    }
  }

  /**
   * Reads the feed to its end; false when too much is pending before that. A page is taken in only if, once
   * it is read, the row still has the filter that the page was asked for with: otherwise a change of the
   * filter in between would leave out events that the new filter wants.
   */
  async #takeIn(webhookId: string, isExact: boolean): Promise<boolean> {
    for (;;) {
      const isKnown = this.#filter !== null && this.#ledger.isOpen;
      if (!isKnown && (await this.#follow(webhookId)) === null) return true;
      const filter = this.#filter;
      if (filter === null || !this.#ledger.isOpen) return true;
      const room = this.#ledger.room();
      if (room === 0) return false;
      const after = this.#ledger.position();
      const limit = Math.min(room, FEED_PAGE_EVENTS_MAX);
      const page = await soon(feedOf(this.env.FEED).page(filter, after, limit));
      await this.#follow(webhookId);
      // Another call may have taken the page in meanwhile.
      if (!isSameJson(filter, this.#filter) || this.#ledger.position() !== after) continue;
      this.#ledger.takeIn(page, isExact, Date.now());
      if (!page.more) return true;
    }
  }

  /** Makes the attempts that are due, some at once; those for one task follow each other in their order. */
  async #deliver(webhook: StoredWebhook): Promise<void> {
    const due = this.#ledger.log.due(Date.now(), DELIVERIES_AN_ALARM_MAX);
    if (due.length === 0) return;
    const endsAt = Date.now() + DELIVERIES_ALARM_MS;
    const revision = this.#revision;
    const sender = await senderOf(this.env, webhook);
    const lanes = [...Map.groupBy(due, ({ taskId }) => taskId).values()];
    const mayGoOn = (): boolean =>
      this.#revision === revision && this.#ledger.isDelivering && Date.now() < endsAt;
    const goAlong = async (): Promise<void> => {
      for (let lane = lanes.shift(); lane !== undefined; lane = lanes.shift()) {
        for (const delivery of lane.toSorted((one, other) => one.id - other.id)) {
          if (!mayGoOn()) return;
          await this.#attempt(sender, delivery);
        }
      }
    };
    await Promise.all(Array.from({ length: DELIVERIES_AT_ONCE_MAX }, goAlong));
  }

  async #attempt(sender: Sender, delivery: Delivery): Promise<void> {
    const ending = await sender(delivery);
    this.#ledger.settle(delivery, ending, Math.random(), Date.now());
  }

  /** Makes known that the webhook is disabled, or deletes it; repeated by the alarm until it is done. */
  async #finish({ id, format, taskId }: StoredWebhook, closing: Closing): Promise<void> {
    const db = database(this.env.DB);
    const isDisabled = closing.kind === "disable";
    if (!isDisabled && this.#ledger.log.pending() > 0) return;
    // Nobody enables one again that is for one task.
    const isDone =
      isDisabled && taskId === null
        ? await soon(disableWebhook(db, id, closing))
        : await soon(deleteWebhook(db, format, id));
    if (isDisabled && isDone) {
      console.warn({ event: "webhook_disabled", webhookId: id, reason: closing.reason });
    }
    if (taskId === null) await soon(feedOf(this.env.FEED).refresh());
    const webhook = await this.#follow(id);
    if (webhook?.enabled === true) this.#ledger.reprieve();
  }

  #arm(): void {
    const now = Date.now();
    const dueAt = this.#ledger.dueAt(now) ?? (this.#faults === 0 ? null : now);
    if (dueAt === null) return;
    const restMs = this.#faults === 0 ? 0 : WEBHOOK_REST_MIN_MS * 2 ** (this.#faults - 1);
    this.#ledger.wakeUp.set(Math.max(dueAt, now + Math.min(restMs, WEBHOOK_REST_MAX_MS)));
  }
}

/** What does not answer must not hold up the alarm, which comes again. */
function soon<Value>(answer: Promise<Value>): Promise<Value> {
  return within(STORE_WAIT_MS, answer);
}

function haltReason({ disabledReason }: StoredWebhook): string {
  return `The webhook was disabled${disabledReason === null ? "." : `: ${disabledReason}`}`;
}

/** Drizzle's own words hold parameters, and addresses of webhooks hold secrets. */
function wordsOf(fault: unknown): string {
  if (!(fault instanceof Error)) return "unknown";
  return fault.cause instanceof Error ? fault.cause.message : fault.message;
}
