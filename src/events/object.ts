import { DurableObject } from "cloudflare:workers";
import { WakeUp } from "../clock/wake-up.ts";
import type { FeedEvent, FeedFilter } from "../domain/feed.ts";
import {
  FEED_BATCH_MS,
  FEED_DOUBTED_TASKS_MAX,
  FEED_PRUNE_INTERVAL_MS,
  PROJECTION_RETRY_MS,
} from "../domain/limits.ts";
import { Batches, nameOf } from "./batches.ts";
import type { FeedPage, FeedPort } from "./port.ts";
import { Subscribers } from "./subscribers.ts";

/** Webhooks that are still to be told; kept while there are any. */
const OWED = "owed";

/** What a task has told, and who waits for it to be kept. */
interface Announced {
  readonly events: readonly FeedEvent[];
  readonly isCertain: boolean;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * The feed of all tasks' events. A task's call returns once its events are written and the webhooks
 * that want them know: what a crash takes away here, the task tells again.
 */
export class EventFeed extends DurableObject<Env> implements FeedPort {
  readonly #batches: Batches;
  readonly #subscribers: Subscribers;
  readonly #wakeUp: WakeUp;
  #waiting: Announced[] = [];
  /** Up to which event tasks have told in doubt: what is certain may come late, behind that. */
  readonly #doubted = new Map<string, number>();
  #isTaking = false;
  #tookAt = -Infinity;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#batches = new Batches(ctx.storage);
    this.#subscribers = new Subscribers(env);
    this.#wakeUp = new WakeUp(ctx.storage);
    void ctx.blockConcurrencyWhile(() => this.#wakeUp.recall());
  }

  async announce(events: readonly FeedEvent[], isCertain: boolean): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ events, isCertain, done });
    this.#takeNext();
    await done.promise;
  }

  async page(filter: FeedFilter, after: number, limit: number): Promise<FeedPage> {
    return this.#batches.page(filter, after, limit);
  }

  async last(): Promise<number> {
    return this.#batches.last();
  }

  async refresh(): Promise<void> {
    await this.#subscribers.refresh();
  }

  override async alarm(): Promise<void> {
    this.#wakeUp.fired();
    await this.#tell(this.ctx.storage.kv.get<string[]>(OWED) ?? []);
    this.#maintain();
  }

  #takeNext(): void {
    if (this.#isTaking || this.#waiting.length === 0) return;
    this.#isTaking = true;
    void this.#take().finally(() => {
      this.#isTaking = false;
      this.#takeNext();
    });
  }

  /** Alone, events are taken in at once; in a crowd, with those that come within a moment. */
  async #take(): Promise<void> {
    await scheduler.wait(Math.max(0, this.#tookAt + FEED_BATCH_MS - performance.now()));
    this.#tookAt = performance.now();
    const taken = this.#waiting;
    this.#waiting = [];
    try {
      const wanting = await this.#subscribers.of(taken.flatMap(({ events }) => events));
      const written = this.#write(taken);
      void this.#tell(wanting).then(
        () => written.forEach(({ done }) => done.resolve()),
        (fault: unknown) => written.forEach(({ done }) => done.reject(fault)),
      );
    } catch (fault) {
      for (const { done } of taken) done.reject(fault);
    }
  }

  /** What one of them has that cannot be written keeps none of the others from it. */
  #write(taken: readonly Announced[]): readonly Announced[] {
    try {
      this.#append(taken);
      return taken;
    } catch {
      return taken.filter((one) => {
        try {
          this.#append([one]);
          return true;
        } catch (fault) {
          one.done.reject(fault);
          return false;
        }
      });
    }
  }

  /** Those of which a task is in doubt may be kept already. */
  #append(taken: readonly Announced[]): void {
    const now = Date.now();
    const fresh = new Map<string, FeedEvent>();
    for (const { events, isCertain } of taken) {
      const isSure = isCertain && !this.#isOvertaken(events);
      if (!isCertain) this.#doubt(events);
      const known = isSure ? new Set<string>() : this.#batches.known(events, now);
      for (const event of events) {
        const name = nameOf(event);
        if (!known.has(name)) fresh.set(name, event);
      }
    }
    if (fresh.size === 0) return;
    this.#batches.append([...fresh.values()], now);
    this.#maintain();
  }

  /** A failure here must not fail the append that just succeeded or the alarm. */
  #maintain(): void {
    const now = Date.now();
    // Setting an alarm replaces the retry of a running alarm, which webhooks may depend on.
    const owedAt =
      this.ctx.storage.kv.get(OWED) === undefined ? Infinity : now + PROJECTION_RETRY_MS;
    try {
      const dueAt = this.#batches.maintain(now);
      if (dueAt !== null) this.#wakeUp.set(Math.min(dueAt, owedAt));
    } catch (error) {
      console.error({ event: "feed_maintenance_failed", error });
      this.#wakeUp.set(Math.min(now + FEED_PRUNE_INTERVAL_MS, owedAt));
    }
  }

  /** A call that its task gave up waiting for can come after the one that made up for it. */
  #isOvertaken(events: readonly FeedEvent[]): boolean {
    return events.some(({ taskId, seq }) => seq <= (this.#doubted.get(taskId) ?? 0));
  }

  #doubt(events: readonly FeedEvent[]): void {
    for (const { taskId, seq } of events) {
      const before = this.#doubted.get(taskId) ?? 0;
      // The last to be doubted lie last.
      this.#doubted.delete(taskId);
      this.#doubted.set(taskId, Math.max(before, seq));
    }
    for (const taskId of this.#doubted.keys()) {
      if (this.#doubted.size <= FEED_DOUBTED_TASKS_MAX) return;
      this.#doubted.delete(taskId);
    }
  }

  /** Webhooks that do not answer are told by the alarm, and hold up nobody for long. */
  async #tell(ids: readonly string[]): Promise<void> {
    const { kv } = this.ctx.storage;
    const { told, missed } = await this.#subscribers.poke(ids);
    const before = kv.get<string[]>(OWED) ?? [];
    const owed = [...new Set([...before.filter((id) => !told.includes(id)), ...missed])];
    if (owed.length > 0) {
      console.warn({ event: "webhooks_not_told", webhooks: owed });
      this.#wakeUp.set(Date.now() + PROJECTION_RETRY_MS);
    }
    if (owed.join() === before.join()) return;
    if (owed.length > 0) kv.put(OWED, owed);
    else kv.delete(OWED);
  }
}
