import { within } from "../clock/within.ts";
import { database } from "../db/client.ts";
import { passes, type FeedEvent, type FeedFilter } from "../domain/feed.ts";
import { FEED_POKE_MS, FEED_WEBHOOKS_MS } from "../domain/limits.ts";
import { webhookOf } from "../webhooks/port.ts";
import { enabledWebhooks, enabledWebhooksOf } from "../webhooks/store.ts";

interface Subscriber {
  readonly id: string;
  readonly filter: FeedFilter;
}

/** Webhooks that were notified, and webhooks that must be notified again. */
interface Poked {
  readonly told: string[];
  readonly missed: string[];
}

/** The enabled webhooks in the registry, which are notified of new events. */
export class Subscribers {
  readonly #env: Pick<Env, "DB" | "WEBHOOKS">;
  #all: readonly Subscriber[] = [];
  #readAt = -Infinity;
  #reads = 0;
  #readShown = 0;
  /** Webhooks that a later read added or changed: they may have missed the events before it. */
  readonly #found = new Set<string>();
  /** The latest call to each webhook, until all calls that began together with it have ended. */
  readonly #lastCalls = new Map<string, symbol>();

  constructor(env: Pick<Env, "DB" | "WEBHOOKS">) {
    this.#env = env;
  }

  /** Reads the registry again. */
  async refresh(): Promise<void> {
    const [read, readAt] = [(this.#reads += 1), Date.now()];
    const all = await enabledWebhooks(database(this.#env.DB));
    // A later read has ended first.
    if (read < this.#readShown) return;
    const before = new Map(this.#all.map(({ id, filter }) => [id, JSON.stringify(filter)]));
    const changed = all.filter(({ id, filter }) => before.get(id) !== JSON.stringify(filter));
    if (this.#readShown > 0) for (const { id } of changed) this.#found.add(id);
    this.#all = all;
    this.#readAt = readAt;
    this.#readShown = read;
  }

  /** The webhooks to notify of these events. Throws while the registry cannot be read. */
  async of(events: readonly FeedEvent[]): Promise<string[]> {
    const [bound] = await Promise.all([this.#boundTo(events), this.#freshen()]);
    const wanting = [...this.#all, ...bound]
      .filter(({ filter }) => events.some((event) => passes(filter, event)))
      .map(({ id }) => id);
    const found = [...this.#found];
    this.#found.clear();
    return [...new Set([...wanting, ...found])];
  }

  /**
   * Notifies webhooks of new events. A webhook counts as notified only if no later call to it begins before the
   * slowest of these calls ends, because the later call may have failed.
   */
  async poke(ids: readonly string[]): Promise<Poked> {
    const calls = ids.map((id) => ({ id, call: Symbol(id) }));
    for (const { id, call } of calls) this.#lastCalls.set(id, call);
    const ended = await Promise.allSettled(
      ids.map((id) => within(FEED_POKE_MS, webhookOf(this.#env.WEBHOOKS, id).poke(id))),
    );
    const last = calls.filter(({ id, call }) => this.#lastCalls.get(id) === call);
    for (const { id } of last) this.#lastCalls.delete(id);
    const missed = ids.filter((_, index) => ended[index]?.status === "rejected");
    return { told: last.map(({ id }) => id).filter((id) => !missed.includes(id)), missed };
  }

  /** Webhooks of a single task. They are looked up by task, because there may be many. */
  async #boundTo(events: readonly FeedEvent[]): Promise<Subscriber[]> {
    const taskIds = [...new Set(events.map(({ taskId }) => taskId))];
    return within(FEED_POKE_MS, enabledWebhooksOf(database(this.#env.DB), taskIds));
  }

  /** Keeps the known webhooks while the registry cannot be read. */
  async #freshen(): Promise<void> {
    const age = Date.now() - this.#readAt;
    if (age >= 0 && age <= FEED_WEBHOOKS_MS) return;
    try {
      await within(FEED_POKE_MS, this.refresh());
    } catch (fault) {
      if (this.#readShown === 0) throw fault;
      const reason = fault instanceof Error ? fault.name : "unknown";
      console.warn({ event: "webhooks_not_read", reason });
    }
  }
}
