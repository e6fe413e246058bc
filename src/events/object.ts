import { DurableObject } from "cloudflare:workers";
import { WakeUp } from "../clock/wake-up.ts";
import type { FeedEvent, FeedFilter } from "../domain/feed.ts";
import { FEED_BATCH_MS, PROJECTION_RETRY_MS } from "../domain/limits.ts";
import { Batches, nameOf } from "./batches.ts";
import type { FeedPage, FeedPort } from "./port.ts";
import { Subscribers } from "./subscribers.ts";

/** Webhooks that are still to be told; kept while there are any. */
const OWED = "owed";

/**
 * The feed of all tasks' events. A task's call returns once its events are written and the webhooks
 * that want them know: what a crash takes away here, the task tells again.
 */
export class EventFeed extends DurableObject<Env> implements FeedPort {
  readonly #batches: Batches;
  readonly #subscribers: Subscribers;
  readonly #wakeUp: WakeUp;
  #waiting: { readonly event: FeedEvent; readonly isNew: boolean }[] = [];
  #taking: Promise<void> | null = null;
  #tookAt = -Infinity;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#batches = new Batches(ctx.storage);
    this.#subscribers = new Subscribers(env);
    this.#wakeUp = new WakeUp(ctx.storage);
    void ctx.blockConcurrencyWhile(() => this.#wakeUp.recall());
  }

  async announce(events: readonly FeedEvent[], isCertain: boolean): Promise<void> {
    const known = isCertain ? new Set<string>() : this.#known(events);
    for (const event of events) {
      this.#waiting.push({ event, isNew: !known.has(nameOf(event)) });
    }
    await this.#taken();
  }

  async page(filter: FeedFilter, after: number, limit: number): Promise<FeedPage> {
    return this.#batches.page(filter, after, limit);
  }

  async last(): Promise<number> {
    return this.#batches.last();
  }

  async refresh(): Promise<number> {
    await this.#subscribers.refresh();
    return this.#batches.last();
  }

  override async alarm(): Promise<void> {
    this.#wakeUp.fired();
    await this.#tell(this.ctx.storage.kv.get<string[]>(OWED) ?? [], 0);
  }

  /** Alone, events are taken in at once; in a crowd, with those that come within a moment. */
  #taken(): Promise<void> {
    const waitMs = Math.max(0, this.#tookAt + FEED_BATCH_MS - performance.now());
    this.#taking ??= scheduler.wait(waitMs).then(() => this.#take());
    return this.#taking;
  }

  /** Those that were written before are told once more: whoever asks cannot know that they were. */
  async #take(): Promise<void> {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#taking = null;
    this.#tookAt = performance.now();
    const fresh = taken.flatMap(({ event, isNew }) => (isNew ? [event] : []));
    const isRegistryKnown = await this.#subscribers.freshen();
    // From here on nothing is awaited: what is written and who is told of it must not come apart.
    const before = fresh.length < taken.length ? 0 : this.#batches.last();
    if (fresh.length > 0) this.#batches.append(fresh, Date.now());
    if (!isRegistryKnown) throw new Error("The registry of webhooks is out of reach");
    await this.#tell(this.#subscribers.of(taken.map(({ event }) => event)), before);
  }

  #known(events: readonly FeedEvent[]): Set<string> {
    const known = this.#batches.known(events);
    for (const { event } of this.#waiting) known.add(nameOf(event));
    return known;
  }

  /** Webhooks that do not answer are told by the alarm, and hold up nobody for long. */
  async #tell(ids: readonly string[], position: number): Promise<void> {
    const { kv } = this.ctx.storage;
    const missed = await this.#subscribers.poke(ids, position);
    const others = (kv.get<string[]>(OWED) ?? []).filter((id) => !ids.includes(id));
    const owed = [...others, ...missed];
    if (owed.length > 0) {
      console.warn({ event: "webhooks_not_told", webhooks: owed });
      kv.put(OWED, owed);
      this.#wakeUp.set(Date.now() + PROJECTION_RETRY_MS);
    } else if (kv.get(OWED) !== undefined) {
      kv.delete(OWED);
    }
  }
}
