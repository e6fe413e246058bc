import { withTimeout } from "../platform/promises.ts";
import { getDatabase } from "../platform/d1/client.ts";
import { matchesFilter, type FeedEvent } from "./model/feed.ts";
import type { EnabledWebhook } from "./model/webhook.ts";
import { FEED_NOTIFY_TIMEOUT_MS, FEED_WEBHOOKS_CACHE_MS } from "./limits.ts";
import { webhookStub } from "./webhooks/webhook.rpc.ts";
import { listEnabledWebhooks, listEnabledTaskWebhooks } from "./webhooks/webhooks.store.ts";
import { log } from "../platform/log.ts";

/** Finds the enabled webhooks in the registry and notifies them of new events. */
export class WebhookSubscribers {
  readonly #env: Pick<Env, "DB" | "WEBHOOKS">;
  #all: readonly EnabledWebhook[] = [];
  #readAt = -Infinity;
  #reads = 0;
  #lastAppliedRead = 0;
  /** Webhooks that were added or changed after the first read. They may have missed earlier events. */
  readonly #changedIds = new Set<string>();
  /** The latest call to each webhook, kept until all calls from the same `notify` have ended. */
  readonly #lastCalls = new Map<string, symbol>();

  constructor(env: Pick<Env, "DB" | "WEBHOOKS">) {
    this.#env = env;
  }

  async refresh(): Promise<void> {
    const [read, readAt] = [(this.#reads += 1), Date.now()];
    const all = await listEnabledWebhooks(getDatabase(this.#env.DB));
    // The result of a later read has already been applied.
    if (read < this.#lastAppliedRead) return;
    const before = new Set(this.#all.map((webhook) => JSON.stringify(webhook)));
    const changed = all.filter((webhook) => !before.has(JSON.stringify(webhook)));
    if (this.#lastAppliedRead > 0) for (const { id } of changed) this.#changedIds.add(id);
    this.#all = all;
    this.#readAt = readAt;
    this.#lastAppliedRead = read;
  }

  /** The webhooks to notify of these events. Throws if the registry cannot be read. */
  async findInterested(events: readonly FeedEvent[]): Promise<string[]> {
    const [bound] = await Promise.all([this.#findTaskSubscribers(events), this.#refreshIfStale()]);
    const wanting = [...this.#all, ...bound]
      .filter((webhook) => events.some((event) => matchesFilter(webhook, event)))
      .map(({ id }) => id);
    const found = [...this.#changedIds];
    this.#changedIds.clear();
    return [...new Set([...wanting, ...found])];
  }

  /**
   * Notifies webhooks of new events. A webhook counts as notified only if no later call to it starts before all of
   * these calls have ended, because the later call may have failed. `missed` lists the webhooks to notify again.
   */
  async notify(ids: readonly string[]): Promise<{ notified: string[]; missed: string[] }> {
    const calls = ids.map((id) => ({ id, call: Symbol(id) }));
    for (const { id, call } of calls) this.#lastCalls.set(id, call);
    const ended = await Promise.allSettled(
      ids.map((id) =>
        withTimeout(FEED_NOTIFY_TIMEOUT_MS, webhookStub(this.#env.WEBHOOKS, id).notify(id)),
      ),
    );
    const last = calls.filter(({ id, call }) => this.#lastCalls.get(id) === call);
    for (const { id } of last) this.#lastCalls.delete(id);
    const missed = ids.filter((_, index) => ended[index]?.status === "rejected");
    return { notified: last.map(({ id }) => id).filter((id) => !missed.includes(id)), missed };
  }

  /** The webhooks of these tasks. They are not cached, because all tasks together can have many. */
  async #findTaskSubscribers(events: readonly FeedEvent[]): Promise<EnabledWebhook[]> {
    const taskIds = [...new Set(events.flatMap(({ taskId }) => taskId ?? []))];
    return withTimeout(
      FEED_NOTIFY_TIMEOUT_MS,
      listEnabledTaskWebhooks(getDatabase(this.#env.DB), taskIds),
    );
  }

  /** Refreshes the list if it is stale. If the registry cannot be read, keeps the current list. */
  async #refreshIfStale(): Promise<void> {
    const age = Date.now() - this.#readAt;
    if (age >= 0 && age <= FEED_WEBHOOKS_CACHE_MS) return;
    try {
      await withTimeout(FEED_NOTIFY_TIMEOUT_MS, this.refresh());
    } catch (error) {
      if (this.#lastAppliedRead === 0) throw error;
      const reason = error instanceof Error ? error.name : "unknown";
      log.warn("webhooks_read_failed", { error: reason });
    }
  }
}
